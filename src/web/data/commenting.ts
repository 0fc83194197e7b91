import { useQuery } from '@tanstack/react-query'
import type { Comment } from '../../contract/comments'
import type { Post } from '../../contract/posts'
import type { Author } from '../../contract/shapes'
import { notifyProblem } from '../parts/notices'
import {
  addComment,
  changeComment,
  commentsKey,
  containsComment,
  listKey,
  putComment,
  removeComment,
  showListEnd,
} from './comments'
import { markUnedited } from './edits'
import { meQuery } from './me'
import { toEditorText } from './mentions'
import type { Pages } from './pages'
import { cache, parley } from './parley'

const PENDING = 'pending-'
export const isPending = ({ id }: { id: string }) => id.startsWith(PENDING)
let pendingCount = 0

/** Events for the member's own comments wait while one is being sent, because it also arrives in the response. */
const deferredEvents = new Map<string, Comment[]>()

/** Adds a comment or a reply: shown at once. If the request fails, it is removed and the error is thrown. */
export async function createComment(post: Post, parentId: string | null, markdown: string, idempotencyKey: string) {
  const pending: Comment = {
    id: `${PENDING}${++pendingCount}`,
    content: textToHtml(toEditorText(markdown)),
    created_at: new Date().toISOString(),
    replies_count: 0,
    parent_id: parentId,
    subject_id: post.id,
    subject_type: 'post',
    author: cache.getQueryData<{ author: Author }>(meQuery.queryKey)!.author,
  }
  const deferred = deferredEvents.get(post.id) ?? []
  deferredEvents.set(post.id, deferred)
  addComment(pending)
  try {
    const input = { post_id: post.id, content_markdown: markdown, ...(parentId && { parent_id: parentId }) }
    const sent = await parley.comments.create(input, { idempotencyKey })
    dropPending(pending)
    markUnedited(sent.id)
    addComment(sent)
    // The end of a long list, where the comment is, may not be loaded.
    if (!containsComment(cache.getQueryData(listKey(post.id, parentId)), sent.id) && !parentId)
      await showListEnd(post.id, 'newest').catch(() => undefined)
  } catch (error) {
    dropPending(pending)
    throw error
  } finally {
    deferredEvents.delete(post.id)
    for (const event of deferred) addComment(event)
  }
}

function dropPending({ id, subject_id, parent_id }: Comment) {
  changeComment(subject_id, id, () => undefined)
  if (parent_id)
    changeComment(subject_id, parent_id, (parent) => ({ ...parent, replies_count: parent.replies_count - 1 }))
}

/** Shown until the server has rendered the Markdown. */
const textToHtml = (text: string) =>
  text
    .replace(/[&<>]/g, (letter) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[letter]!)
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br>')}</p>`)
    .join('')

export async function editComment(id: string, markdown: string) {
  putComment(await parley.comments.update({ id, content_markdown: markdown }))
}

export async function deleteComment(comment: Comment) {
  const key = commentsKey(comment.subject_id)
  const before = cache.getQueriesData<Pages<Comment>>({ queryKey: key })
  removeComment(comment)
  try {
    await parley.comments.delete({ id: comment.id })
  } catch (error) {
    for (const [name, pages] of before) cache.setQueryData(name, pages)
    notifyProblem("Couldn't delete the comment.", error)
  }
}

const deletedKey = (postId: string) => ['post-deleted', postId]

/** Whether the post was deleted while it is open. */
export const usePostIsDeleted = (postId: string) =>
  useQuery({ queryKey: deletedKey(postId), queryFn: () => false, enabled: false }).data ?? false

export const markPostDeleted = (postId: string) => cache.setQueryData(deletedKey(postId), true)

const isMine = ({ author }: Comment) =>
  author.id === cache.getQueryData<{ author: Author }>(meQuery.queryKey)?.author.id

export function handleCreated({ data }: { data: Comment }) {
  const deferred = isMine(data) ? deferredEvents.get(data.subject_id) : undefined
  if (deferred) deferred.push(data)
  else addComment(data)
}
