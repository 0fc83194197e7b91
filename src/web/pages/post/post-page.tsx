import { useIsFetching } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { ApiError } from '../../../client'
import type { Post } from '../../../contract/posts'
import { Composer } from '../../composer/composer'
import { findSurfaceOf } from '../../composer/surface'
import { channelPlace } from '../../data/audience'
import { keys } from '../../data/cache/keys'
import { type Check, checkPost, countCheckBoxes } from '../../data/checklists'
import { createComment, listLoadedComments, useComments, usePostIsDeleted } from '../../data/comments'
import { draftKeys } from '../../data/drafts'
import { usePermissions } from '../../data/me'
import { reopen, usePost } from '../../data/posts'
import { useReading } from '../../data/reads'
import { toggleSaved } from '../../data/saved'
import { setLevel, usePostState } from '../../data/unread'
import { Content } from '../../parts/content'
import { FollowMenu } from '../../parts/follow-menu'
import { withoutTitle } from '../../parts/html-text'
import { Empty, Loading, ProblemNote, Skeleton } from '../../parts/states'
import { paths } from '../../paths'
import { ReactionBar } from '../../reactions/reaction-bar'
import { useKeys } from '../../shell/keys'
import { PageTitle } from '../../shell/title'
import { focusQuietly } from '../../shell/use-focus-restore'
import { Comments } from './comments'
import { EditPost } from './edit-text'
import { listArticles, useLinkedComment, useScrollRestoration } from './linked-comment'
import { Details } from './post-details'
import { Byline, PostTop } from './post-head'
import { ResolutionNote, ResolveDialog } from './resolution'

type Mode = 'edit' | 'edited' | 'resolve' | undefined

/** A post with its resolution and comments. */
export default function PostPage({ id }: { id: string }) {
  const query = usePost(id)
  const { writeDeniedReason } = usePermissions()
  const [mode, setMode] = useState<Mode>()
  const isDeleted = usePostIsDeleted(id)
  const disabledReason = isDeleted ? 'The post was deleted.' : writeDeniedReason
  const lastKnown = useRef<Post>(undefined)
  if (query.data) lastKnown.current = query.data
  // One that was deleted while it is open stays.
  const isShown = isDeleted && lastKnown.current !== undefined
  const isNotFound = !isShown && query.error instanceof ApiError && query.error.status === 404
  const post = isNotFound ? undefined : lastKnown.current

  return (
    <main className="page post" id="main">
      {post && mode === 'edit' ? (
        <EditPost post={post} close={() => setMode('edited')} />
      ) : (
        <>
          {post && (
            <PostTop
              post={post}
              disabledReason={disabledReason}
              edit={() => setMode('edit')}
              resolve={() => setMode('resolve')}
              following={<Following postId={post.id} />}
            />
          )}
          <PostTitle post={post} isNotFound={isNotFound} />
        </>
      )}
      {post ? (
        <OpenPost post={post} isDeleted={isDeleted} disabledReason={disabledReason} mode={mode} setMode={setMode} />
      ) : isNotFound ? (
        <Empty title="Post not found" action={<Link href={paths.posts}>All posts</Link>}>
          It may have been deleted, or it is in a channel that you can't see.
        </Empty>
      ) : query.error ? (
        <ProblemNote error={query.error} retry={() => void query.refetch()} />
      ) : (
        <PostSkeleton />
      )}
    </main>
  )
}

const PostTitle = ({ post, isNotFound }: { post: Post | undefined; isNotFound: boolean }) => (
  <PageTitle title={post?.title ?? (isNotFound ? 'Not found' : 'Post')} isNotFound={isNotFound}>
    {post || isNotFound ? undefined : <Skeleton width="60%" height={24} />}
  </PageTitle>
)

interface OpenProps {
  post: Post
  isDeleted: boolean
  disabledReason: string | undefined
  mode: Mode
  setMode(mode: Mode): void
}

function OpenPost({ post, isDeleted, disabledReason, mode, setMode }: OpenProps) {
  const closeForm = () => setMode(undefined)
  const isLoaded = useComments(post.id).data !== undefined
  const firstUnreadId = useFirstUnread(post)
  const shown = useLinkedComment(post.id, isLoaded)
  useScrollRestoration(post.id, isLoaded)
  usePostKeys(post, disabledReason, () => setMode('resolve'))

  return (
    <>
      {mode !== 'edit' && <Byline post={post} isLoaded={isLoaded} />}
      <Details post={post} />
      <div className="post-body">
        <div role="status">
          {isDeleted && (
            <p className="problem">
              This post was deleted. <Link href={paths.channel(post.channel.id)}>Go to #{post.channel.name}</Link>
            </p>
          )}
        </div>
        <ResolutionNote post={post} isLoaded={isLoaded} disabledReason={disabledReason} />
        {mode !== 'edit' && (
          <>
            <PostArticle post={post} takesFocus={mode === 'edited'} />
            <ReactionBar subjectId={post.id} disabledReason={disabledReason} hasButton />
          </>
        )}
        {shown?.isMissing && <p className="meta">The linked comment no longer exists.</p>}
        <Comments post={post} firstUnreadId={firstUnreadId} linkedId={shown?.id} disabledReason={disabledReason} />
        <Composer
          draftKey={draftKeys.comment(post.id)}
          label="Comment"
          submitLabel="Comment"
          noun="comment"
          placeholder="Write a comment…"
          clearOnSubmit
          audience={channelPlace(post.channel, post.id)}
          disabledReason={disabledReason}
          onSubmit={(markdown, key) => createComment(post, null, markdown, key)}
        />
      </div>
      {mode === 'resolve' && <ResolveDialog post={post} close={closeForm} />}
    </>
  )
}

const PostSkeleton = () => (
  <div className="post-body">
    <Loading what="the post">
      <div className="comment-skeleton">
        <Skeleton width={260} />
        <Skeleton />
        <Skeleton width="94%" />
        <Skeleton width="70%" />
      </div>
    </Loading>
  </div>
)

/** How the member follows a post. */
const Following = ({ postId }: { postId: string }) => (
  <FollowMenu level={usePostState(postId).data?.level} choose={(level) => void setLevel(postId, level)} />
)

/** The content of a post. Once it was edited, it takes the focus. */
function PostArticle({ post, takesFocus }: { post: Post; takesFocus: boolean }) {
  const article = useRef<HTMLElement>(null)
  useEffect(() => {
    if (takesFocus) focusQuietly(article.current!)
  }, [takesFocus])
  const { canChange } = usePermissions()
  const html = withoutTitle(post)
  const canCheck = countCheckBoxes(html) > 0 && canChange(post.author)
  // The title may have been the first item.
  const hidden = countCheckBoxes(post.content) - countCheckBoxes(html)
  const toWhole = (check: Check) => ({ ...check, item: check.item + hidden })
  return (
    <article ref={article} tabIndex={-1} aria-label="Post">
      <Content html={html} onCheck={canCheck ? (check) => void checkPost(post, toWhole(check)) : undefined} />
    </article>
  )
}

/** Reads the post while it is shown. Returns the first comment that was unread when it was opened. */
function useFirstUnread(post: Post): string | undefined {
  const state = usePostState(post.id)
  const comments = useComments(post.id)
  const isLoading = useIsFetching({ queryKey: keys.commentsOf(post.id) }) > 0
  const isShown = comments.data !== undefined && !isLoading
  const lastId = findLast(post.id, state.data?.latest_comment)
  return useReading({ subjectId: post.id, state, isShown, lastId, lastActivityAt: post.last_activity_at })
}

/** The last comment there is, on whichever page. */
function findLast(postId: string, latest: { id: string; created_at: string } | null | undefined): string | undefined {
  return [...listLoadedComments(postId), ...(latest ? [latest] : [])].reduce<typeof latest>(
    (last, comment) => (last && last.created_at > comment.created_at ? last : comment),
    undefined,
  )?.id
}

/** Moves the focus from comment to comment. */
function moveFocus(by: 1 | -1) {
  const all = [...listArticles(document)]
  const at = all.findIndex((article) => article.contains(document.activeElement))
  const findShown = () => all.findIndex((article) => article.getBoundingClientRect().top >= 0)
  const next = all[at < 0 ? findShown() : Math.min(all.length - 1, Math.max(0, at + by))]
  next?.focus({ preventScroll: true })
  next?.scrollIntoView({ block: 'nearest' })
}

const write = () => findSurfaceOf('Comment')?.focus()

/** Replies to the focused comment, or to the parent of the focused reply; otherwise writes a comment. */
function reply() {
  const comment = document.activeElement?.closest('.comments > ol > li')
  const button = comment?.querySelector<HTMLElement>('[data-do=reply]')
  if (button) button.click()
  else write()
}

/** Opens the emoji picker of the focused comment, or otherwise of the post. */
function react() {
  const scope = document.activeElement?.closest('.comments li > article') ?? document
  scope.querySelector<HTMLElement>('[data-do=react]')?.click()
}

function usePostKeys(post: Post, disabledReason: string | undefined, resolve: () => void) {
  useKeys('On a post', {
    j: { label: 'Next comment', run: () => moveFocus(1) },
    k: { label: 'Previous comment', run: () => moveFocus(-1) },
    c: { label: 'Comment', run: write },
    r: { label: 'Reply', run: reply },
    '+': { label: 'Add reaction', run: react },
    s: { label: 'Save, or remove from saved', run: () => void toggleSaved(post) },
    ...(!disabledReason && {
      e: post.resolution ? { label: 'Reopen', run: () => void reopen(post) } : { label: 'Resolve', run: resolve },
    }),
  })
}
