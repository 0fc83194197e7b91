import type { Comment } from '../../contract/comments'
import type { Page } from '../../contract/shapes'
import { containsComment, listKey, loadComments, REVERSED } from './comments'
import type { Pages } from './pages'
import { cache, parley } from './parley'

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
