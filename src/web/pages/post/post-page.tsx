import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { ParleyError } from '../../../client'
import type { Post } from '../../../contract/posts'
import { Composer } from '../../composer/composer'
import { createComment, usePostIsDeleted } from '../../data/commenting'
import { useComments } from '../../data/comments'
import { usePermissions } from '../../data/me'
import { usePost } from '../../data/posts'
import { getLastVisit, markSeen } from '../../data/visits'
import { Empty, Loading, ProblemNote, Skeleton } from '../../parts/states'
import { paths } from '../../paths'
import { PageTitle } from '../../shell/title'
import { Comments } from './comments'
import { useLinkedComment, useScrollRestoration } from './linked-comment'
import { PostArticle, PostHead } from './post-article'
import { Details } from './post-details'
import { ResolutionNote, ResolveDialog } from './resolution'
import { usePostKeys } from './use-post-keys'

/** A post with its resolution and comments. */
export default function PostPage({ id }: { id: string }) {
  const query = usePost(id)
  const isDeleted = usePostIsDeleted(id)
  const lastKnown = useRef<Post>(undefined)
  if (query.data) lastKnown.current = query.data
  const isNotFound = !isDeleted && query.error instanceof ParleyError && query.error.status === 404
  const post = isNotFound ? undefined : lastKnown.current

  return (
    <main className="page post" id="main">
      <PostTitle post={post} isNotFound={isNotFound} />
      {post ? (
        <OpenPost post={post} isDeleted={isDeleted} />
      ) : isNotFound ? (
        <Empty title="Post not found" action={<Link href={paths.posts}>All posts</Link>}>
          It may have been deleted, or it is in a channel that you cannot see.
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

function OpenPost({ post, isDeleted }: { post: Post; isDeleted: boolean }) {
  const { writeDeniedReason } = usePermissions()
  const disabledReason = isDeleted ? 'The post was deleted.' : writeDeniedReason
  const [mode, setMode] = useState<'edit' | 'resolve'>()
  const closeForm = () => setMode(undefined)
  const since = useLastVisit(post)
  const isLoaded = useComments(post.id).data !== undefined
  const shown = useLinkedComment(post.id, isLoaded)
  useScrollRestoration(post.id, isLoaded)
  usePostKeys(post, disabledReason, () => setMode('resolve'))

  return (
    <>
      <PostHead
        post={post}
        disabledReason={disabledReason}
        edit={() => setMode('edit')}
        resolve={() => setMode('resolve')}
      />
      <Details post={post} />
      <div className="post-body">
        <div role="status">
          {isDeleted && (
            <p className="problem">
              This post was deleted. <Link href={paths.channel(post.channel.id)}>Go to {post.channel.name}</Link>
            </p>
          )}
        </div>
        <ResolutionNote post={post} disabledReason={disabledReason} />
        <PostArticle post={post} isEdited={mode === 'edit'} close={closeForm} />
        {shown?.isMissing && <p className="meta">The linked comment no longer exists.</p>}
        <Comments post={post} since={since} linkedId={shown?.id} disabledReason={disabledReason} />
        <Composer
          draftKey={`comment:${post.id}`}
          label="Comment"
          submitLabel="Comment"
          placeholder="Write a comment in Markdown. Type @ to mention someone."
          clearOnSubmit
          disabledReason={disabledReason}
          onSubmit={(markdown, key) => createComment(post, null, markdown, key)}
        />
      </div>
      {mode === 'resolve' && <ResolveDialog post={post} close={closeForm} />}
    </>
  )
}

/** When the post was last opened before this visit. Marks it as seen while the tab is visible. */
function useLastVisit(post: Post) {
  const [since] = useState(() => getLastVisit(post.id))
  useEffect(() => {
    const markVisible = () => document.visibilityState === 'visible' && markSeen(post.id, post.last_activity_at)
    markVisible()
    document.addEventListener('visibilitychange', markVisible)
    return () => document.removeEventListener('visibilitychange', markVisible)
  }, [post.id, post.last_activity_at])
  return since
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
