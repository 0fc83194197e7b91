import { useQuery } from '@tanstack/react-query'
import type { Comment } from '../../contract/comments'
import type { Post } from '../../contract/posts'
import type { Author, Page } from '../../contract/shapes'
import { notifyProblem } from '../parts/notices'
import { addLast, changeRecords, type Pages, usePages } from './cache/pages'
import { cache, parley } from './cache/parley'
import { markUnedited } from './edits'
import { meQuery } from './me'
import { toEditorText } from './mentions'
import { changePost } from './posts'

/** The top-level comments of a post, and the replies to each comment, are separate lists. */
export const commentsKey = (postId: string) => ['comments', postId]
export const listKey = (postId: string, parentId: string | null) => [...commentsKey(postId), parentId ?? 'root']

/** Prefix of cursors of the reversed list. Without a cursor after it: the last page. */
export const REVERSED = 'end:'

export const loadComments = (postId: string, parentId: string | null) => (at: string | undefined) => {
  const list = { post_id: postId, parent_id: parentId ?? 'root' }
  if (at?.startsWith(REVERSED)) return loadBackwards(list, at.slice(REVERSED.length))
  return at === undefined && parentId === null ? loadFirst(postId) : parley.comments.list({ ...list, after: at })
}

async function loadBackwards(list: { post_id: string; parent_id: string }, after: string): Promise<Page<Comment>> {
  const page = await parley.comments.list({ ...list, direction: 'desc', ...(after && { after }) })
  const { data, next_cursor, prev_cursor } = page
  const addPrefix = (cursor: string | null) => cursor && REVERSED + cursor
  return { ...page, data: data.toReversed(), next_cursor: addPrefix(prev_cursor), prev_cursor: addPrefix(next_cursor) }
}

/** Most posts have few comments, and one request loads them with all their replies. */
async function loadFirst(postId: string): Promise<Page<Comment>> {
  const all = await parley.comments.list({ post_id: postId })
  if (all.next_cursor) return parley.comments.list({ post_id: postId, parent_id: 'root' })
  const top = all.data.filter(({ parent_id }) => parent_id === null)
  for (const { id, replies_count } of top) {
    if (replies_count === 0) continue
    const replies = all.data.filter(({ parent_id }) => parent_id === id)
    cache.setQueryData(listKey(postId, id), toSinglePage(replies))
  }
  return toPage(top)
}

const toPage = (data: Comment[]): Page<Comment> => ({
  data,
  total_count: data.length,
  next_cursor: null,
  prev_cursor: null,
})
const toSinglePage = (data: Comment[]): Pages<Comment> => ({ pages: [toPage(data)], pageParams: [undefined] })

export const useComments = (postId: string) => usePages<Comment>(listKey(postId, null), loadComments(postId, null))

export const useReplies = ({ id, subject_id, replies_count }: Comment, isEnabled: boolean) =>
  usePages<Comment>(listKey(subject_id, id), loadComments(subject_id, id), { enabled: isEnabled && replies_count > 0 })

/** The loaded comments and replies of a post. */
export const listLoadedComments = (postId: string): Comment[] =>
  cache
    .getQueriesData<Pages<Comment>>({ queryKey: commentsKey(postId) })
    .flatMap(([, pages]) => pages?.pages ?? [])
    .flatMap(({ data }) => data)

/** Everyone who wrote one of the loaded comments, and the author of the post. */
export function listParticipants(post: Post): Author[] {
  const authors = new Map([[post.author.id, post.author]])
  for (const { author, content } of listLoadedComments(post.id)) if (content) authors.set(author.id, author)
  return [...authors.values()]
}

export const containsComment = (pages: Pages<Comment> | undefined, id: string) =>
  pages?.pages.some(({ data }) => data.some((comment) => comment.id === id)) ?? false

export function changeComment(postId: string, id: string, change: (comment: Comment) => Comment | undefined) {
  changeRecords<Comment>(commentsKey(postId), (comment) => (comment.id === id ? change(comment) : comment))
}

export function putComment(comment: Comment) {
  const { id, subject_id } = comment
  changeComment(subject_id, id, () => comment)
  changePost(subject_id, (post) =>
    post.resolution?.resolved_comment?.id === id
      ? { ...post, resolution: { ...post.resolution, resolved_comment: comment } }
      : post,
  )
}

/** Adds a comment at the end of its list, unless it is there. */
export function addComment(comment: Comment) {
  const { subject_id, parent_id } = comment
  const key = listKey(subject_id, parent_id)
  const loaded = cache.getQueryData<Pages<Comment>>(key)
  if (containsComment(loaded, comment.id)) return
  if (loaded) cache.setQueryData(key, addLast(loaded, comment))
  if (!parent_id) return
  changeComment(subject_id, parent_id, (parent) => {
    if (!loaded && parent.replies_count === 0) cache.setQueryData(key, toSinglePage([comment]))
    return { ...parent, replies_count: parent.replies_count + 1 }
  })
}

/** Removes a comment, unless it is gone. A comment with replies stays, without content, until its last reply goes. */
export function removeComment({ id, subject_id, parent_id }: Comment) {
  const list = cache.getQueryData<Pages<Comment>>(listKey(subject_id, parent_id))
  if (list && !containsComment(list, id)) return
  changeComment(subject_id, id, (comment) => (comment.replies_count > 0 ? { ...comment, content: '' } : undefined))
  if (!parent_id) return
  changeComment(subject_id, parent_id, (parent) => {
    const replies_count = Math.max(0, parent.replies_count - 1)
    return replies_count === 0 && parent.content === '' ? undefined : { ...parent, replies_count }
  })
}

const loading = new Map<string, Promise<boolean>>()

/** Loads the part of the list that has a comment. Returns false if the post has no such comment. */
export function ensureCommentLoaded(postId: string, id: string): Promise<boolean> {
  const promise = loading.get(id) ?? loadUntilComment(postId, id).finally(() => loading.delete(id))
  loading.set(id, promise)
  return promise
}

async function loadUntilComment(postId: string, id: string): Promise<boolean> {
  const comment = await parley.comments.get({ id }).catch(() => undefined)
  if (comment?.subject_id !== postId) return false
  const { parent_id } = comment
  if (parent_id && !(await loadUntilInList(postId, null, parent_id))) return false
  return loadUntilInList(postId, parent_id, id)
}

/** Pages through a list from both ends at once, then shows the page that has the comment. */
async function loadUntilInList(postId: string, parentId: string | null, id: string): Promise<boolean> {
  const queryKey = listKey(postId, parentId)
  if (containsComment(cache.getQueryData(queryKey), id)) return true
  const load = loadComments(postId, parentId)
  let cursors: (string | null | undefined)[] = [undefined, REVERSED]
  while (cursors.every((cursor) => cursor !== null)) {
    const pages: Page<Comment>[] = await Promise.all(cursors.map((cursor) => load(cursor ?? undefined)))
    const found = pages.findIndex(({ data }) => data.some((comment) => comment.id === id))
    if (found >= 0) {
      await showPage(queryKey, pages[found]!, cursors[found] ?? undefined)
      return true
    }
    cursors = [pages[0]!.next_cursor, pages[1]!.prev_cursor]
  }
  return false
}

/** Replaces the loaded list with a single page, which may be from its middle. */
async function showPage(queryKey: string[], page: Page<Comment>, cursor: string | undefined) {
  await cache.cancelQueries({ queryKey, exact: true })
  cache.setQueryData<Pages<Comment>>(queryKey, { pages: [page], pageParams: [cursor] })
}

/** Shows the first or the last page of a post's comments. */
export async function showListEnd(postId: string, end: 'first' | 'newest') {
  const cursor = end === 'first' ? undefined : REVERSED
  const page = await loadComments(postId, null)(cursor)
  await showPage(listKey(postId, null), page, cursor)
  return page.data.at(end === 'first' ? 0 : -1)?.id
}

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
