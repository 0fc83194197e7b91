import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Post } from '../../../contract/posts'
import { usePostState } from '../../data/states'
import { AppMark } from '../../parts/app-mark'
import { Avatar } from '../../parts/avatar'
import { toExcerpt } from '../../parts/content'
import { formatCount } from '../../parts/format-count'
import { withoutTitle } from '../../parts/html-text'
import { Icon } from '../../parts/icon'
import { Loading, Skeleton } from '../../parts/states'
import { Time } from '../../parts/time'
import { paths } from '../../paths'
import { PostActions } from './post-actions'
import { PostFoot } from './post-foot'

interface Props {
  post: Post
  isInChannel: boolean
  /** More facts about the post. */
  note?: ReactNode
}

/** A post in a list. The whole row is a link. */
export function PostRow({ post, isInChannel, note }: Props) {
  const state = usePostState(post.id).data ?? undefined
  const isUnread = state?.is_unread
  const excerpt = toExcerpt(withoutTitle(post))
  return (
    <li id={post.id} className={`post-row ${isUnread ? 'unread' : ''}`}>
      {isUnread && <span className="dot" role="img" aria-label="Unread" />}
      <Avatar of={post.author} size={36} />
      <div className="post-row-body">
        <p className="byline">
          <span className="who">{post.author.name}</span>
          <AppMark of={post.author} />
          {!isInChannel && (
            <span>
              in <Link href={paths.channel(post.channel.id)}>#{post.channel.name}</Link>
            </span>
          )}
          <FileCount of={post.content} />
          <Time at={post.created_at} isShort />
        </p>
        <h2 dir="auto">
          <Link href={paths.post(post.id)} data-row>
            {post.title}
          </Link>
        </h2>
        {excerpt && (
          <p className="excerpt" dir="auto">
            {excerpt}
          </p>
        )}
        {note}
        <PostFoot post={post} state={state} />
      </div>
      <PostActions post={post} />
    </li>
  )
}

/** Shows that the post has files. */
function FileCount({ of }: { of: string }) {
  const count = of.split(' data-file="').length - 1
  return count > 0 ? (
    <span className="post-files" title={formatCount(count, 'file')}>
      <Icon name="paperclip" size={14} />
      <span className="visually-hidden">{formatCount(count, 'file')}</span>
    </span>
  ) : null
}

export const PostRowSkeleton = ({ count = 6 }: { count?: number }) => (
  <Loading what="posts">
    {Array.from({ length: count }, (_, at) => (
      <div key={at} className="post-skeleton">
        <div className="skeleton round" />
        <div>
          <Skeleton width={120} />
          <Skeleton width={`${65 - (at % 3) * 10}%`} height={16} />
          <Skeleton />
          <Skeleton width="88%" />
        </div>
      </div>
    ))}
  </Loading>
)
