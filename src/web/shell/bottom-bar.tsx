import { Link, useLocation } from 'wouter'
import { useInboxCount, useThreadsCount } from '../data/unread'
import { Icon, type IconName } from '../parts/icon'
import { paths } from '../paths'
import { UnreadCount } from './sidebar-link'

interface Props {
  to: string
  icon: IconName
  label: string
  /** How many are unread; 0 is not shown. */
  count?: number
}

/** On phones, the way to the main pages. */
export const BottomBar = () => (
  <nav className="bottom-bar" aria-label="Main">
    <BarLink to={paths.inbox} icon="inbox" label="Inbox" count={useInboxCount()} />
    <BarLink to={paths.posts} icon="posts" label="Posts" />
    <BarLink to={paths.threads} icon="threads" label="Threads" count={useThreadsCount()} />
    <BarLink to={paths.search()} icon="search" label="Search" />
  </nav>
)

function BarLink({ to, icon, label, count = 0 }: Props) {
  const [path] = useLocation()
  return (
    <Link href={to} aria-current={path.startsWith(to) ? 'page' : undefined}>
      <Icon name={icon} size={20} />
      {label}
      {count > 0 && <UnreadCount count={count} />}
    </Link>
  )
}
