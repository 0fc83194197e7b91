import { useIsFetching } from '@tanstack/react-query'
import type { Post } from '../../../contract/posts'
import { isPending } from '../../data/commenting'
import { commentsKey, listLoadedComments, useComments } from '../../data/comments'
import { usePostState } from '../../data/states'
import { useReading } from '../../data/use-reading'

/** Reads the post while it is shown. Returns the first comment that was unread when it was opened. */
export function useFirstUnread(post: Post): string | undefined {
  const state = usePostState(post.id)
  const comments = useComments(post.id)
  const isLoading = useIsFetching({ queryKey: commentsKey(post.id) }) > 0
  const isShown = comments.data !== undefined && !isLoading
  const lastId = findLast(post.id, comments)
  return useReading({ subjectId: post.id, state, isShown, lastId, lastActivityAt: post.last_activity_at })
}

/** The last comment up to which all are loaded. Replies may be later than the comments of the next page. */
function findLast(postId: string, { records, hasNextPage }: ReturnType<typeof useComments>): string | undefined {
  const loaded = hasNextPage ? records : listLoadedComments(postId)
  return loaded
    .filter((comment) => !isPending(comment))
    .reduce<(typeof loaded)[number] | undefined>(
      (last, comment) => (last && last.created_at > comment.created_at ? last : comment),
      undefined,
    )?.id
}
