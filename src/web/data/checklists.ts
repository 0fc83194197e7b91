import { ApiError } from '../../client'
import { CHECK_BOXES, checkBoxHtml } from '../../contract/browser/constants'
import type { Comment } from '../../contract/comments'
import type { Post } from '../../contract/posts'
import { notify, notifyProblem } from '../parts/notices'
import { optimistic } from './cache/optimistic'
import { parley } from './cache/parley'
import { type Change, changesOf, reload } from './cache/records'

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

/** Sends a change of a check box, which is shown meanwhile. The record comes by its event, which no later change can have overtaken. */
async function sendCheck(noun: 'post' | 'comment', id: string, changes: Change[], request: () => Promise<unknown>) {
  try {
    await optimistic(changes, request)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'checklist_changed') notify('The checklist has changed. Try again.')
    else notifyProblem("Couldn't change the list.", error)
    reload(noun, id)
  }
}

/** Checks an item of a post. The change is shown at once, and undone if the request fails. */
export const checkPost = ({ id }: Post, check: Check) =>
  sendCheck(
    'post',
    id,
    changesOf('post', id, (post) => ({ ...post, content: setCheckBox(post.content, check) })),
    () => parley.posts.check({ post_id: id, ...check }),
  )

/** The same for a comment. */
export const checkComment = ({ id }: Comment, check: Check) =>
  sendCheck(
    'comment',
    id,
    changesOf('comment', id, (comment) => ({ ...comment, content: setCheckBox(comment.content, check) })),
    () => parley.comments.check({ comment_id: id, ...check }),
  )
