import type { ReactNode } from 'react'
import type { Audience, MentionedAudience } from '../../../contract/audience'
import type { Channel } from '../../../contract/channels'
import { channelPlace, countPeople, useAudience, useMentionedIds } from '../../data/audience'
import { useIsJoined } from '../../data/channels'
import { useStoredDraft } from '../../data/drafts'
import { useWritesMarkdown } from '../../data/me'
import { useMember } from '../../data/members'
import { Avatar } from '../../parts/avatar'
import { formatCount } from '../../parts/format-count'
import { formatKey } from '../../parts/format-key'
import { Icon, type IconName } from '../../parts/icon'

interface Props {
  channel: Channel | undefined
  draftKey: string
}

/** Who gets a post, and what one can press while writing it: in the margin, or above the post where there is none. */
export function WriterFacts({ channel, draftKey }: Props) {
  const ids = useMentionedIds(useStoredDraft(draftKey))
  const audience = useAudience(channel && channelPlace(channel), ids, true)
  return (
    <aside className="writer-facts" aria-label="About this post">
      <dl>
        {channel && (
          <Fact name="Goes to">
            <p>
              {formatCount(audience?.members_count ?? channel.members_count, 'member')} of #{channel.name}
            </p>
            <Joining channel={channel} />
          </Fact>
        )}
        {channel && audience && <Notified audience={audience} ids={ids} channel={channel} />}
        <Fact name="Keys" className="writer-keys">
          {useWritesMarkdown() ? <Key name=":">Insert an emoji</Key> : <Key name="/">Insert a block</Key>}
          <Key name="@">Mention someone</Key>
          <Key name="mod+Enter">Publish</Key>
        </Fact>
      </dl>
    </aside>
  )
}

/** Who publishes in a channel is in it from then on. */
function Joining({ channel }: { channel: Channel }) {
  const isJoined = useIsJoined(channel.id)
  return isJoined === false ? <p className="meta">You join it when you publish.</p> : null
}

const MAX_SHOWN = 8

/** Those who are mentioned and can see the post, and those who follow the channel. */
function Notified({ audience, ids, channel }: { audience: Audience; ids: readonly string[]; channel: Channel }) {
  const { mentioned, followers_count } = audience
  const reached = mentioned.filter(({ id, reaches, is_allowed }) => ids.includes(id) && is_allowed && reaches > 0)
  if (reached.length === 0 && followers_count === 0) return null
  return (
    <Fact name="Will be notified">
      {reached.slice(0, MAX_SHOWN).map((each) => (
        <Reached key={each.id} mentioned={each} channel={channel} />
      ))}
      {reached.length > MAX_SHOWN && <p className="meta">and {reached.length - MAX_SHOWN} more</p>}
      {followers_count > 0 && (
        <Row icon="bell">
          {formatCount(followers_count, 'follower')} of #{channel.name}
        </Row>
      )}
    </Fact>
  )
}

function Reached({
  mentioned: { id, type, name, reaches },
  channel,
}: {
  mentioned: MentionedAudience
  channel: Channel
}) {
  if (type === 'member') return <Person id={id} name={name} />
  if (type === 'app') return <Row icon="mention">{name}</Row>
  const people = countPeople(reaches)
  if (type === 'group') return <Row icon="people">{`${people} in @${name}`}</Row>
  return <Row icon="people">{type === 'here' ? `${people} online now` : `Everyone in #${channel.name}`}</Row>
}

function Person({ id, name }: { id: string; name: string }) {
  const user = useMember(id).data?.user
  return (
    <p>
      {user ? <Avatar of={{ ...user, type: 'member' }} size={20} /> : <Icon name="mention" />}
      {name}
    </p>
  )
}

const Row = ({ icon, children }: { icon: IconName; children: ReactNode }) => (
  <p>
    <Icon name={icon} />
    {children}
  </p>
)

const Fact = ({ name, className, children }: { name: string; className?: string; children: ReactNode }) => (
  <div className={className}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

const Key = ({ name, children }: { name: string; children: ReactNode }) => (
  <p>
    <kbd>{formatKey(name)}</kbd>
    {children}
  </p>
)
