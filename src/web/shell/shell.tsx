import { type ReactNode, useCallback, useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useIsLive, useLiveUpdates } from '../data/cache/live'
import { usePermissions } from '../data/me'
import { useInboxCount, useThreadsCount } from '../data/unread'
import unreadIcon from '../icon-unread.svg'
import { Button } from '../parts/button'
import { findDropTarget, holdFiles, isFilePaste, listFiles, useLatestDropTarget } from '../parts/drop-targets'
import { formatUnread } from '../parts/format-count'
import { Icon, type IconName } from '../parts/icon'
import { notify } from '../parts/notices'
import { paths } from '../paths'
import { setTitlePrefix } from './document-title'
import { useKeyboard } from './keys'
import { Overlays } from './overlays'
import { useSearchHighlight } from './search-highlight'
import { Sidebar } from './sidebar'
import { UnreadCount } from './sidebar-link'
import { useFocusRestore } from './use-focus-restore'
import { useNewPostPath } from './use-new-post-path'
import { WorkspaceName } from './workspace'

/** The frame around every page: the sidebar, and the bars on phones. */
export function Shell({ children }: { children: ReactNode }) {
  const [path] = useLocation()
  const [isSidebarOpen, setSidebarOpen] = useState(false)
  useKeyboard()
  useFocusRestore()
  useLiveUpdates()
  useSearchHighlight()
  useUnreadBadge()
  useEffect(() => setSidebarOpen(false), [path])
  const closeSidebar = useCallback(() => setSidebarOpen(false), [])

  return (
    <div className="shell">
      <a className="skip button" href="#main">
        Skip to content
      </a>
      <Sidebar isOpen={isSidebarOpen} close={closeSidebar} />
      <div>
        <OfflineBar />
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
      <DropZone />
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

/** Not shown for brief interruptions. */
const DELAY_MS = 4_000

/** Says that the page may be out of date while there is no connection. */
function OfflineBar() {
  const isLive = useIsLive()
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    if (isLive) return setShown(false)
    const timer = setTimeout(() => setShown(true), DELAY_MS)
    return () => clearTimeout(timer)
  }, [isLive])
  return (
    <div role="status">
      {isShown && (
        <p className="offline">
          {navigator.onLine ? "Can't reach the server. Trying again…" : "You're offline. This page may be out of date."}
        </p>
      )}
    </div>
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

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null

const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false

/** Takes files that are dropped anywhere on the page, or pasted outside of a field. If there is no editor, opens one. */
function DropZone() {
  const [isDragging, setDragging] = useState(false)
  const { writeDeniedReason } = usePermissions()
  const [, navigate] = useLocation()
  const newPost = useNewPostPath()
  const target = useLatestDropTarget()

  useEffect(() => {
    const take = (data: DataTransfer, within: Node | undefined) => {
      const { files, hasFolders } = listFiles(data)
      if (hasFolders) notify("Folders can't be uploaded. Create a ZIP file first.")
      const found = findDropTarget(within)
      if (files.length === 0) return
      if (found) found.add(files)
      else if (writeDeniedReason) notify(writeDeniedReason)
      else {
        holdFiles(files)
        navigate(newPost)
      }
    }
    const end = new AbortController()
    // `dragleave` fires for every element. Only if there is no `relatedTarget`, the pointer has left the window.
    const dragOver = (event: DragEvent) => {
      if (!hasFiles(event)) return
      // Otherwise, the browser would open the file instead of the app.
      event.preventDefault()
      setDragging(true)
    }
    const dragLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) setDragging(false)
    }
    const drop = (event: DragEvent) => {
      setDragging(false)
      if (!hasFiles(event)) return
      event.preventDefault()
      take(event.dataTransfer!, document.elementsFromPoint(event.clientX, event.clientY).find(isPage))
    }
    const paste = (event: ClipboardEvent) => {
      const data = event.clipboardData
      if (event.defaultPrevented || !data || isTyping(event.target) || !isFilePaste(data) || !findDropTarget()) return
      event.preventDefault()
      take(data, undefined)
    }
    addEventListener('dragenter', dragOver, { signal: end.signal })
    addEventListener('dragover', dragOver, { signal: end.signal })
    addEventListener('dragleave', dragLeave, { signal: end.signal })
    addEventListener('drop', drop, { signal: end.signal })
    addEventListener('paste', paste, { signal: end.signal })
    return () => end.abort()
  }, [navigate, newPost, writeDeniedReason])

  if (!isDragging) return null
  const action = target?.action ?? 'start a new post'
  return (
    <div className="drop-zone" aria-hidden="true">
      <p>{!target && writeDeniedReason ? writeDeniedReason : `Drop files to ${action}`}</p>
    </div>
  )
}

const isPage = (element: Element) => !element.closest('.drop-zone')
