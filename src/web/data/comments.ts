import { useQuery } from '@tanstack/react-query'
import type { Author } from '../../contract/authors'
import type { Comment } from '../../contract/comments'
import type { Page } from '../../contract/page'
import type { Post } from '../../contract/posts'
import { notifyProblem } from '../parts/notices'
import type { Hearing } from './live'
import { meQuery } from './me'
import { toWritten } from './mentions'
import { addLast, changeRecords, type Pages, usePages } from './pages'
import { cache, parley } from './parley'
import { changePost } from './posts'

/** The comments of a post at its top level, and the replies to each, are lists of their own. */
const commentsKey = (postId: string) => ['comments', postId]
const listKey = (postId: string, parentId: string | null) => [...commentsKey(postId), parentId ?? 'root']

/** A cursor that begins so comes from the same list read backwards; alone it is the end of the list. */
const FROM_END = 'end:'

const loadComments = (postId: string, parentId: string | null) => (at: string | undefined) => {
  const list = { post_id: postId, parent_id: parentId ?? 'root' }
  if (at?.startsWith(FROM_END)) return loadBackwards(list, at.slice(FROM_END.length))
  return at === undefined && parentId === null ? loadFirst(postId) : parley.comments.list({ ...list, after: at })
}

async function loadBackwards(list: { post_id: string; parent_id: string }, after: string): Promise<Page<Comment>> {
  const page = await parley.comments.list({ ...list, direction: 'desc', ...(after && { after }) })
  const { data, next_cursor, prev_cursor } = page
  const marked = (cursor: string | null) => cursor && FROM_END + cursor
  return { ...page, data: data.toReversed(), next_cursor: marked(prev_cursor), prev_cursor: marked(next_cursor) }
}

/** Most posts have few comments: one page holds them all, with the replies. */
async function loadFirst(postId: string): Promise<Page<Comment>> {
  const all = await parley.comments.list({ post_id: postId })
  if (all.next_cursor) return parley.comments.list({ post_id: postId, parent_id: 'root' })
  const top = all.data.filter(({ parent_id }) => parent_id === null)
  for (const { id, replies_count } of top) {
    if (replies_count === 0) continue
    const replies = all.data.filter(({ parent_id }) => parent_id === id)
    cache.setQueryData(listKey(postId, id), onePage(replies))
  }
  return whole(top)
}

const whole = (data: Comment[]): Page<Comment> => ({
  data,
  total_count: data.length,
  next_cursor: null,
  prev_cursor: null,
})
const onePage = (data: Comment[]): Pages<Comment> => ({ pages: [whole(data)], pageParams: [undefined] })

export const useComments = (postId: string) => usePages<Comment>(listKey(postId, null), loadComments(postId, null))

export const useReplies = ({ id, subject_id, replies_count }: Comment, isWanted: boolean) =>
  usePages<Comment>(listKey(subject_id, id), loadComments(subject_id, id), { enabled: isWanted && replies_count > 0 })

/** Everyone who wrote in what is loaded of a post. */
export function participants(post: Post): Author[] {
  const authors = new Map([[post.author.id, post.author]])
  for (const [, pages] of cache.getQueriesData<Pages<Comment>>({ queryKey: commentsKey(post.id) }))
    for (const { data } of pages?.pages ?? [])
      for (const { author, content } of data) if (content) authors.set(author.id, author)
  return [...authors.values()]
}

const holds = (pages: Pages<Comment> | undefined, id: string) =>
  pages?.pages.some(({ data }) => data.some((comment) => comment.id === id)) ?? false

const bringing = new Map<string, Promise<boolean>>()

/** Loads the place of a comment, however far down it is. Says whether there is such a comment on the post. */
export function bringUp(postId: string, id: string): Promise<boolean> {
  const begun = bringing.get(id) ?? bringUpOnce(postId, id).finally(() => bringing.delete(id))
  bringing.set(id, begun)
  return begun
}

async function bringUpOnce(postId: string, id: string): Promise<boolean> {
  const comment = await parley.comments.get({ id }).catch(() => undefined)
  if (comment?.subject_id !== postId) return false
  const { parent_id } = comment
  if (parent_id && !(await bringUpIn(postId, null, parent_id))) return false
  return bringUpIn(postId, parent_id, id)
}

/** Looks from both ends of a list at once, page by page, and shows the page that has the comment. */
async function bringUpIn(postId: string, parentId: string | null, id: string): Promise<boolean> {
  const queryKey = listKey(postId, parentId)
  if (holds(cache.getQueryData(queryKey), id)) return true
  const load = loadComments(postId, parentId)
  let ends: (string | null | undefined)[] = [undefined, FROM_END]
  while (ends.every((at) => at !== null)) {
    const pages: Page<Comment>[] = await Promise.all(ends.map((at) => load(at ?? undefined)))
    const found = pages.findIndex(({ data }) => data.some((comment) => comment.id === id))
    if (found >= 0) {
      await showPage(queryKey, pages[found]!, ends[found] ?? undefined)
      return true
    }
    ends = [pages[0]!.next_cursor, pages[1]!.prev_cursor]
  }
  return false
}

/** Lets a list begin with a page that is in its middle. */
async function showPage(queryKey: string[], page: Page<Comment>, at: string | undefined) {
  await cache.cancelQueries({ queryKey, exact: true })
  cache.setQueryData<Pages<Comment>>(queryKey, { pages: [page], pageParams: [at] })
}

/** Shows the first or the newest comments of a post, wherever one is. */
export async function showEnd(postId: string, end: 'first' | 'newest') {
  const at = end === 'first' ? undefined : FROM_END
  const page = await loadComments(postId, null)(at)
  await showPage(listKey(postId, null), page, at)
  return page.data.at(end === 'first' ? 0 : -1)?.id
}

function changeComment(postId: string, id: string, change: (comment: Comment) => Comment | undefined) {
  changeRecords<Comment>(commentsKey(postId), (comment) => (comment.id === id ? change(comment) : comment))
}

function putComment(comment: Comment) {
  const { id, subject_id } = comment
  changeComment(subject_id, id, () => comment)
  changePost(subject_id, (post) =>
    post.resolution?.resolved_comment?.id === id
      ? { ...post, resolution: { ...post.resolution, resolved_comment: comment } }
      : post,
  )
}

/** Adds a comment at the end of its list, once. */
function addComment(comment: Comment) {
  const { subject_id, parent_id } = comment
  const key = listKey(subject_id, parent_id)
  const loaded = cache.getQueryData<Pages<Comment>>(key)
  if (holds(loaded, comment.id)) return
  if (loaded) cache.setQueryData(key, addLast(loaded, comment))
  if (!parent_id) return
  changeComment(subject_id, parent_id, (parent) => {
    if (!loaded && parent.replies_count === 0) cache.setQueryData(key, onePage([comment]))
    return { ...parent, replies_count: parent.replies_count + 1 }
  })
}

/** Takes a comment away, once. One that has replies keeps its place, until the last of them is gone. */
function removeComment({ id, subject_id, parent_id }: Comment) {
  const list = cache.getQueryData<Pages<Comment>>(listKey(subject_id, parent_id))
  if (list && !holds(list, id)) return
  changeComment(subject_id, id, (comment) => (comment.replies_count > 0 ? { ...comment, content: '' } : undefined))
  if (!parent_id) return
  changeComment(subject_id, parent_id, (parent) => {
    const replies_count = Math.max(0, parent.replies_count - 1)
    return replies_count === 0 && parent.content === '' ? undefined : { ...parent, replies_count }
  })
}

const PENDING = 'pending-'
export const isPending = ({ id }: { id: string }) => id.startsWith(PENDING)
let sends = 0

/** One's own comments that the log tells of while some are on their way: which is which is known when they are sent. */
const underway = new Map<string, Comment[]>()

/** Comments, or replies. Shown at once, taken back if the server says no; then it throws why. */
export async function comment(post: Post, parentId: string | null, markdown: string, idempotencyKey: string) {
  const pending: Comment = {
    id: `${PENDING}${++sends}`,
    content: asText(toWritten(markdown)),
    created_at: new Date().toISOString(),
    replies_count: 0,
    parent_id: parentId,
    subject_id: post.id,
    subject_type: 'post',
    author: cache.getQueryData<{ author: Author }>(meQuery.queryKey)!.author,
  }
  const held = underway.get(post.id) ?? []
  underway.set(post.id, held)
  addComment(pending)
  try {
    const input = { post_id: post.id, content_markdown: markdown, ...(parentId && { parent_id: parentId }) }
    const sent = await parley.comments.create(input, { idempotencyKey })
    dropPending(pending)
    addComment(sent)
    // In a long list one may be far from the end, where it is.
    if (!holds(cache.getQueryData(listKey(post.id, parentId)), sent.id) && !parentId)
      await showEnd(post.id, 'newest').catch(() => undefined)
  } catch (error) {
    dropPending(pending)
    throw error
  } finally {
    underway.delete(post.id)
    for (const heard of held) addComment(heard)
  }
}

function dropPending({ id, subject_id, parent_id }: Comment) {
  changeComment(subject_id, id, () => undefined)
  if (parent_id)
    changeComment(subject_id, parent_id, (parent) => ({ ...parent, replies_count: parent.replies_count - 1 }))
}

/** Text as it is, for as long as the server has not made it HTML. */
const asText = (text: string) =>
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
    notifyProblem('The comment was not deleted.', error)
  }
}

const goneKey = (postId: string) => ['post-gone', postId]

/** Whether someone deleted a post while one looked at it. */
export const usePostIsGone = (postId: string) =>
  useQuery({ queryKey: goneKey(postId), queryFn: () => false, enabled: false }).data ?? false

const isMine = ({ author }: Comment) =>
  author.id === cache.getQueryData<{ author: Author }>(meQuery.queryKey)?.author.id

export const hearComments: Hearing = {
  'comment.created': ({ data }) => {
    const held = isMine(data) ? underway.get(data.subject_id) : undefined
    if (held) held.push(data)
    else addComment(data)
  },
  'comment.updated': ({ data }) => putComment(data),
  'comment.deleted': ({ data }) => removeComment(data),
  'post.deleted': ({ data }) => cache.setQueryData(goneKey(data.id), true),
  // What was here may be out of sight now.
  'channel.deleted': () => void cache.invalidateQueries({ queryKey: ['post'] }),
  'channel.member_removed': () => void cache.invalidateQueries({ queryKey: ['post'] }),
}
