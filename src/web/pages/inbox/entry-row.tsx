import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { describeEntry } from '../../../contract/browser/inbox-sentence'
import type { InboxEntry, InboxReason } from '../../../contract/inbox'
import { useChannels } from '../../data/channels'
import { archiveEntry, getEntryPath, setEntryRead, unarchiveEntry } from '../../data/inbox'
import { useIsDirect } from '../../data/threads'
import { AppMark } from '../../parts/app-mark'
import { Avatar } from '../../parts/avatar'
import { Button } from '../../parts/button'
import { formatUnread } from '../../parts/format-count'
import { Icon, type IconName } from '../../parts/icon'
import { Menu, type MenuEntry } from '../../parts/menu'
import { formatExactTime } from '../../parts/time'

const icons: Record<InboxReason, IconName> = {
  mention: 'at',
  group_mention: 'at',
  channel_mention: 'at',
  here_mention: 'at',
  reply: 'reply',
  comment: 'comment',
  post: 'bell',
  resolved: 'check',
  reopened: 'reopen',
  thread: 'threads',
  message: 'threads',
  added: 'people',
  reminder: 'clock',
  reaction: 'emoji',
}

const timeFormat = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' })

/** An entry of the inbox. The whole row is a link. The first of a day starts with its name. */
export function EntryRow({ entry, day }: { entry: InboxEntry; day: string | undefined }) {
  const isUnread = entry.is_unread
  // A post or thread is read by showing it; a reaction by itself, if it was marked as unread.
  const open = () => void (entry.about === 'reaction' && isUnread && setEntryRead(entry, true))
  return (
    <li id={entry.id} className={isUnread ? 'unread' : ''}>
      {day && <h2 className="inbox-day">{day}</h2>}
      <div className="inbox-row">
        <Face entry={entry} />
        <p className="inbox-sentence">
          {isUnread && <span className="dot" role="img" aria-label="Unread" />}
          <Link href={getEntryPath(entry)} data-row onClick={open}>
            <Sentence entry={entry} />
          </Link>
        </p>
        <p className="inbox-location">
          <EntryLocation entry={entry} />
        </p>
        <time dateTime={entry.last_activity_at} title={formatExactTime(entry.last_activity_at)}>
          {timeFormat.format(new Date(entry.last_activity_at))}
        </time>
        <EntryActions entry={entry} />
      </div>
    </li>
  )
}

/** The picture of who did it, and an icon for what it was. A reminder has no actor. */
const Face = ({ entry: { actor, reason } }: { entry: InboxEntry }) => (
  <span className="inbox-face">
    {actor ? (
      <Avatar of={actor} size={36} />
    ) : (
      <span className="avatar system">{reason === 'reminder' && <Icon name="clock" size={18} />}</span>
    )}
    {reason !== 'reminder' && (
      <span className="inbox-reason">
        <Icon name={icons[reason]} size={11} />
      </span>
    )}
  </span>
)

/** Buttons that appear on hover and focus; on touch screens, a menu. */
function EntryActions({ entry }: { entry: InboxEntry }) {
  const actions = listActions(entry)
  return (
    <>
      <div className="inbox-actions">
        {actions.map(({ label, icon, run }) => (
          <Button key={label} icon={icon} variant="plain" label={label} onClick={run} />
        ))}
      </div>
      <div className="inbox-menu">
        <Menu label={`Actions for ${entry.subject.title}`} entries={actions} />
      </div>
    </>
  )
}

function listActions(entry: InboxEntry): (MenuEntry & { icon: IconName })[] {
  const isUnread = entry.is_unread
  return [
    {
      label: isUnread ? 'Mark as read' : 'Mark as unread',
      icon: isUnread ? 'check' : 'unread',
      run: () => void setEntryRead(entry, isUnread),
    },
    entry.archived_at
      ? { label: 'Move to inbox', icon: 'inbox', run: () => void unarchiveEntry(entry) }
      : { label: 'Archive', icon: 'archive', run: () => void archiveEntry(entry) },
  ]
}

/** Who did what: “Ada Lovelace and 2 others commented on your post: “Shall we?””, or “Reminder: “Shall we?”” */
function Sentence({ entry }: { entry: InboxEntry }): ReactNode {
  const { who, others, did } = describeEntry(entry)
  const { actor, about, excerpt } = entry
  return (
    <>
      {about === 'reminder' ? (
        <b>{did}</b>
      ) : (
        <>
          <b>{actor ? who : 'System'}</b> {actor && <AppMark of={actor} />} {others} {did}
        </>
      )}
      {excerpt && about !== 'added' && (
        <>
          : <span className="inbox-excerpt">“{excerpt}”</span>
        </>
      )}
    </>
  )
}

/** Where it happened, and how much is new: “Lunch? · #general · 3 new” */
const EntryLocation = ({ entry }: { entry: InboxEntry }): ReactNode => (
  <>
    <Subject entry={entry} />
    {entry.new_count > 1 && <span> · {formatUnread(entry.new_count)} new</span>}
  </>
)

function Subject({ entry: { subject } }: { entry: InboxEntry }) {
  const channel = useChannels().data?.find(({ id }) => id === subject.id)
  const isDirect = useIsDirect(subject.id)
  if (subject.type === 'channel') return channel?.is_private ? 'Private channel' : 'Channel'
  if (isDirect) return 'Direct message'
  return subject.channel ? `${subject.title} · #${subject.channel.name}` : subject.title
}
