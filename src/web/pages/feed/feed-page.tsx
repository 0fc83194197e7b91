import { useLocation, useSearch } from 'wouter'
import { useChannel, useChannels } from '../../data/channels'
import { type Feed, parseFeed } from '../../data/feed'
import { usePermissions } from '../../data/me'
import { usePins } from '../../data/pins'
import { feedKey, useFeed } from '../../data/posts'
import { Button } from '../../parts/button'
import { Empty, ProblemNote } from '../../parts/states'
import { paths } from '../../paths'
import { Setup } from '../setup/setup'
import { FeedFilters } from './feed-filters'
import { FeedHead, NoChannel } from './feed-head'
import { InfiniteList, useStartCursor } from './infinite-list'
import { PinnedPosts } from './pinned-posts'
import { PostRow, PostRowSkeleton } from './post-row'
import { useSaveKey } from './use-save-key'

/** Posts of all channels or one, filtered by state, sorted by publication or last activity. */
export function FeedPage({ channelId }: { channelId?: string }) {
  const [, navigate] = useLocation()
  const query = new URLSearchParams(useSearch())
  const feed = parseFeed(query, channelId)
  const channels = useChannels()
  const channel = useChannel(channelId)
  const pins = usePins(channelId)
  const { writeDeniedReason } = usePermissions()
  const title = channel?.name ?? (channelId ? 'Channel' : (titlesByState[query.get('resolved') ?? ''] ?? 'Posts'))

  if (channelId && channels.data && !channel) return <NoChannel />
  const write = () => navigate(paths.newPost(channelId))
  return (
    <main className="page feed" id="main">
      <FeedHead title={title} channel={channel}>
        <FeedFilters query={query} channelId={channelId} />
      </FeedHead>
      {!channelId && <Setup />}
      <PinnedPosts pins={pins.data ?? []} />
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

const titlesByState: Record<string, string> = { false: 'Open posts', true: 'Resolved posts' }

interface PostsProps {
  /** Whether something above the posts is still loading. If they were shown, they would move. */
  isWaiting: boolean
  feed: Feed
  write(): void
  disabledReason: string | undefined
}

function Posts({ feed, isWaiting, write, disabledReason }: PostsProps) {
  const from = useStartCursor(feedKey(feed))
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
  if (feed.resolved) return <Empty title="No resolved posts yet">Posts appear here once they are resolved.</Empty>
  if (feed.resolved === false) return <Empty title="No open posts">Every post is resolved.</Empty>
  return (
    <Empty
      title="No posts yet"
      action={
        <Button disabledReason={disabledReason} onClick={write}>
          Write the first post
        </Button>
      }
    >
      Ask a question, share a decision or post some news.
    </Empty>
  )
}
