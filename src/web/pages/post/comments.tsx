import { Fragment, memo, useMemo, useRef, useState } from 'react'
import type { Comment } from '../../../contract/comments'
import type { Post } from '../../../contract/posts'
import { PendingNote } from '../../composer/pending-note'
import { showListEnd, useComments, usePendingComments, useReplies } from '../../data/comments'
import { Avatar } from '../../parts/avatar'
import { Button } from '../../parts/button'
import { Content } from '../../parts/content'
import { formatCount } from '../../parts/format-count'
import { NewDivider } from '../../parts/new-divider'
import { notifyProblem } from '../../parts/notices'
import { Loading, ProblemNote, Skeleton } from '../../parts/states'
import { useNearPages, useNearViewport } from '../../parts/use-near-viewport'
import { useRowAnchor } from '../../parts/use-row-anchor'
import { CommentItem, type Shared } from './comment-item'
import { goToComment, listArticles } from './linked-comment'

interface Props {
  post: Post
  /** The comment or reply above which “New” is shown. */
  firstUnreadId?: string
  /** The comment that the URL points to. */
  linkedId: string | undefined
  disabledReason: string | undefined
}

/** The comments of a post, oldest first. Further pages load while scrolling, in both directions. */
export function Comments({ post, firstUnreadId, linkedId, disabledReason }: Props) {
  const comments = useComments(post.id)
  const { before, after } = useNearPages(comments)
  const section = useRef<HTMLElement>(null)
  useRowAnchor(section, listArticles, comments.data)
  const shared = useShared({ post, firstUnreadId, linkedId, disabledReason })

  return (
    <section ref={section} className="comments" aria-labelledby="comments">
      <div className="spread">
        <h2 id="comments">{post.comments_count > 0 ? formatCount(post.comments_count, 'comment') : 'Comments'}</h2>
        <div className="row">
          {comments.hasPreviousPage && <GoTo post={post} end="first" />}
          {comments.hasNextPage && <GoTo post={post} end="newest" />}
        </div>
      </div>
      {comments.error && !comments.data && <ProblemNote error={comments.error} retry={() => void comments.refetch()} />}
      {comments.isPending && post.comments_count > 0 && <CommentSkeleton count={Math.min(3, post.comments_count)} />}
      {comments.data && comments.records.length === 0 && <p className="meta">No comments yet</p>}
      <div ref={before} />
      <ol>
        {comments.records.map((comment) => (
          <TopComment key={comment.id} comment={comment} {...shared} />
        ))}
      </ol>
      <Pending postId={post.id} parentId={null} />
      {comments.isFetchingNextPage && <CommentSkeleton count={2} />}
      {comments.isFetchNextPageError && (
        <ProblemNote error={comments.error} retry={() => void comments.fetchNextPage()} />
      )}
      <div ref={after} />
    </section>
  )
}

/** What all comments need, the same as long as nothing of it changes. The post changes with each comment, so it is asked for. */
function useShared({ post, firstUnreadId, linkedId, disabledReason }: Props): Shared {
  const latest = useRef(post)
  latest.current = post
  const answerId = post.resolution?.resolved_comment?.id
  return useMemo(
    () => ({ getPost: () => latest.current, answerId, firstUnreadId, linkedId, disabledReason }),
    [answerId, firstUnreadId, linkedId, disabledReason],
  )
}

/** A comment with its replies. In a long list, only those that changed are rendered. */
const TopComment = memo(function TopComment({ comment, ...shared }: Shared & { comment: Comment }) {
  return (
    <>
      {comment.id === shared.firstUnreadId && <NewDivider />}
      <CommentItem comment={comment} {...shared}>
        {comment.replies_count > 0 ? (
          <Replies parent={comment} {...shared} />
        ) : (
          <Pending postId={comment.subject_id} parentId={comment.id} className="replies" />
        )}
      </CommentItem>
    </>
  )
})

/** A shortcut in long lists. */
const GoTo = ({ post, end }: { post: Post; end: 'first' | 'newest' }) => (
  <Button
    variant="plain"
    onClick={() =>
      void showListEnd(post.id, end).then(
        (id) => void (id && goToComment(post.id, id)),
        (error) => notifyProblem("Couldn't load the comments.", error),
      )
    }
  >
    Go to {end}
  </Button>
)

/** The replies to a comment, loaded when it comes near the window. */
function Replies({ parent, ...shared }: Shared & { parent: Comment }) {
  const [isNear, setNear] = useState(false)
  const replies = useReplies(parent, isNear)
  const sight = useNearViewport(!replies.data && !isNear, () => setNear(true))
  const left = parent.replies_count - replies.records.length
  return (
    <div ref={sight} className="replies">
      {replies.error && !replies.data && <ProblemNote error={replies.error} retry={() => void replies.refetch()} />}
      {!replies.data && !replies.error && <CommentSkeleton count={parent.replies_count} />}
      {replies.hasPreviousPage && (
        <Button variant="plain" onClick={() => void replies.fetchPreviousPage()}>
          Show earlier replies
        </Button>
      )}
      <ol>
        {replies.records.map((reply) => (
          <Fragment key={reply.id}>
            {reply.id === shared.firstUnreadId && <NewDivider />}
            <CommentItem comment={reply} {...shared} />
          </Fragment>
        ))}
      </ol>
      <Pending postId={parent.subject_id} parentId={parent.id} />
      {replies.hasNextPage && (
        <Button variant="plain" onClick={() => void replies.fetchNextPage()}>
          {replies.isFetchingNextPage ? 'Loading…' : `Show more replies (${left.toLocaleString()})`}
        </Button>
      )}
    </div>
  )
}

/** What the member has written and the server has not confirmed yet. */
function Pending({ postId, parentId, className }: { postId: string; parentId: string | null; className?: string }) {
  const pending = usePendingComments(postId, parentId)
  if (pending.length === 0) return null
  return (
    <ol className={className}>
      {pending.map(({ comment, entry }) => (
        <li key={comment.id} className="comment pending">
          <article aria-label={`${parentId ? 'Reply' : 'Comment'} by ${comment.author.name}`}>
            <Avatar of={comment.author} size={28} />
            <div>
              <header className="meta row">
                <span className="who">{comment.author.name}</span>
              </header>
              <Content html={comment.content} />
              <PendingNote entry={entry} />
            </div>
          </article>
        </li>
      ))}
    </ol>
  )
}

const CommentSkeleton = ({ count }: { count: number }) => (
  <Loading what="comments">
    <div className="comment-skeleton">
      {Array.from({ length: Math.min(count, 50) }, (_, at) => (
        <div key={at}>
          <Skeleton width={180} />
          <Skeleton width={`${84 - (at % 3) * 14}%`} />
        </div>
      ))}
    </div>
  </Loading>
)
