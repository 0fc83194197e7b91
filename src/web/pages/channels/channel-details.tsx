import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import type { Channel } from '../../../contract/channels'
import { archiveChannel, renameChannel, setChannelPrivate, useChannel, useChannels } from '../../data/channels'
import { usePermissions } from '../../data/me'
import { Button } from '../../parts/button'
import { Check } from '../../parts/check'
import { Dialog } from '../../parts/dialog'
import { Field } from '../../parts/field'
import { Empty, ProblemNote } from '../../parts/states'
import { ChannelPeople } from './channel-people'
import { getNameError } from './name-error'

interface Props {
  id: string
  close(): void
  /** Called when the channel is archived or no longer visible. */
  leave?(): void
}

/** Name, visibility and members of a channel. Only admins can change them. */
export function ChannelDetails({ id, close, leave = close }: Props) {
  const channels = useChannels()
  const channel = useChannel(id)
  const { manageDeniedReason } = usePermissions()
  if (!channels.data) return null
  if (!channel)
    return (
      <Dialog title="Channel" onClose={leave}>
        <Empty title="Channel not found">It may have been archived, or it is private and you are not a member.</Empty>
      </Dialog>
    )
  const archive = () => {
    leave()
    void archiveChannel(channel)
  }
  return (
    <Dialog title={channel.name} onClose={close}>
      <Rename channel={channel} disabledReason={manageDeniedReason} />
      <Check
        label="Private"
        checked={channel.is_private}
        disabledReason={manageDeniedReason}
        onChange={(event) => void setChannelPrivate(channel, event.target.checked)}
        hint={
          channel.is_private
            ? 'Only its members can see it and its posts.'
            : 'Everyone in the workspace except guests can see it and its posts.'
        }
      />
      <ChannelPeople channel={channel} disabledReason={manageDeniedReason} />
      <div className="spread dialog-foot">
        <p className="meta">Archiving hides the channel and its posts until an admin unarchives it.</p>
        <Button variant="danger" disabledReason={manageDeniedReason} onClick={archive}>
          Archive channel
        </Button>
      </div>
    </Dialog>
  )
}

function Rename({ channel, disabledReason }: { channel: Channel; disabledReason: string | undefined }) {
  const rename = useMutation({ mutationFn: (name: string) => renameChannel(channel, name) })
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const name = String(new FormData(event.currentTarget).get('name')).trim()
    if (!disabledReason && !rename.isPending && name !== channel.name) rename.mutate(name)
  }
  const fieldError = getNameError(rename.error)
  return (
    <form className="form" onSubmit={submit}>
      <div className="field-and-button">
        <Field
          key={channel.name}
          label="Name"
          name="name"
          defaultValue={channel.name}
          maxLength={80}
          required
          autoComplete="off"
          readOnly={disabledReason !== undefined}
          error={fieldError}
        />
        <Button type="submit" disabledReason={disabledReason} aria-disabled={rename.isPending}>
          Rename
        </Button>
      </div>
      {rename.error && !fieldError && <ProblemNote error={rename.error} />}
    </form>
  )
}
