import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { formatUnread } from '../parts/format-count'
import { Icon, type IconName } from '../parts/icon'
import { paths } from '../paths'

interface Props {
  to: string
  label: string
  icon?: IconName
  picture?: ReactNode
  /** Hides the label, which is read aloud only. */
  isIconOnly?: boolean
  /** How many are unread; 0 is not shown. */
  count?: number
  /** Shows the count as something that waits for this member. */
  isImportant?: boolean
  isDraft?: boolean
  /** Whether it is in the bottom bar, too, where there is one. */
  isInBottomBar?: boolean
}

/** A link in the sidebar. */
export function SidebarLink(props: Props) {
  const { to, label, icon, picture, isIconOnly, count = 0, isImportant, isDraft, isInBottomBar } = props
  const [path] = useLocation()
  const isHere = path === to || (sections.includes(to) && path.startsWith(`${to}/`))
  return (
    <li className={isInBottomBar ? 'in-bottom-bar' : undefined}>
      <Link
        href={to}
        className={`sidebar-link ${count > 0 ? 'unread' : ''}`}
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
