import type { Input } from '../contract'
import { findEdits, toEdit } from '../store/content/texts'
import type { ReadContext } from './context'

export async function list({ db, viewer }: ReadContext, { ids }: Input<'edits.list'>) {
  return { data: (await findEdits(db, viewer, ids)).map(toEdit) }
}
