import { useQuery } from '@tanstack/react-query'
import { NotFoundError } from '../../client/errors'
import type { Comment } from '../../contract/comments'
import type { Post } from '../../contract/posts'
import type { Author, Page } from '../../contract/shapes'
import { notifyProblem } from '../parts/notices'
import { keys } from './cache/keys'
import { findRecord, listRecords, type Pages } from './cache/lists'
import { optimistic } from './cache/optimistic'
import { usePages } from './cache/pages'
import { cache, parley } from './cache/parley'
import { defineWrite, useQueue, type Waiting } from './cache/queue'
import { changesOf, findLoaded, loadAside, markStale, patch, put, reload } from './cache/records'
import { markUnedited } from './edits'
import { findNames, textToHtml } from './markdown'
import { getMe } from './me'
import { putPost, withComment } from './posts'
import { markUnreacted } from './reactions'
import { countComment } from './unread'

/** Prefix of cursors of the reversed list. Without a cursor after it: the last page. */
const REVERSED = 'end:'

const loadComments = (postId: string, parentId: string | null) => (at: string | undefined) => {
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
    cache.setQueryData(keys.comments(postId, id), toSinglePage(replies))
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

export const useComments = (postId: string) =>
  usePages<Comment>(keys.comments(postId, null), loadComments(postId, null))

export const useReplies = ({ id, subject_id, replies_count }: Comment, isEnabled: boolean) =>
  usePages<Comment>(keys.comments(subject_id, id), loadComments(subject_id, id), {
    enabled: isEnabled && replies_count > 0,
  })

/** The loaded comments and replies of a post. */
export const listLoadedComments = (postId: string): Comment[] =>
  cache.getQueriesData<Pages<Comment>>({ queryKey: keys.commentsOf(postId) }).flatMap(([, pages]) => listRecords(pages))

/** The author of the post, and everyone who wrote one of the loaded comments, in the order of their first ones. */
export function listParticipants(post: Post): Author[] {
  const authors = new Map([[post.author.id, post.author]])
  // They were loaded in any order.
  const comments = listLoadedComments(post.id).sort((a, b) => (a.created_at < b.created_at ? -1 : 1))
  for (const { author, content } of comments) if (content) authors.set(author.id, author)
  return [...authors.values()]
}

const containsComment = (pages: Pages<Comment> | undefined, id: string) => findRecord(pages, id) !== undefined

const loading = new Map<string, Promise<boolean>>()

/** Loads the part of the list that has a comment. Returns false if the post has no such comment. */
export function ensureCommentLoaded(postId: string, id: string): Promise<boolean> {
  const promise = loading.get(id) ?? loadUntilComment(postId, id).finally(() => loading.delete(id))
  loading.set(id, promise)
  return promise
}

async function loadUntilComment(postId: string, id: string): Promise<boolean> {
  const comment = await parley.comments.get({ id }).catch((error) => {
    if (error instanceof NotFoundError) return undefined
    throw error
  })
  if (comment?.subject_id !== postId) return false
  const { parent_id } = comment
  if (parent_id && !(await loadUntilInList(postId, null, parent_id))) return false
  return loadUntilInList(postId, parent_id, id)
}

/** Pages through a list from both ends at once, then shows the page that has the comment. */
async function loadUntilInList(postId: string, parentId: string | null, id: string): Promise<boolean> {
  const queryKey = keys.comments(postId, parentId)
  if (containsComment(cache.getQueryData(queryKey), id)) return true
  const found = await loadAside(queryKey, () => findPage(loadComments(postId, parentId), id), showPage(queryKey))
  return found !== undefined
}

/** A page of comments, and the cursor it was loaded by. */
type LoadedPage = [page: Page<Comment>, cursor: string | undefined]

async function findPage(load: ReturnType<typeof loadComments>, id: string): Promise<LoadedPage | undefined> {
  let cursors: (string | null | undefined)[] = [undefined, REVERSED]
  while (cursors.every((cursor) => cursor !== null)) {
    const pages: Page<Comment>[] = await Promise.all(cursors.map((cursor) => load(cursor ?? undefined)))
    const found = pages.findIndex(({ data }) => data.some((comment) => comment.id === id))
    if (found >= 0) return [pages[found]!, cursors[found] ?? undefined]
    cursors = [pages[0]!.next_cursor, pages[1]!.prev_cursor]
  }
  return undefined
}

/** Replaces the loaded list with a single page, which may be from its middle. */
const showPage = (queryKey: string[]) => (found: LoadedPage | undefined) => {
  if (!found) return
  void cache.cancelQueries({ queryKey, exact: true })
  cache.setQueryData<Pages<Comment>>(queryKey, { pages: [found[0]], pageParams: [found[1]] })
}

/** Shows the first or the last page of a post's comments. */
export async function showListEnd(postId: string, end: 'first' | 'newest') {
  const key = keys.comments(postId, null)
  const cursor = end === 'first' ? undefined : REVERSED
  const load = async (): Promise<LoadedPage> => [await loadComments(postId, null)(cursor), cursor]
  const [page] = await loadAside(key, load, showPage(key))
  return page.data.at(end === 'first' ? 0 : -1)?.id
}

/** The comments that were counted already, by the response to the member or by their event, whichever came first. */
const counted = new Set<string>()
const MAX_COUNTED = 1000

/** Shows a new comment, and counts it, once. `eventId` and `via` are those of its event. */
export function addComment(comment: Comment, from: { eventId?: string; via?: { name: string } | null } = {}) {
  const { id, subject_id, parent_id, author } = comment
  if (counted.has(id)) return
  if (counted.size > MAX_COUNTED) counted.clear()
  counted.add(id)
  if (parent_id) countReply(subject_id, parent_id, comment)
  put('comment', comment)
  if (cache.getQueryState(keys.edit(subject_id))) markUnedited(id, from.via)
  if (listLoadedComments(subject_id).some((loaded) => loaded.id === id)) markUnreacted(id)

  const post = findLoaded('post', subject_id)
  const next = post && withComment(post, comment)
  if (next) putPost(next)
  else if (post) reload('post', subject_id)
  countComment(comment, post?.channel.id, { eventId: from.eventId, isMine: author.id === getMe().author.id })
}

/** Counts a reply to a comment, unless the responses that are loaded have it. */
function countReply(postId: string, parentId: string, reply: Comment) {
  const key = keys.comments(postId, parentId)
  const replies = cache.getQueryData<Pages<Comment>>(key)
  if (containsComment(replies, reply.id)) return
  const parent = findLoaded('comment', parentId)
  if (!parent) return
  if (!replies && parent.replies_count > 0) return markStale(keys.comments(postId, null))
  if (!replies) cache.setQueryData(key, toSinglePage([]))
  patch('comment', parentId, (known) => ({ ...known, replies_count: known.replies_count + 1 }))
}

/** Replaces a comment, also where it is the answer to its post. */
export function putComment(comment: Comment) {
  const { id, subject_id } = comment
  patch('comment', id, () => comment)
  patch('post', subject_id, (post) =>
    post.resolution?.resolved_comment?.id === id
      ? { ...post, resolution: { ...post.resolution, resolved_comment: comment } }
      : post,
  )
}

/** Without a comment. One with replies stays, without content, until its last reply goes. */
const changesOfDeletion = ({ id, parent_id }: Comment) => [
  ...changesOf('comment', id, (comment) => (comment.replies_count > 0 ? { ...comment, content: '' } : undefined)),
  ...(parent_id && findLoaded('comment', id)
    ? changesOf('comment', parent_id, (parent) =>
        parent.content === '' && parent.replies_count === 1 ? undefined : parent,
      )
    : []),
]

/** A comment that was deleted may stay as a placeholder, take its parent with it, and have been the answer to its post. */
export function removeComment(comment: Comment) {
  const { id, subject_id, parent_id } = comment
  const isShown = findLoaded('comment', id) !== undefined
  patch('comment', id, ({ replies_count, ...rest }) =>
    replies_count > 0 ? { ...rest, replies_count, content: '' } : undefined,
  )
  if (parent_id && isShown)
    patch('comment', parent_id, (parent) => {
      const replies_count = Math.max(0, parent.replies_count - 1)
      return replies_count === 0 && parent.content === '' ? undefined : { ...parent, replies_count }
    })
  else if (parent_id) markStale(keys.comments(subject_id, null))
  if (findLoaded('post', subject_id)) reload('post', subject_id)
}

export interface NewComment {
  post_id: string
  parent_id: string | null
  content_markdown: string
}

const writeComment = defineWrite('comment', {
  subjectOf: ({ post_id }: NewComment) => post_id,
  prepare: findNames,
  send: ({ parent_id, ...input }, idempotencyKey) =>
    parley.comments.create({ ...input, ...(parent_id && { parent_id }) }, { idempotencyKey }),
  settle: (comment) => addComment(comment),
})

/** Writes a comment or a reply: shown at once. Throws if the server refuses it; if there is no connection, it waits. */
export async function createComment(
  { id: post_id }: Post,
  parent_id: string | null,
  content_markdown: string,
  idempotencyKey: string,
) {
  const sent = await writeComment({ post_id, parent_id, content_markdown }, idempotencyKey)
  // The end of a long list, where the comment is, may not be loaded.
  if (sent && !parent_id && !containsComment(cache.getQueryData(keys.comments(post_id, null)), sent.id))
    await showListEnd(post_id, 'newest').catch(() => undefined)
}

const PENDING = 'pending-'
export const isPending = ({ id }: { id: string }) => id.startsWith(PENDING)

/** A comment that the server has not confirmed yet. */
interface PendingComment {
  comment: Comment
  entry: Waiting<NewComment>
}

/** What the member has written under a post, or in reply to a comment, and the server has not confirmed yet. */
export const usePendingComments = (postId: string, parentId: string | null): PendingComment[] =>
  useQueue()
    .filter((entry): entry is Waiting<NewComment> => entry.kind === 'comment' && entry.subjectId === postId)
    .filter(({ input }) => input.parent_id === parentId)
    .map((entry) => ({
      entry,
      comment: {
        id: PENDING + entry.id,
        content: textToHtml(entry.input.content_markdown),
        created_at: entry.createdAt,
        replies_count: 0,
        parent_id: parentId,
        subject_id: postId,
        subject_type: 'post',
        author: getMe().author,
      },
    }))

export async function editComment(id: string, markdown: string) {
  putComment(await parley.comments.update({ id, content_markdown: markdown }))
}

export async function deleteComment(comment: Comment) {
  try {
    await optimistic(
      changesOfDeletion(comment),
      () => parley.comments.delete({ id: comment.id }),
      () => removeComment(comment),
    )
  } catch (error) {
    notifyProblem("Couldn't delete the comment.", error)
  }
}

const deletedKey = (postId: string) => ['post-deleted', postId]

/** Whether the post was deleted while it is open. */
export const usePostIsDeleted = (postId: string) =>
  useQuery({ queryKey: deletedKey(postId), queryFn: () => false, enabled: false }).data ?? false

export const markPostDeleted = (postId: string) => cache.setQueryData(deletedKey(postId), true)
