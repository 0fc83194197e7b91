import { Link } from 'wouter'
import type { Post } from '../../../contract/posts'
import { useMe } from '../../data/me'
import { useUnread } from '../../data/visits'
import { Avatar } from '../../parts/avatar'
import { toExcerpt } from '../../parts/content'
import { formatCount } from '../../parts/format-count'
import { Icon } from '../../parts/icon'
import { Loading, Skeleton } from '../../parts/states'
import { Time } from '../../parts/time'
import { paths } from '../../paths'
import { PostActions } from './post-actions'

/** A post in the feed. The whole row is a link. */
export function PostRow({ post, isInChannel }: { post: Post; isInChannel: boolean }) {
  const { author: me } = useMe()
  const isOwnNews = post.author.id === me.id && post.last_activity_at === post.created_at
  const isUnread = useUnread()(post) && !isOwnNews
  return (
    <li id={post.id} className={`post-row ${post.resolution ? 'resolved' : ''} ${isUnread ? 'unread' : ''}`}>
      <p className="meta row">
        <Avatar of={post.author} size={20} />
        <span className="who">{post.author.name}</span>
        {!isInChannel && (
          <span>
            in <Link href={paths.channel(post.channel.id)}>{post.channel.name}</Link>
          </span>
        )}
        <Time at={post.created_at} />
      </p>
      <h2>
        {isUnread && <span className="dot" role="img" aria-label="Unread" />}
        <Link href={paths.post(post.id)} data-row>
          {post.title}
        </Link>
      </h2>
      <p className="excerpt">{toExcerpt(post.content)}</p>
      <p className="meta row">
        {post.resolution && (
          <span className="good row">
            <Icon name="check" /> Resolved
          </span>
        )}
        <span className="count">{formatCount(post.comments_count, 'comment')}</span>
        {post.comments_count > 0 && (
          <span>
            last activity <Time at={post.last_activity_at} />
          </span>
        )}
      </p>
      <PostActions post={post} />
    </li>
  )
}

export const PostRowSkeleton = ({ count = 6 }: { count?: number }) => (
  <Loading what="posts">
    <ol className="infinite-list">
      {Array.from({ length: count }, (_, at) => (
        <li key={at} className="post-row">
          <Skeleton width={220} />
          <Skeleton width={`${70 - (at % 3) * 12}%`} height={18} />
          <Skeleton width="92%" />
          <Skeleton width={120} />
        </li>
      ))}
    </ol>
  </Loading>
)
