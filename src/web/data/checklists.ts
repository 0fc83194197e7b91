import { ApiError } from '../../client'
import { CHECK_BOXES, checkBoxHtml } from '../../contract/browser/constants'
import type { Comment } from '../../contract/comments'
import type { Post } from '../../contract/posts'
import { notify, notifyProblem } from '../parts/notices'
import { parley } from './cache/parley'
import { listLoadedComments, putComment } from './comments'
import { changePost, putPost } from './posts'

export const countCheckBoxes = (html: string): number => html.match(CHECK_BOXES)?.length ?? 0

/** The new state of a check box. */
export interface Check {
  /** Counted from 0. */
  item: number
  is_checked: boolean
  /** The text of the item, so that the server can tell whether the list has changed. */
  label?: string
}

function setCheckBox(html: string, { item, is_checked }: Check): string {
  let at = 0
  return html.replace(CHECK_BOXES, (box) => (at++ === item ? checkBoxHtml(is_checked) : box))
}

interface Sending<R> {
  send(): Promise<R>
  load(): Promise<R>
  put(record: R): void
}

/**
 * Sends a change of a check box that is already shown. The record is updated by the event, not by the response, because the response
 * may be older than an event about someone else's change.
 */
async function sendCheck<R>({ send, load, put }: Sending<R>) {
  try {
    await send()
  } catch (error) {
    if (error instanceof ApiError && error.code === 'checklist_changed') notify('The checklist has changed. Try again.')
    else notifyProblem("Couldn't change the list.", error)
    const record = await load().catch(() => undefined)
    if (record) put(record)
  }
}

/** Checks an item of a post. The change is shown at once, and undone if the request fails. */
export function checkPost({ id }: Post, check: Check) {
  changePost(id, (post) => ({ ...post, content: setCheckBox(post.content, check) }))
  const send = () => parley.posts.check({ post_id: id, ...check })
  return sendCheck({ send, load: () => parley.posts.get({ id }), put: putPost })
}

/** The same for a comment. */
export function checkComment(comment: Comment, check: Check) {
  const { id, subject_id } = comment
  // An event may have changed it since it was shown.
  const known = listLoadedComments(subject_id).find((loaded) => loaded.id === id) ?? comment
  putComment({ ...known, content: setCheckBox(known.content, check) })
  const send = () => parley.comments.check({ comment_id: id, ...check })
  return sendCheck({ send, load: () => parley.comments.get({ id }), put: putComment })
}
