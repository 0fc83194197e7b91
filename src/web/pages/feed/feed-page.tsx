import { Link, useLocation, useSearch } from 'wouter'
import { useChannel, useChannels } from '../../data/channels'
import { usePermissions } from '../../data/me'
import { type Feed, feedKey, useFeed } from '../../data/posts'
import { Button } from '../../parts/button'
import { Empty, ProblemNote } from '../../parts/states'
import { paths, withQuery } from '../../paths'
import { PageTitle } from '../../shell/title'
import { ChannelTools } from './channel-tools'
import { InfiniteList, useStartCursor } from './infinite-list'
import { PostRow, PostRowSkeleton } from './post-row'

/** Posts of all channels or one, filtered by state, sorted by publication or last activity. */
export function FeedPage({ channelId }: { channelId?: string }) {
  const [path, navigate] = useLocation()
  const query = new URLSearchParams(useSearch())
  const feed = parseFeed(query, channelId)
  const channels = useChannels()
  const channel = useChannel(channelId)
  const { writeDeniedReason } = usePermissions()
  const title = channel?.name ?? (channelId ? 'Channel' : (titlesByState[query.get('resolved') ?? ''] ?? 'All posts'))

  if (channelId && channels.data && !channel) return <NoChannel />
  const write = () => navigate(paths.newPost(channelId))
  return (
    <main className="page" id="main">
      <div className="page-head">
        <PageTitle title={title} />
        <div className="row">
          {channel && <ChannelTools channel={channel} />}
          <Button icon="plus" disabledReason={writeDeniedReason} onClick={write}>
            New post
          </Button>
        </div>
      </div>
      <FeedFilters path={path} query={query} />
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

function parseFeed(query: URLSearchParams, channel_id: string | undefined): Feed {
  const resolved = query.get('resolved')
  return {
    ...(channel_id && { channel_id }),
    ...(resolved && { resolved: resolved === 'true' }),
    sort: query.get('sort') === 'activity' ? 'last_activity_at' : 'published_at',
  }
}

/** The filters are in the URL. */
function FeedFilters({ path, query }: { path: string; query: URLSearchParams }) {
  const [, navigate] = useLocation()
  const choose = (name: string, value: string) => {
    const next = new URLSearchParams(query)
    if (value) next.set(name, value)
    else next.delete(name)
    navigate(withQuery(path, next))
  }
  const choice = (label: string, name: string, options: [string, string][]) => (
    <fieldset className="tabs">
      <legend className="visually-hidden">{label}</legend>
      {options.map(([value, text]) => (
        <button
          key={value}
          type="button"
          className="tab"
          aria-current={(query.get(name) ?? '') === value ? 'true' : undefined}
          onClick={() => choose(name, value)}
        >
          {text}
        </button>
      ))}
    </fieldset>
  )
  return (
    <div className="spread filters">
      {choice('Status', 'resolved', [
        ['', 'All'],
        ['false', 'Open'],
        ['true', 'Resolved'],
      ])}
      {choice('Sort by', 'sort', [
        ['', 'Newest'],
        ['activity', 'Last activity'],
      ])}
    </div>
  )
}

function Posts({ feed, write, disabledReason }: { feed: Feed; write(): void; disabledReason: string | undefined }) {
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

function NoPosts({ feed, write, disabledReason }: { feed: Feed; write(): void; disabledReason: string | undefined }) {
  if (feed.resolved) return <Empty title="No resolved posts yet">Posts appear here once they are resolved.</Empty>
  if (feed.resolved === false) return <Empty title="No open posts">Every post is resolved.</Empty>
  return (
    <Empty
      title="No posts yet"
      action={
        <Button variant="primary" icon="plus" disabledReason={disabledReason} onClick={write}>
          Write the first post
        </Button>
      }
    >
      Post a question, a decision or news for others to comment on.
    </Empty>
  )
}
