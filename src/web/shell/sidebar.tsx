import { type RefObject, useEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import type { Author } from '../../contract/shapes'
import type { Thread } from '../../contract/threads'
import { useDrafts } from '../data/draft-list'
import { type DraftSubjects, NO_SUBJECT, useDraftSubjects } from '../data/drafts'
import { useMe, usePermissions } from '../data/me'
import { getThreadTitle, useThreads } from '../data/threads'
import { useInboxCount, useThreadsCount, useUnread } from '../data/unread'
import { Avatar } from '../parts/avatar'
import { Button } from '../parts/button'
import { formatKey } from '../parts/format-key'
import { Icon } from '../parts/icon'
import { paths } from '../paths'
import { openPalette } from './overlays'
import { ChannelSections } from './sidebar-channels'
import { SidebarLink } from './sidebar-link'
import { reveal } from './sidebar-row'
import { Section } from './sidebar-section'
import { WorkspaceMenu } from './workspace'

/** Everything one can go to. Only the channels scroll, so that the rest stays in reach however many there are. */
export function Sidebar({ isOpen, close }: { isOpen: boolean; close(): void }) {
  const { author, role } = useMe()
  const drafts = useDraftSubjects()
  const nav = useRef<HTMLElement>(null)
  const scroller = useRef<HTMLDivElement>(null)
  useDrawer(nav, isOpen, close)
  useOverflow(scroller)
  return (
    <nav ref={nav} className="sidebar" aria-label="Sidebar" data-open={isOpen || undefined}>
      <WorkspaceMenu />
      <button type="button" className="sidebar-search" onClick={openPalette}>
        <Icon name="search" />
        <span>Search</span>
        <span className="key" aria-hidden="true">
          {formatKey('mod+k')}
        </span>
      </button>
      <ul>
        <SidebarLink to={paths.inbox} icon="inbox" label="Inbox" count={useInboxCount()} isImportant isInBottomBar />
        <SidebarLink
          to={paths.posts}
          icon="posts"
          label="Posts"
          isDraft={drafts.channels.has(NO_SUBJECT)}
          isInBottomBar
        />
        <SidebarLink
          to={paths.threads}
          icon="threads"
          label="Threads"
          count={useThreadsCount()}
          isDraft={drafts.threads.size > 0}
          isInBottomBar
        />
        <SidebarLink to={paths.saved} icon="saved" label="Saved" />
        {useHasDrafts() && <SidebarLink to={paths.drafts} icon="edit" label="Drafts" />}
      </ul>
      <div ref={scroller} className="sidebar-scroller">
        <div>
          <ChannelSections drafts={drafts.channels} />
        </div>
      </div>
      {/* Guests see no other channels than their own. */}
      {role !== 'guest' && (
        <ul className="sidebar-browse">
          <SidebarLink to={paths.channels} icon="browse" label="Browse channels" />
        </ul>
      )}
      <DirectMessages me={author} drafts={drafts} />
      <ul className="sidebar-foot">
        <SidebarLink to={paths.settings()} label={author.name} picture={<Avatar of={author} size={28} />} />
        <SidebarLink to={paths.members} label="Members" icon="people" isIconOnly />
      </ul>
    </nav>
  )
}

/** Until the list is loaded, the drafts of this browser are used. */
function useHasDrafts(): boolean {
  const drafts = useDrafts()
  const { channels, posts, threads } = useDraftSubjects()
  return drafts ? drafts.length > 0 : channels.size + posts.size + threads.size > 0
}

/** On phones, the sidebar is a drawer: it takes the focus, and Escape or a click elsewhere closes it. */
function useDrawer(nav: { current: HTMLElement | null }, isOpen: boolean, close: () => void) {
  useEffect(() => {
    if (!isOpen) return
    const before = document.activeElement as HTMLElement | null
    nav.current!.querySelector<HTMLElement>('a, button')!.focus()
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && !event.defaultPrevented && close()
    const onClick = (event: MouseEvent) => (event.target as Element).closest('.sidebar, .menu') || close()
    addEventListener('keydown', onKey)
    setTimeout(() => addEventListener('click', onClick))
    return () => {
      removeEventListener('keydown', onKey)
      removeEventListener('click', onClick)
      before?.focus()
    }
  }, [nav, isOpen, close])
}

/** Three channels and their heading stay in view in a low window. */
const MIN_HEIGHT = 112
const CURRENT_ROW = '.sidebar-row:has([aria-current])'

/** Keeps some of the scroller in view, and notes on it whether there is more: only then, a line divides it from what is below. */
function useOverflow(scroller: RefObject<HTMLDivElement | null>) {
  useEffect(() => {
    const element = scroller.current!
    const content = element.firstElementChild as HTMLElement
    const observer = new ResizeObserver((changes) => {
      element.style.minHeight = `${Math.min(MIN_HEIGHT, content.offsetHeight)}px`
      element.toggleAttribute('data-overflows', element.scrollHeight > element.clientHeight)
      // What was in view may no longer be, for example once direct messages are loaded.
      const row = changes.some(({ target }) => target === element) && element.querySelector<HTMLElement>(CURRENT_ROW)
      if (row) reveal(row)
    })
    observer.observe(element)
    observer.observe(content)
    return () => observer.disconnect()
  }, [scroller])
}

/** The others are on the page of threads. */
const MAX_DIRECT = 4

/** The latest direct messages, those that are unread in any case. */
function DirectMessages({ me, drafts }: { me: Author; drafts: DraftSubjects }) {
  const unread = useUnread()
  const direct = useThreads().records.filter(({ is_direct }) => is_direct)
  const { writeDeniedReason } = usePermissions()
  const [, navigate] = useLocation()
  const counts = new Map(unread.threads.map(({ id, level, unread_count }) => [id, level === 'none' ? 0 : unread_count]))
  const isUnread = ({ id }: Thread) => (counts.get(id) ?? 0) > 0
  const unreadFirst = [...direct.filter(isUnread), ...direct.filter((thread) => !isUnread(thread))]
  const latest = new Set(unreadFirst.slice(0, MAX_DIRECT))
  const action = !writeDeniedReason && (
    <Button icon="plus" variant="plain" label="New direct message" onClick={() => navigate(paths.newDirectMessage)} />
  )
  return (
    <div className="sidebar-direct">
      <Section name="direct_messages" title="Direct messages" action={action}>
        {(isFolded) => (
          <ul>
            {direct
              .filter((thread) => latest.has(thread) && (!isFolded || isUnread(thread)))
              .map((thread) => (
                <SidebarLink
                  key={thread.id}
                  to={paths.thread(thread.id)}
                  label={getThreadTitle(thread, me)}
                  picture={<Avatar of={getOther(thread, me)} size={20} />}
                  count={counts.get(thread.id)}
                  isDraft={drafts.threads.has(thread.id)}
                />
              ))}
          </ul>
        )}
      </Section>
    </div>
  )
}

const getOther = ({ members }: Thread, me: Author): Author => members.find(({ id }) => id !== me.id) ?? me
