import { type RefObject, useRef } from 'react'
import { Link } from 'wouter'
import type { Author } from '../../../contract/shapes'
import type { Thread } from '../../../contract/threads'
import { useMe, usePermissions } from '../../data/me'
import { getThreadTitle, useThreads } from '../../data/threads'
import { useThreadState } from '../../data/unread'
import { Avatar } from '../../parts/avatar'
import { Button } from '../../parts/button'
import { formatCount } from '../../parts/format-count'
import { getShortName } from '../../parts/short-name'
import { Empty, Loading, ProblemNote, Skeleton } from '../../parts/states'
import { Time } from '../../parts/time'
import { useNearPages } from '../../parts/use-near-viewport'
import { paths } from '../../paths'
import { useRowKeys } from '../feed/infinite-list'

/** The member's threads, by last activity. */
export function ThreadList({ openId, startThread }: { openId: string | undefined; startThread(): void }) {
  const threads = useThreads()
  const { writeDeniedReason } = usePermissions()
  if (threads.error && !threads.data) return <ProblemNote error={threads.error} retry={() => void threads.refetch()} />
  if (!threads.data) return <ThreadSkeleton />
  if (threads.records.length === 0)
    return (
      <Empty
        title="No threads yet"
        action={
          !writeDeniedReason && (
            <Button variant="primary" icon="plus" onClick={startThread}>
              Start a thread
            </Button>
          )
        }
      >
        Threads are private conversations: only the people in them can read them.
      </Empty>
    )
  return <Threads threads={threads} openId={openId} />
}

function Threads({ threads, openId }: { threads: ReturnType<typeof useThreads>; openId: string | undefined }) {
  const list = useRef<HTMLOListElement>(null)
  const { before, after } = useNearPages(threads)
  return (
    <>
      {!openId && <RowKeys list={list} />}
      <div ref={before} />
      <ol ref={list} aria-label="Threads">
        {threads.records.map((thread) => (
          <ThreadRow key={thread.id} thread={thread} isOpen={thread.id === openId} />
        ))}
      </ol>
      {threads.isFetchNextPageError && <ProblemNote error={threads.error} retry={() => void threads.fetchNextPage()} />}
      <div ref={after} />
    </>
  )
}

/** A component, because an open thread has its own shortcuts. */
function RowKeys({ list }: { list: RefObject<HTMLElement | null> }) {
  useRowKeys(list)
  return null
}

function ThreadRow({ thread, isOpen }: { thread: Thread; isOpen: boolean }) {
  const { author } = useMe()
  const state = useThreadState(thread.id).data
  const isUnread = state?.is_unread
  const lastMessage = state?.last_message
  const others = thread.members.filter(({ id }) => id !== author.id)
  return (
    <li id={thread.id} className={isUnread ? 'unread' : ''}>
      <Link href={paths.thread(thread.id)} className="thread-row" aria-current={isOpen ? 'page' : undefined} data-row>
        <Avatars of={others.length > 0 ? others : thread.members} />
        <span className="thread-title">
          {isUnread && <span className="dot" role="img" aria-label="Unread" />}
          <b>{getThreadTitle(thread, author)}</b>
          <span className="meta">
            <Time at={thread.last_activity_at} />
          </span>
        </span>
        <span className="thread-last meta">
          {lastMessage ? (
            <>
              {getSpeaker(thread, lastMessage.author, author)}
              {lastMessage.excerpt}
            </>
          ) : (
            formatCount(thread.messages_count, 'message')
          )}
        </span>
      </Link>
    </li>
  )
}

/** Whose message it is. In a direct message, the other’s name is the title. */
function getSpeaker({ is_direct }: Thread, speaker: Author, me: Author): string {
  if (speaker.id === me.id) return 'You: '
  return is_direct ? '' : `${getShortName(speaker)}: `
}

const MAX_AVATARS = 2

/** A few of the other participants. */
const Avatars = ({ of: authors }: { of: Thread['members'] }) => (
  <span className="avatars">
    {authors.slice(0, MAX_AVATARS).map((author) => (
      <Avatar key={author.id} of={author} size={authors.length > 1 ? 24 : 36} />
    ))}
  </span>
)

const ThreadSkeleton = () => (
  <Loading what="threads">
    {[160, 120, 190, 140, 170, 110].map((width) => (
      <div key={width} className="thread-row">
        <span className="avatars">
          <Skeleton width={36} height={36} />
        </span>
        <Skeleton width={width} />
        <Skeleton width={90} height={10} />
      </div>
    ))}
  </Loading>
)
