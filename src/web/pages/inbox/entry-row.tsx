import { Link } from 'wouter'
import type { InboxEntry, InboxReason } from '../../../contract/inbox'
import { archiveEntry, getEntryPath, setEntryRead, unarchiveEntry } from '../../data/inbox'
import { Avatar } from '../../parts/avatar'
import { Button } from '../../parts/button'
import { Icon, type IconName } from '../../parts/icon'
import { Menu, type MenuEntry } from '../../parts/menu'
import { formatExactTime } from '../../parts/time'
import { Place, Sentence } from './sentence'

const icons: Record<InboxReason, IconName> = {
  mention: 'at',
  reply: 'reply',
  comment: 'comment',
  post: 'bell',
  resolved: 'check',
  reopened: 'reopen',
  message: 'threads',
  added: 'people',
  reminder: 'clock',
  reaction: 'emoji',
}

const timeFormat = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' })

/** An entry of the inbox. The whole row is a link. The first of a day starts with its name. */
export function EntryRow({ entry, day }: { entry: InboxEntry; day: string | undefined }) {
  const isUnread = entry.read_at === null
  // A post or thread is read by showing it; of a channel, nothing else would be.
  const open = () => void (entry.subject.type === 'channel' && isUnread && setEntryRead(entry, true))
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
        <p className="inbox-place">
          <Place entry={entry} />
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
  const isUnread = entry.read_at === null
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
