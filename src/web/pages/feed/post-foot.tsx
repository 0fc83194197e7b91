import type { Post } from '../../../contract/posts'
import type { Author } from '../../../contract/shapes'
import type { PostState } from '../../../contract/unread'
import { AppMark } from '../../parts/app-mark'
import { Avatar } from '../../parts/avatar'
import { formatCount } from '../../parts/format-count'
import { Icon } from '../../parts/icon'
import { getShortName } from '../../parts/short-name'

const MAX_FACES = 3

/** What became of a post: its state, its latest comment, and who commented. Nothing if nothing happened. */
export function PostFoot({ post, state }: { post: Post; state: PostState | undefined }) {
  const count = post.comments_count
  const latest = state?.latest_comment
  if (!post.resolution && count === 0) return null
  return (
    <div className="post-foot">
      {post.resolution && <ResolvedBadge />}
      {latest && (
        <p className="latest" dir="auto">
          <Avatar of={latest.author} size={20} />
          <span>
            <b title={latest.author.name}>{getShortName(latest.author)}</b> <AppMark of={latest.author} />{' '}
            {latest.excerpt}
          </span>
        </p>
      )}
      {count > 0 && <CommentCount count={count} commenters={state?.commenters ?? []} latestId={latest?.author.id} />}
    </div>
  )
}

const ResolvedBadge = () => (
  <span className="badge good">
    <Icon name="check" size={12} />
    Resolved
  </span>
)

interface CountProps {
  count: number
  commenters: readonly Author[]
  /** Is shown beside the latest comment already. */
  latestId: string | undefined
}

function CommentCount({ count, commenters, latestId }: CountProps) {
  const others = commenters.filter(({ id }) => id !== latestId).slice(0, MAX_FACES)
  return (
    <span className="comment-count" title={formatCount(count, 'comment')}>
      {others.length > 0 && (
        <span className="faces">
          {others.map((author) => (
            <Avatar key={author.id} of={author} size={20} />
          ))}
        </span>
      )}
      <Icon name="comment" />
      <span className="count">{count.toLocaleString()}</span>
      <span className="visually-hidden"> {count === 1 ? 'comment' : 'comments'}</span>
    </span>
  )
}
