import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { useChannels } from '../data/channels'
import { useDrafts } from '../data/drafts'
import { useLiveUpdates } from '../data/live'
import { useMe, usePermissions } from '../data/me'
import { Avatar } from '../parts/avatar'
import { Button } from '../parts/button'
import { Icon, type IconName } from '../parts/icon'
import { Loading, Skeleton } from '../parts/states'
import { paths } from '../paths'
import { formatKey, useKeyboard } from './keys'
import { OfflineBar } from './offline-bar'
import { Overlays, openPalette } from './overlays'
import { useSearchHighlight } from './search-highlight'
import { useFocusRestore } from './use-focus-restore'

/** The frame around every page: the sidebar, and the bars on phones. */
export function Shell({ children }: { children: ReactNode }) {
  const [path] = useLocation()
  const [isSidebarOpen, setSidebarOpen] = useState(false)
  useKeyboard()
  useFocusRestore()
  useLiveUpdates()
  useSearchHighlight()
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
          <WorkspaceName />
        </header>
        {children}
      </div>
      <BottomBar />
      <Overlays />
    </div>
  )
}

const WorkspaceName = () => <span className="workspace">{useMe().workspace.name}</span>

function Sidebar({ isOpen, close }: { isOpen: boolean; close(): void }) {
  const { author } = useMe()
  const { writeDeniedReason, manageDeniedReason } = usePermissions()
  const drafts = useDrafts()
  const [, navigate] = useLocation()
  const nav = useRef<HTMLElement>(null)
  useEffect(() => {
    if (!isOpen) return
    const before = document.activeElement as HTMLElement | null
    nav.current!.querySelector('a')!.focus()
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && close()
    const onClick = (event: MouseEvent) => (event.target as Element).closest('.sidebar') || close()
    addEventListener('keydown', onKey)
    setTimeout(() => addEventListener('click', onClick))
    return () => {
      removeEventListener('keydown', onKey)
      removeEventListener('click', onClick)
      before?.focus()
    }
  }, [isOpen, close])

  return (
    <nav ref={nav} className="sidebar" aria-label="Sidebar" data-open={isOpen || undefined}>
      <div className="sidebar-head">
        <WorkspaceName />
      </div>
      <button type="button" className="sidebar-search" onClick={openPalette}>
        <Icon name="search" />
        <span>Search</span>
        <span className="key" aria-hidden="true">
          {formatKey('mod+k')}
        </span>
      </button>
      <Button
        icon="plus"
        variant="primary"
        disabledReason={writeDeniedReason}
        onClick={() => navigate(paths.newPost())}
      >
        New post
      </Button>
      <ul>
        <SidebarLink to={paths.posts} icon="posts" label="All posts" isDraft={hasDraft(drafts, 'post:')} />
        <SidebarLink to={paths.openPosts} label="Open" />
        <SidebarLink to={paths.resolvedPosts} label="Resolved" />
      </ul>
      <section>
        <div className="sidebar-head">
          <h2>Channels</h2>
          <Button
            icon="plus"
            variant="plain"
            label="New channel"
            disabledReason={manageDeniedReason}
            onClick={() => navigate(paths.newChannel)}
          />
        </div>
        <ChannelLinks />
      </section>
      <ul>
        <SidebarLink to={paths.threads} icon="threads" label="Threads" isDraft={hasDraft(drafts, 'message:')} />
        <SidebarLink to={paths.members} icon="people" label="Members" />
        <SidebarLink to={paths.channels} icon="hash" label="All channels" />
      </ul>
      <ul className="sidebar-foot">
        <SidebarLink to={paths.settings()} label={author.name} picture={<Avatar of={author} />} icon="settings" />
      </ul>
    </nav>
  )
}

const hasDraft = (drafts: Record<string, string>, start: string) =>
  Object.keys(drafts).some((place) => place.startsWith(start))

function ChannelLinks() {
  const channels = useChannels()
  if (!channels.data)
    return (
      <Loading what="channels">
        {[120, 90, 140].map((width) => (
          <div key={width} className="sidebar-link">
            <Skeleton width={width} />
          </div>
        ))}
      </Loading>
    )
  return (
    <ul>
      {channels.data.map(({ id, name, is_private }) => (
        <SidebarLink key={id} to={paths.channel(id)} label={name} icon={is_private ? 'lock' : 'hash'} />
      ))}
    </ul>
  )
}

interface SidebarLinkProps {
  to: string
  label: string
  icon?: IconName
  picture?: ReactNode
  isDraft?: boolean
}

function SidebarLink({ to, label, icon, picture, isDraft }: SidebarLinkProps) {
  const [path] = useLocation()
  const search = useSearch()
  const [toPath, toSearch = ''] = to.split('?') as [string, string?]
  const resolved = (query: string) => new URLSearchParams(query).get('resolved')
  const isWithin = [paths.threads, paths.settings()].includes(toPath) && path.startsWith(`${toPath}/`)
  const isHere = isWithin || (path === toPath && (toPath !== paths.posts || resolved(search) === resolved(toSearch)))
  return (
    <li>
      <Link href={to} className="sidebar-link" aria-current={isHere ? 'page' : undefined}>
        {picture ?? (icon && <Icon name={icon} />)}
        <span>{label}</span>
        {isDraft && <span className="chip">Draft</span>}
      </Link>
    </li>
  )
}

function BottomBar() {
  const [path] = useLocation()
  const link = (to: string, icon: IconName, label: string) => (
    <Link href={to} aria-current={path.startsWith(to) ? 'page' : undefined}>
      <Icon name={icon} size={20} />
      {label}
    </Link>
  )
  return (
    <nav className="bottom-bar" aria-label="Main">
      {link(paths.posts, 'posts', 'Posts')}
      {link(paths.threads, 'threads', 'Threads')}
      {link(paths.members, 'people', 'Members')}
      {link(paths.search(), 'search', 'Search')}
    </nav>
  )
}
