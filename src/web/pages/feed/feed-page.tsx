import { lazy, Suspense } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { useChannel, useChannels } from '../../data/channels'
import { type Feed, parseFeed } from '../../data/feed'
import { usePermissions } from '../../data/me'
import { feedKey, useFeed } from '../../data/posts'
import { Button } from '../../parts/button'
import { Empty, ProblemNote } from '../../parts/states'
import { paths } from '../../paths'
import { PageTitle } from '../../shell/title'
import { Setup } from '../setup/setup'
import { FeedFilters } from './feed-filters'
import { InfiniteList, useStartCursor } from './infinite-list'
import { PostRow, PostRowSkeleton } from './post-row'

/** Its menu is not needed for the first page. */
const ChannelTools = lazy(async () => ({ default: (await import('./channel-tools')).ChannelTools }))

/** Posts of all channels or one, filtered by state, sorted by publication or last activity. */
export function FeedPage({ channelId }: { channelId?: string }) {
  const [, navigate] = useLocation()
  const query = new URLSearchParams(useSearch())
  const feed = parseFeed(query, channelId)
  const channels = useChannels()
  const channel = useChannel(channelId)
  const { writeDeniedReason } = usePermissions()
  const title = channel?.name ?? (channelId ? 'Channel' : (titlesByState[query.get('resolved') ?? ''] ?? 'Posts'))

  if (channelId && channels.data && !channel) return <NoChannel />
  const write = () => navigate(paths.newPost(channelId))
  return (
    <main className="page feed" id="main">
      <div className="feed-head">
        <div className="page-head">
          <div className="row feed-title">
            <PageTitle title={title} />
            {channel?.is_private && <span className="chip">Private</span>}
          </div>
          <div className="row">
            {channel && (
              <Suspense>
                <ChannelTools channel={channel} />
              </Suspense>
            )}
            <Button icon="plus" variant="primary" disabledReason={writeDeniedReason} onClick={write}>
              New post
            </Button>
          </div>
        </div>
        {channel?.description && (
          <p className="channel-description" dir="auto">
            {channel.description}
          </p>
        )}
        <FeedFilters query={query} />
      </div>
      {!channelId && <Setup />}
      <Posts key={JSON.stringify(feed)} feed={feed} write={write} disabledReason={writeDeniedReason} />
    </main>
  )
}

const NoChannel = () => (
  <main className="page" id="main">
    <PageTitle title="Not found" isNotFound />
    <Empty title="Channel not found" action={<Link href={paths.channels}>All channels</Link>}>
      It may have been archived, or it is private and you are not a member.
    </Empty>
  </main>
)

const titlesByState: Record<string, string> = { false: 'Open posts', true: 'Resolved posts' }

interface PostsProps {
  feed: Feed
  write(): void
  disabledReason: string | undefined
}

function Posts({ feed, write, disabledReason }: PostsProps) {
  const from = useStartCursor(feedKey(feed))
  const posts = useFeed(feed, from)
  if (posts.error && !posts.data) return <ProblemNote error={posts.error} retry={() => void posts.refetch()} />
  if (!posts.data) return <PostRowSkeleton />
  if (posts.records.length === 0 && !posts.hasPreviousPage)
    return <NoPosts feed={feed} write={write} disabledReason={disabledReason} />
  return (
    <InfiniteList name="Posts" pages={posts} skeleton={<PostRowSkeleton count={3} />}>
      {(post) => <PostRow key={post.id} post={post} isInChannel={feed.channel_id !== undefined} />}
    </InfiniteList>
  )
}

function NoPosts({ feed, write, disabledReason }: PostsProps) {
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
