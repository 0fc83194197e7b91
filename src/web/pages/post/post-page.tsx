import { useRef, useState } from 'react'
import { Link } from 'wouter'
import { ApiError } from '../../../client'
import type { Post } from '../../../contract/posts'
import { Composer } from '../../composer/composer'
import { createComment, usePostIsDeleted } from '../../data/commenting'
import { useComments } from '../../data/comments'
import { draftKeys } from '../../data/drafts'
import { usePermissions } from '../../data/me'
import { usePost } from '../../data/posts'
import { Empty, Loading, ProblemNote, Skeleton } from '../../parts/states'
import { paths } from '../../paths'
import { ReactionBar } from '../../reactions/reaction-bar'
import { PageTitle } from '../../shell/title'
import { Comments } from './comments'
import { Following } from './following'
import { useLinkedComment, useScrollRestoration } from './linked-comment'
import { PostArticle } from './post-article'
import { Details } from './post-details'
import { Byline, PostTop } from './post-head'
import { ResolutionNote, ResolveDialog } from './resolution'
import { useFirstUnread } from './use-first-unread'
import { usePostKeys } from './use-post-keys'

type Mode = 'edit' | 'resolve' | undefined

/** A post with its resolution and comments. */
export default function PostPage({ id }: { id: string }) {
  const query = usePost(id)
  const { writeDeniedReason } = usePermissions()
  const [mode, setMode] = useState<Mode>()
  const isDeleted = usePostIsDeleted(id)
  const disabledReason = isDeleted ? 'The post was deleted.' : writeDeniedReason
  const lastKnown = useRef<Post>(undefined)
  if (query.data) lastKnown.current = query.data
  const isNotFound = !isDeleted && query.error instanceof ApiError && query.error.status === 404
  const post = isNotFound ? undefined : lastKnown.current

  return (
    <main className="page post" id="main">
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
      <Byline post={post} isLoaded={isLoaded} />
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
        <PostArticle post={post} isEditing={mode === 'edit'} close={closeForm} />
        {mode !== 'edit' && <ReactionBar subjectId={post.id} disabledReason={disabledReason} hasButton />}
        {shown?.isMissing && <p className="meta">The linked comment no longer exists.</p>}
        <Comments post={post} firstUnreadId={firstUnreadId} linkedId={shown?.id} disabledReason={disabledReason} />
        <Composer
          draftKey={draftKeys.comment(post.id)}
          label="Comment"
          submitLabel="Comment"
          noun="comment"
          placeholder="Write a comment…"
          clearOnSubmit
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
