import type { Page } from '../contract/page'
import { type PageRequest, pageCursors } from '../domain/paging'
import type { ListedKeys } from '../store/filtered'
import { type Remembered, type Remembering, sheetsOf } from './remembered'
import type { Sheet } from './shelf'
import { type Written, writtenPage } from './written'

/** One page of a list of which it is known already which records are on it. */
export async function listedPage<Row, Record extends object>(
  context: Remembering,
  remembered: Remembered<Row, Record>,
  { keys, behind, total }: ListedKeys,
  request: PageRequest<string>,
): Promise<Written<Page<Record>>> {
  const ahead = keys.length > request.limit
  if (ahead) keys.pop()
  if (request.way === 'prev') keys.reverse()
  const sheets = await sheetsOf(context, remembered, keys)
  const placeOf = (sheet: Sheet | undefined) => sheet && { at: sheet.facts[request.sort]!, tie: sheet.id }
  const cursors = pageCursors(request, { ahead, behind }, placeOf(sheets[0]), placeOf(sheets.at(-1)))
  return writtenPage(sheets, { total_count: total, ...cursors })
}
