import { Suspense, useState } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import type { Pin } from '../../../contract/pins'
import { keys } from '../../data/cache/keys'
import { useQueue } from '../../data/cache/queue'
import { useChannel, useIsInNoChannel } from '../../data/channels'
import { type Feed, parseFeed } from '../../data/feed'
import { usePermissions } from '../../data/me'
import { useFeed, usePins } from '../../data/posts'
import { useReadAdded } from '../../data/reads'
import { useFirstSteps } from '../../data/setup'
import { useNeedsSetup } from '../../data/workspace'
import { Button } from '../../parts/button'
import { Icon } from '../../parts/icon'
import { lazyLoad } from '../../parts/lazy-load'
import { Empty, ProblemNote } from '../../parts/states'
import { paths } from '../../paths'
import { FeedFilters } from './feed-filters'
import { FeedHead, NoChannel } from './feed-head'
import { InfiniteList, useStartCursor } from './infinite-list'
import { PostRow, PostRowSkeleton, ResolvedBadge } from './post-row'
import { useSaveKey } from './use-save-key'

/** Posts of all channels or one, filtered by state, sorted by publication or last activity. */
export function FeedPage({ channelId }: { channelId?: string }) {
  const [, navigate] = useLocation()
  const query = new URLSearchParams(useSearch())
  const feed = parseFeed(query, channelId)
  const { channel, isMissing } = useChannel(channelId)
  const pins = usePins(channelId)
  useReadAdded(channelId)
  const { writeDeniedReason } = usePermissions()
  const title = channel?.name ?? (channelId ? 'Channel' : (titlesByState[query.get('resolved') ?? ''] ?? 'Posts'))

  if (isMissing) return <NoChannel />
  const write = () => navigate(paths.newPost(channelId))
  return (
    <main className="page feed" id="main">
      <FeedHead title={title} channel={channel}>
        <FeedFilters query={query} channelId={channelId} />
      </FeedHead>
      {!channelId && <Setup />}
      <PinnedPosts pins={pins.data ?? []} />
      {!feed.resolved && <WaitingPosts channelId={channelId} />}
      <Posts
        key={JSON.stringify(feed)}
        feed={feed}
        isWaiting={pins.isLoading}
        write={write}
        disabledReason={writeDeniedReason}
      />
    </main>
  )
}

/** The posts that are published when there is a connection. */
function WaitingPosts({ channelId }: { channelId: string | undefined }) {
  const entries = useQueue().filter(({ kind, subjectId }) => kind === 'post' && (channelId ?? subjectId) === subjectId)
  if (entries.length === 0) return null
  return (
    <Suspense>
      <WaitingPostRows entries={entries} isInChannel={channelId !== undefined} />
    </Suspense>
  )
}

const titlesByState: Record<string, string> = { false: 'Open posts', true: 'Resolved posts' }

interface PostsProps {
  /** Whether something above the posts is still loading. If they were shown, they would move. */
  isWaiting: boolean
  feed: Feed
  write(): void
  disabledReason: string | undefined
}

function Posts({ feed, isWaiting, write, disabledReason }: PostsProps) {
  const from = useStartCursor(keys.feed(feed))
  const posts = useFeed(feed, from)
  useSaveKey(posts.records)
  if (posts.error && !posts.data) return <ProblemNote error={posts.error} retry={() => void posts.refetch()} />
  if (!posts.data || isWaiting) return <PostRowSkeleton />
  if (posts.records.length === 0 && !posts.hasPreviousPage)
    return <NoPosts feed={feed} write={write} disabledReason={disabledReason} />
  return (
    <InfiniteList name="Posts" pages={posts} skeleton={<PostRowSkeleton count={3} />}>
      {(post) => <PostRow key={post.id} post={post} isInChannel={feed.channel_id !== undefined} />}
    </InfiniteList>
  )
}

function NoPosts({ feed, write, disabledReason }: Omit<PostsProps, 'isWaiting'>) {
  const isInNoChannel = useIsInNoChannel()
  if (isInNoChannel)
    return (
      <Empty title="You are not in a channel yet">
        Posts are in channels. Ask whoever invited you, or an admin, to add you to one: it will be in your inbox and in
        the sidebar then.
      </Empty>
    )
  if (feed.resolved) return <Empty title="No resolved posts yet">Posts appear here once they are resolved.</Empty>
  if (feed.resolved === false) return <Empty title="No open posts">Every post is resolved.</Empty>
  return (
    <Empty
      title="No posts yet"
      action={disabledReason ? undefined : <Button onClick={write}>Write the first post</Button>}
    >
      Ask a question, share a decision or post some news.
    </Empty>
  )
}

/** If there are more, the rest is folded. */
const MAX_SHOWN = 3

/** The pinned posts at the top of a channel. */
function PinnedPosts({ pins }: { pins: readonly Pin[] }) {
  const [isOpen, setOpen] = useState(false)
  if (pins.length === 0) return null
  const shown = isOpen ? pins : pins.slice(0, MAX_SHOWN)
  return (
    <section className="pins" aria-label="Pinned posts">
      <ul>
        {shown.map(({ post, pinned_by }) => (
          <li key={post.id} title={`Pinned by ${pinned_by.name}`}>
            <Icon name="pin" />
            <Link href={paths.post(post.id)} dir="auto">
              {post.title}
            </Link>
            {post.resolution && <ResolvedBadge />}
            <span className="pin-author">{post.author.name}</span>
          </li>
        ))}
      </ul>
      {pins.length > MAX_SHOWN && (
        <Button variant="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Show fewer' : `Show all ${pins.length}`}
        </Button>
      )}
    </section>
  )
}

const WaitingPostRows = lazyLoad(
  async () => ({ default: (await import('../../shell/waiting-list')).WaitingPostRows }),
  'soon',
)

const Checklist = lazyLoad(() => import('../setup/checklist'))
const FirstSteps = lazyLoad(() => import('../setup/first-steps'))

/** The checklist of a new workspace, or what a new member sets up, where it is needed. Its code is loaded only then. */
function Setup() {
  const needsSetup = useNeedsSetup()
  const setup = useFirstSteps()
  if (!needsSetup && !setup) return null
  return <Suspense>{needsSetup ? <Checklist /> : <FirstSteps setup={setup!} />}</Suspense>
}
