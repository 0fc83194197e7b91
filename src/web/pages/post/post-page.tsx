import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { ParleyError } from '../../../client'
import type { Post } from '../../../contract/posts'
import { Composer } from '../../composer/composer'
import { comment, usePostIsGone } from '../../data/commenting'
import { useComments } from '../../data/comments'
import { usePermissions } from '../../data/me'
import { usePost } from '../../data/posts'
import { lastVisit, markSeen } from '../../data/visits'
import { Empty, Loading, ProblemNote, Skeleton } from '../../parts/states'
import { paths } from '../../paths'
import { PageTitle } from '../../shell/title'
import { Comments } from './comments'
import { Facts } from './facts'
import { PostArticle, PostHead } from './post-article'
import { ResolutionNote, ResolveDialog } from './resolution'
import { useReadingPlace, useShownComment } from './shown-comment'
import { usePostKeys } from './use-post-keys'

/** A post with its answer and what was said about it. */
export default function PostPage({ id }: { id: string }) {
  const query = usePost(id)
  const isGone = usePostIsGone(id)
  const known = useRef<Post>(undefined)
  if (query.data) known.current = query.data
  const isLost = !isGone && query.error instanceof ParleyError && query.error.status === 404
  const post = isLost ? undefined : known.current

  return (
    <main className="page post" id="main">
      <PostTitle post={post} isLost={isLost} />
      {post ? (
        <Opened post={post} isGone={isGone} />
      ) : isLost ? (
        <Empty title="There is no such post" action={<Link href={paths.posts}>All posts</Link>}>
          It was deleted, or it is in a channel that you are not in.
        </Empty>
      ) : query.error ? (
        <ProblemNote error={query.error} retry={() => void query.refetch()} />
      ) : (
        <PostSkeleton />
      )}
    </main>
  )
}

const PostTitle = ({ post, isLost }: { post: Post | undefined; isLost: boolean }) => (
  <PageTitle title={post?.title ?? (isLost ? 'Not found' : 'Post')} isLost={isLost}>
    {post || isLost ? undefined : <Skeleton width="60%" height={24} />}
  </PageTitle>
)

function Opened({ post, isGone }: { post: Post; isGone: boolean }) {
  const { writeDeniedReason } = usePermissions()
  const disabledReason = isGone ? 'The post was deleted.' : writeDeniedReason
  const [doing, setDoing] = useState<'edit' | 'resolve'>()
  const done = () => setDoing(undefined)
  const since = useSince(post)
  const isLoaded = useComments(post.id).data !== undefined
  const shown = useShownComment(post.id, isLoaded)
  useReadingPlace(post.id, isLoaded)
  usePostKeys(post, disabledReason, () => setDoing('resolve'))

  return (
    <>
      <PostHead
        post={post}
        disabledReason={disabledReason}
        edit={() => setDoing('edit')}
        resolve={() => setDoing('resolve')}
      />
      <Facts post={post} />
      <div className="post-body">
        <div role="status">
          {isGone && (
            <p className="problem">
              This post was deleted. <Link href={paths.channel(post.channel.id)}>Go to {post.channel.name}</Link>
            </p>
          )}
        </div>
        <ResolutionNote post={post} disabledReason={disabledReason} />
        <PostArticle post={post} isEdited={doing === 'edit'} close={done} />
        {shown?.isMissing && <p className="meta">The comment that the address points at is not here any more.</p>}
        <Comments post={post} since={since} markedId={shown?.id} disabledReason={disabledReason} />
        <Composer
          place={`comment:${post.id}`}
          label="Comment"
          submitLabel="Comment"
          placeholder="Write a comment in Markdown; @ mentions someone"
          emptiesAtOnce
          disabledReason={disabledReason}
          onSubmit={(markdown, key) => comment(post, null, markdown, key)}
        />
      </div>
      {doing === 'resolve' && <ResolveDialog post={post} close={done} />}
    </>
  )
}

/** When one was here before this visit. What is shown now counts as seen, once it can be. */
function useSince(post: Post) {
  const [since] = useState(() => lastVisit(post.id))
  useEffect(() => {
    const see = () => document.visibilityState === 'visible' && markSeen(post.id, post.last_activity_at)
    see()
    document.addEventListener('visibilitychange', see)
    return () => document.removeEventListener('visibilitychange', see)
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
