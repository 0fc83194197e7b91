import type { Input } from '../contract'
import { toEdit } from '../records/edits'
import { findCommentEdits, findMessageEdits, findPostEdits } from '../store/edits'
import type { ReadContext } from './context'

export async function list({ db, viewer }: ReadContext, { ids }: Input<'edits.list'>) {
  const starting = (prefix: string) => ids.filter((id) => id.startsWith(prefix))
  const found = [
    ...(await findPostEdits(db, viewer, starting('post_'))),
    ...(await findCommentEdits(db, viewer, starting('cmt_'))),
    ...(await findMessageEdits(db, viewer, starting('msg_'))),
  ]
  return { data: found.map(toEdit) }
}
