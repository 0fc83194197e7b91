import { useMutation } from '@tanstack/react-query'
import type { FormEvent, ReactNode } from 'react'
import { useLocation, useSearch } from 'wouter'
import type { Channel } from '../../../contract/channels'
import {
  archiveChannel,
  describeChannel,
  setChannelDefault,
  setChannelPrivate,
  useChannel,
  useMayManage,
} from '../../data/channels'
import { usePermissions } from '../../data/me'
import { Button } from '../../parts/button'
import { Check } from '../../parts/check'
import { useConfirm } from '../../parts/dialog'
import { Field, getFieldError } from '../../parts/field'
import { ProblemNote } from '../../parts/states'
import { Time } from '../../parts/time'
import { useEditedText } from '../../parts/use-edited-text'
import { paths } from '../../paths'
import { FeedFilters } from '../feed/feed-filters'
import { FeedHead, NoChannel } from '../feed/feed-head'
import { ChannelPeople } from './channel-people'
import { getNameError } from './name-error'

/** Name, description, people and visibility of a channel. What is not for this member to change is shown as text. */
export default function AboutPage({ channelId }: { channelId: string }) {
  const query = new URLSearchParams(useSearch())
  const { channel, isMissing } = useChannel(channelId)
  if (isMissing) return <NoChannel />
  return (
    <main className="page feed" id="main">
      <FeedHead title={channel ? `About ${channel.name}` : 'About'} heading={channel?.name} channel={channel}>
        <FeedFilters query={query} channelId={channelId} />
      </FeedHead>
      {channel && <About channel={channel} />}
    </main>
  )
}

function About({ channel }: { channel: Channel }) {
  const { isAdmin } = usePermissions()
  const mayManage = useMayManage(channel)
  return (
    <div className="about">
      {mayManage ? <Describe channel={channel} /> : <Facts channel={channel} />}
      <ChannelPeople channel={channel} mayManage={mayManage} />
      {isAdmin && <Access channel={channel} />}
    </div>
  )
}

const Facts = ({ channel }: { channel: Channel }) => (
  <dl className="about-facts">
    <Fact name="Description">{channel.description || 'None yet'}</Fact>
    <Fact name="Who can see it">
      {channel.is_private ? 'Its members only' : 'Everyone in the workspace except guests'}
    </Fact>
    <Fact name="Created">
      <Time at={channel.created_at} />
    </Fact>
  </dl>
)

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd dir="auto">{children}</dd>
  </div>
)

function Describe({ channel }: { channel: Channel }) {
  const [name, setName] = useEditedText(channel.name)
  const [description, setDescription] = useEditedText(channel.description)
  const save = useMutation({
    mutationFn: () => describeChannel(channel, { name: name.trim(), description: description.trim() }),
  })
  const isUnchanged = name.trim() === channel.name && description.trim() === channel.description
  function submit(event: FormEvent) {
    event.preventDefault()
    if (!isUnchanged && !save.isPending) save.mutate()
  }
  const nameError = getNameError(save.error)
  const descriptionError = getFieldError(save.error, 'description')
  return (
    <form className="form" onSubmit={submit}>
      <Field
        label="Name"
        value={name}
        onChange={(event) => setName(event.target.value)}
        maxLength={80}
        required
        autoComplete="off"
        error={nameError}
      />
      <Field
        label="Description"
        value={description}
        onChange={(event) => setDescription(event.target.value)}
        maxLength={500}
        autoComplete="off"
        placeholder="What is this channel about?"
        error={descriptionError}
      />
      {save.error && !nameError && !descriptionError && <ProblemNote error={save.error} />}
      <div className="row">
        <Button
          type="submit"
          disabledReason={isUnchanged ? 'Nothing has changed yet.' : undefined}
          aria-disabled={save.isPending}
        >
          Save
        </Button>
      </div>
    </form>
  )
}

/** Who can see a channel, and whether anyone does: for admins. */
function Access({ channel }: { channel: Channel }) {
  const [, navigate] = useLocation()
  const [question, confirm] = useConfirm()
  const choosePrivate = (isPrivate: boolean) =>
    isPrivate
      ? void setChannelPrivate(channel, true)
      : confirm({
          title: `Make ${channel.name} public?`,
          text: 'Everyone in the workspace except guests will see this channel and all of its posts.',
          label: 'Make public',
          run: () => void setChannelPrivate(channel, false),
        })
  const archive = () => {
    navigate(paths.channels, { replace: true })
    void archiveChannel(channel)
  }
  return (
    <section className="form" aria-labelledby="access-title">
      <h2 id="access-title">Access</h2>
      <Check
        label="Private"
        checked={channel.is_private}
        onChange={(event) => choosePrivate(event.target.checked)}
        hint={
          channel.is_private
            ? 'Only its members can see it and its posts.'
            : 'Everyone in the workspace except guests can see it and its posts.'
        }
      />
      {!channel.is_private && (
        <Check
          label="Everyone joins"
          checked={channel.is_default}
          onChange={(event) => void setChannelDefault(channel.id, event.target.checked)}
          hint="Whoever joins the workspace as a member or viewer is in it from the start. Those who are here already stay as they are."
        />
      )}
      <div className="spread">
        <p className="meta">Archiving hides the channel and its posts until an admin unarchives it.</p>
        <Button variant="danger" onClick={archive}>
          Archive channel
        </Button>
      </div>
      {question}
    </section>
  )
}
