import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import type { Channel } from '../../../contract/channels'
import { archiveChannel, describeChannel, setChannelPrivate, useChannel, useChannels } from '../../data/channels'
import { usePermissions } from '../../data/me'
import { Button } from '../../parts/button'
import { Check } from '../../parts/check'
import { Dialog } from '../../parts/dialog'
import { Field, getFieldError } from '../../parts/field'
import { Empty, ProblemNote } from '../../parts/states'
import { useEditedText } from '../../parts/use-edited-text'
import { ChannelPeople } from './channel-people'
import { getNameError } from './name-error'

interface Props {
  id: string
  close(): void
  /** Called when the channel is archived or no longer visible. */
  leave?(): void
}

/** Name, description, visibility and members of a channel. Only admins can change them. */
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
      <Describe channel={channel} disabledReason={manageDeniedReason} />
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

function Describe({ channel, disabledReason }: { channel: Channel; disabledReason: string | undefined }) {
  const [name, setName] = useEditedText(channel.name)
  const [description, setDescription] = useEditedText(channel.description)
  const save = useMutation({
    mutationFn: () => describeChannel(channel, { name: name.trim(), description: description.trim() }),
  })
  const isUnchanged = name.trim() === channel.name && description.trim() === channel.description
  function submit(event: FormEvent) {
    event.preventDefault()
    if (!disabledReason && !isUnchanged && !save.isPending) save.mutate()
  }
  const nameError = getNameError(save.error)
  const descriptionError = getFieldError(save.error, 'description')
  const isReadOnly = disabledReason !== undefined
  return (
    <form className="form" onSubmit={submit}>
      <Field
        label="Name"
        value={name}
        onChange={(event) => setName(event.target.value)}
        maxLength={80}
        required
        autoComplete="off"
        readOnly={isReadOnly}
        error={nameError}
      />
      <Field
        label="Description"
        value={description}
        onChange={(event) => setDescription(event.target.value)}
        maxLength={500}
        autoComplete="off"
        readOnly={isReadOnly}
        placeholder={isReadOnly ? 'None yet' : 'What is this channel about?'}
        error={descriptionError}
      />
      {save.error && !nameError && !descriptionError && <ProblemNote error={save.error} />}
      <div className="row end">
        <Button
          type="submit"
          disabledReason={disabledReason ?? (isUnchanged ? 'Nothing has changed yet.' : undefined)}
          aria-disabled={save.isPending}
        >
          Save
        </Button>
      </div>
    </form>
  )
}
