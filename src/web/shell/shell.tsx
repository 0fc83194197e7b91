import { type ReactNode, Suspense, useCallback, useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useLiveUpdates } from '../data/cache/live'
import { openQueue } from '../data/cache/queue'
import { onOtherAccount } from '../data/cache/storage'
import { useMe } from '../data/me'
import { useInboxCount, useThreadsCount } from '../data/unread'
import unreadIcon from '../icon-unread.svg'
import { Button } from '../parts/button'
import { formatUnread } from '../parts/format-count'
import { Icon, type IconName } from '../parts/icon'
import { lazyLoad } from '../parts/lazy-load'
import { paths } from '../paths'
import { setTitlePrefix } from './document-title'
import { useKeyboard } from './keys'
import { Overlays } from './overlays'
import { useSearchHighlight } from './search-highlight'
import { Sidebar } from './sidebar'
import { UnreadCount } from './sidebar-link'
import { useFocusRestore } from './use-focus-restore'
import { WorkspaceName } from './workspace'

/** Loaded right after what is shown first. */
const ConnectionBar = lazyLoad(() => import('./connection-bar'))
const DropZone = lazyLoad(() => import('./drop-zone'))

/** The frame around every page: the sidebar, and the bars on phones. */
export function Shell({ children }: { children: ReactNode }) {
  const [path] = useLocation()
  const [isSidebarOpen, setSidebarOpen] = useState(false)
  useKeyboard()
  useFocusRestore()
  useLiveUpdates()
  useSearchHighlight()
  useUnreadBadge()
  const { id } = useMe().author
  // What this member has left in the browser.
  useEffect(openQueue, [id])
  // Otherwise, what is written in this tab would be stored for somebody else.
  useEffect(() => onOtherAccount(id, () => location.reload()), [id])
  useEffect(() => setSidebarOpen(false), [path])
  const closeSidebar = useCallback(() => setSidebarOpen(false), [])

  return (
    <div className="shell">
      <a className="skip button" href="#main">
        Skip to content
      </a>
      <Sidebar isOpen={isSidebarOpen} close={closeSidebar} />
      <div>
        <Suspense>
          <ConnectionBar />
        </Suspense>
        <header className="bar">
          <Button
            icon="menu"
            variant="plain"
            label="Open sidebar"
            aria-expanded={isSidebarOpen}
            onClick={() => setSidebarOpen(true)}
          />
          <span className="workspace">
            <WorkspaceName />
          </span>
        </header>
        {children}
      </div>
      <BottomBar />
      <Overlays />
      <Suspense>
        <DropZone />
      </Suspense>
    </div>
  )
}

interface Props {
  to: string
  icon: IconName
  label: string
  /** How many are unread; 0 is not shown. */
  count?: number
}

/** On phones, the way to the main pages. */
const BottomBar = () => (
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

/** Shows the number of unread entries in the title of the tab, and a dot on its icon. */
function useUnreadBadge() {
  const count = useInboxCount()
  const isUnread = count > 0
  useEffect(() => setTitlePrefix(isUnread ? `(${formatUnread(count)}) ` : ''), [isUnread, count])
  useEffect(() => {
    if (!isUnread) return
    const link = document.querySelector<HTMLLinkElement>('link[rel=icon]')!
    const plainIcon = link.href
    link.href = unreadIcon
    return () => {
      link.href = plainIcon
    }
  }, [isUnread])
}
