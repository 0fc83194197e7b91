import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { formatUnread } from '../parts/format-count'
import { Icon, type IconName } from '../parts/icon'
import { isFilesOf, paths } from '../paths'

interface Props {
  to: string
  label: string
  icon?: IconName
  picture?: ReactNode
  /** Hides the label, which is read aloud only. */
  isIconOnly?: boolean
  isUnread?: boolean
  /** How many are unread; 0 is not shown. */
  count?: number
  /** Shows the count as something that waits for this member. */
  isImportant?: boolean
  isDraft?: boolean
}

/** A link in the sidebar. */
export function SidebarLink({
  to,
  label,
  icon,
  picture,
  isIconOnly,
  isUnread,
  count = 0,
  isImportant,
  isDraft,
}: Props) {
  const [path] = useLocation()
  const isHere = path === to || isFilesOf(to, path) || (sections.includes(to) && path.startsWith(`${to}/`))
  return (
    <li>
      <Link
        href={to}
        className={`sidebar-link ${isUnread || count > 0 ? 'unread' : ''}`}
        aria-current={isHere ? 'page' : undefined}
        title={isIconOnly ? label : undefined}
      >
        {picture ?? (icon && <Icon name={icon} />)}
        <span className={isIconOnly ? 'visually-hidden' : 'sidebar-label'}>{label}</span>
        {isDraft && <span className="draft">Draft</span>}
        {count > 0 && <UnreadCount count={count} isImportant={isImportant} />}
      </Link>
    </li>
  )
}

/** The pages below these belong to them; a post may also have been opened from a channel or the inbox. */
const sections = [paths.threads, paths.settings()]

/** The number of unread items. */
export const UnreadCount = ({ count, isImportant }: { count: number; isImportant?: boolean }) => (
  <span className={`count ${isImportant ? 'strong' : ''}`}>
    {formatUnread(count)}
    <span className="visually-hidden"> unread</span>
  </span>
)
