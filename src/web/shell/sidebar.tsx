import { useEffect, useRef } from 'react'
import { Link, useLocation } from 'wouter'
import type { Author } from '../../contract/shapes'
import type { Thread } from '../../contract/threads'
import { useChannels } from '../data/channels'
import { useDrafts } from '../data/draft-list'
import { type DraftSubjects, NO_SUBJECT, useDraftSubjects } from '../data/drafts'
import { useMe, usePermissions } from '../data/me'
import { getThreadTitle, useThreads } from '../data/threads'
import { useInboxCount, useThreadsCount, useUnread } from '../data/unread'
import { Avatar } from '../parts/avatar'
import { Button } from '../parts/button'
import { formatKey } from '../parts/format-key'
import { Icon } from '../parts/icon'
import { Loading, Skeleton } from '../parts/states'
import { paths } from '../paths'
import { openPalette } from './overlays'
import { SidebarLink } from './sidebar-link'
import { WorkspaceMenu } from './workspace'

/** Everything one can go to, in one scroll area. */
export function Sidebar({ isOpen, close }: { isOpen: boolean; close(): void }) {
  const { author } = useMe()
  const drafts = useDraftSubjects()
  const nav = useRef<HTMLElement>(null)
  useDrawer(nav, isOpen, close)
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
        <SidebarLink to={paths.inbox} icon="inbox" label="Inbox" count={useInboxCount()} isImportant />
        <SidebarLink to={paths.saved} icon="saved" label="Saved" />
        <SidebarLink to={paths.posts} icon="posts" label="Posts" isDraft={drafts.channels.has(NO_SUBJECT)} />
        <SidebarLink
          to={paths.threads}
          icon="threads"
          label="Threads"
          count={useThreadsCount()}
          isDraft={drafts.threads.size > 0}
        />
        {useHasDrafts() && <SidebarLink to={paths.drafts} icon="edit" label="Drafts" />}
      </ul>
      <Channels drafts={drafts} />
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
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && close()
    const onClick = (event: MouseEvent) => (event.target as Element).closest('.sidebar') || close()
    addEventListener('keydown', onKey)
    setTimeout(() => addEventListener('click', onClick))
    return () => {
      removeEventListener('keydown', onKey)
      removeEventListener('click', onClick)
      before?.focus()
    }
  }, [nav, isOpen, close])
}

function Channels({ drafts }: { drafts: DraftSubjects }) {
  const channels = useChannels()
  const unread = useUnread()
  const { manageDeniedReason } = usePermissions()
  const [, navigate] = useLocation()
  return (
    <section>
      <div className="sidebar-head">
        <h2>
          <Link href={paths.channels}>Channels</Link>
        </h2>
        <Button
          icon="plus"
          variant="plain"
          label="New channel"
          disabledReason={manageDeniedReason}
          onClick={() => navigate(paths.newChannel)}
        />
      </div>
      {channels.data ? (
        <ul>
          {channels.data.map(({ id, name, is_private }) => (
            <SidebarLink
              key={id}
              to={paths.channel(id)}
              label={name}
              icon={is_private ? 'lock' : 'hash'}
              count={unread.channels.find((channel) => channel.id === id)?.unread_count}
              isDraft={drafts.channels.has(id)}
            />
          ))}
        </ul>
      ) : (
        <LinkSkeletons />
      )}
    </section>
  )
}

const LinkSkeletons = () => (
  <Loading what="channels">
    {[120, 90, 140].map((width) => (
      <div key={width} className="sidebar-link">
        <Skeleton width={width} />
      </div>
    ))}
  </Loading>
)

const MAX_DIRECT = 8

/** The latest direct messages. */
function DirectMessages({ me, drafts }: { me: Author; drafts: DraftSubjects }) {
  const unread = useUnread()
  const direct = useThreads().records.filter(({ is_direct }) => is_direct)
  const { writeDeniedReason } = usePermissions()
  const [, navigate] = useLocation()
  return (
    <section>
      <div className="sidebar-head">
        <h2>Direct messages</h2>
        <Button
          icon="plus"
          variant="plain"
          label="New direct message"
          disabledReason={writeDeniedReason}
          onClick={() => navigate(paths.newThread())}
        />
      </div>
      <ul>
        {direct.slice(0, MAX_DIRECT).map((thread) => (
          <SidebarLink
            key={thread.id}
            to={paths.thread(thread.id)}
            label={getThreadTitle(thread, me)}
            picture={<Avatar of={getOther(thread, me)} size={20} />}
            count={unread.threads.find(({ id, level }) => id === thread.id && level !== 'none')?.unread_count}
            isDraft={drafts.threads.has(thread.id)}
          />
        ))}
      </ul>
    </section>
  )
}

const getOther = ({ members }: Thread, me: Author): Author => members.find(({ id }) => id !== me.id) ?? me
