import { type FocusEvent, memo, type PointerEvent, type ReactNode, Suspense, useState } from 'react'
import { Link } from 'wouter'
import type { Post } from '../../../contract/posts'
import type { Author } from '../../../contract/shapes'
import type { PostState } from '../../../contract/unread'
import { usePostState } from '../../data/unread'
import { AppMark } from '../../parts/app-mark'
import { Avatar } from '../../parts/avatar'
import { Button } from '../../parts/button'
import { formatCount } from '../../parts/format-count'
import { toExcerpt, withoutTitle } from '../../parts/html-text'
import { Icon } from '../../parts/icon'
import { lazyLoad } from '../../parts/lazy-load'
import { getShortName } from '../../parts/short-name'
import { Loading, Skeleton } from '../../parts/states'
import { Time } from '../../parts/time'
import { paths } from '../../paths'

interface Props {
  post: Post
  isInChannel: boolean
  /** More facts about the post. */
  note?: ReactNode
}

/** A post in a list. The whole row is a link. In a long list, only the rows that changed are rendered. */
export const PostRow = memo(function PostRow({ post, isInChannel, note }: Props) {
  const state = usePostState(post.id).data ?? undefined
  const [isUsed, handlers] = useRowIsUsed()
  const isUnread = state?.is_unread
  const excerpt = toExcerpt(withoutTitle(post))
  return (
    <li id={post.id} className={`post-row ${isUnread ? 'unread' : ''} ${isUsed ? 'used' : ''}`} {...handlers}>
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
      <PostActions post={post} isUsed={isUsed} />
    </li>
  )
})

/** Whether the pointer or the focus is in a row, or its menu is open. Scrolling alone, below a pointer at rest, does not count. */
function useRowIsUsed() {
  const [isUsed, setUsed] = useState(false)
  const use = () => setUsed(true)
  const leave = ({ currentTarget: row, relatedTarget }: FocusEvent<HTMLElement> | PointerEvent<HTMLElement>) => {
    const isElsewhere = !(relatedTarget instanceof Node && row.contains(relatedTarget))
    if (isElsewhere && !row.matches(':focus-within, :has([aria-expanded=true])')) setUsed(false)
  }
  return [isUsed, { onPointerMove: use, onFocus: use, onPointerLeave: leave, onBlur: leave }] as const
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

const RowMenu = lazyLoad(async () => ({ default: (await import('./row-actions')).RowMenu }), 'soon')
const QuickActions = lazyLoad(async () => ({ default: (await import('./row-actions')).QuickActions }), 'soon')

interface ActionsProps {
  post: Post
  isUsed: boolean
}

/**
 * Actions on a post in the feed. The button of the menu, which has all of them, is always there for screen readers, the keyboard
 * and touch; the others only while the row is used, and the menu once it is opened: a long list would have hundreds.
 */
function PostActions({ post, isUsed }: ActionsProps) {
  const [isMenuOpened, setMenuOpened] = useState(false)
  const menuButton = (
    <Button
      icon="dots"
      variant="plain"
      label={`Actions for ${post.title}`}
      aria-haspopup="menu"
      onClick={() => setMenuOpened(true)}
    />
  )
  return (
    <div className="row-actions">
      {isUsed && (
        <Suspense>
          <QuickActions post={post} />
        </Suspense>
      )}
      {isMenuOpened ? (
        <Suspense fallback={menuButton}>
          <RowMenu post={post} />
        </Suspense>
      ) : (
        menuButton
      )}
    </div>
  )
}

const MAX_FACES = 3

/** What became of a post: its state, its latest comment, and who commented. Nothing if nothing happened. */
function PostFoot({ post, state }: { post: Post; state: PostState | undefined }) {
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

export const ResolvedBadge = () => (
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
