import type { Comment } from '../../contract/comments'
import type { Page } from '../../contract/page'
import { FROM_END, holds, listKey, loadComments } from './comments'
import type { Pages } from './pages'
import { cache, parley } from './parley'

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
