import type { Input } from '../contract'
import { toEdit } from '../records/edits'
import { findEdits } from '../store/edits'
import type { ReadContext } from './context'

export async function list({ db, viewer }: ReadContext, { ids }: Input<'edits.list'>) {
  return { data: (await findEdits(db, viewer, ids)).map(toEdit) }
}
