import type { ReactNode } from 'react'
import type { InboxEntry, InboxReason } from '../../../contract/inbox'
import { useChannel } from '../../data/channels'
import { useIsDirect } from '../../data/threads'
import { AppMark } from '../../parts/app-mark'
import { formatUnread } from '../../parts/format-count'

const verbs: Record<Exclude<InboxReason, 'added' | 'reminder'>, string> = {
  mention: 'mentioned you',
  reply: 'replied',
  comment: 'commented',
  post: 'posted',
  resolved: 'resolved the post',
  reopened: 'reopened the post',
  message: 'sent a message',
  reaction: 'reacted to what you wrote',
}

/** Who did what: “Ada Lovelace mentioned you: “Shall we?””, or “Reminder: “Shall we?”” */
export const Sentence = ({ entry: { actor, reason, subject, excerpt } }: { entry: InboxEntry }): ReactNode => (
  <>
    {reason === 'reminder' ? (
      <b>Reminder</b>
    ) : (
      <>
        <b>{actor?.name ?? 'System'}</b> {actor && <AppMark of={actor} />}{' '}
        {reason === 'added'
          ? `added you to ${subject.type === 'channel' ? `#${subject.title}` : 'a thread'}`
          : verbs[reason]}
      </>
    )}
    {excerpt && reason !== 'added' && (
      <>
        : <span className="inbox-excerpt">“{excerpt}”</span>
      </>
    )}
  </>
)

/** Where it happened, and how much is new: “Lunch? · #general · 3 new” */
export const Place = ({ entry }: { entry: InboxEntry }): ReactNode => (
  <>
    <Subject entry={entry} />
    {entry.new_count > 1 && <span> · {formatUnread(entry.new_count)} new</span>}
  </>
)

function Subject({ entry: { subject } }: { entry: InboxEntry }) {
  const channel = useChannel(subject.channel?.id)
  const isDirect = useIsDirect(subject.id)
  if (subject.type === 'channel') return channel?.is_private ? 'Private channel' : 'Channel'
  if (isDirect) return 'Direct message'
  return subject.channel ? `${subject.title} · #${subject.channel.name}` : subject.title
}
