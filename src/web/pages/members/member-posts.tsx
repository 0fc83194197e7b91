import type { Member } from '../../../contract/members'
import { feedKey, useFeed } from '../../data/posts'
import { formatCount } from '../../parts/format-count'
import { ProblemNote } from '../../parts/states'
import { InfiniteList, useStartCursor } from '../feed/infinite-list'
import { PostRow, PostRowSkeleton } from '../feed/post-row'

/** What a member has posted in channels the viewer can see, newest first. */
export function MemberPosts({ member }: { member: Member }) {
  const feed = { author_id: member.id, sort: 'published_at' } as const
  const posts = useFeed(feed, useStartCursor(feedKey(feed)))
  const total = posts.data?.pages[0]?.total_count
  return (
    <section aria-label="Posts" className="member-posts">
      <h2>Posts {total !== undefined && <span className="meta count">{total.toLocaleString()}</span>}</h2>
      {posts.error && !posts.data && <ProblemNote error={posts.error} retry={() => void posts.refetch()} />}
      {!posts.data && !posts.error && <PostRowSkeleton count={3} />}
      {total === 0 && <p className="meta">{member.user.display_name} has not posted anything you can see.</p>}
      {posts.records.length > 0 && (
        <InfiniteList name={formatCount(total ?? 0, 'post')} pages={posts} skeleton={<PostRowSkeleton count={3} />}>
          {(post) => <PostRow key={post.id} post={post} isInChannel={false} />}
        </InfiniteList>
      )}
    </section>
  )
}
