import type { SearchType } from '../../contract/search'
import type { IdPrefix } from '../../domain/ids'
import { invalidCursor, type ListPoint, type ListPosition, type RecordStart, unknownRecord } from '../../domain/paging'
import type { Hit, HitPosition } from '../../store/search/hits'
import { findInIndex, findKeyAt } from '../../store/search/positions'
import type { FoundRecord } from '../../store/search/results'
import type { ReadContext } from '../context'

export type SearchSort = 'relevance' | 'created_at'

const TITLE = 'title'
const TEXT = 'text'

/** Where a result is, as cursors say it: by the time and the id of its record, which stay the same if the index is rebuilt. */
export function positionOf(
  sort: SearchSort,
  { isInTitle }: Pick<Hit, 'isInTitle'>,
  { id, created_at }: Pick<FoundRecord, 'id' | 'created_at'>,
): ListPosition {
  if (sort === 'created_at') return { at: created_at, tie: id }
  return { at: isInTitle ? TITLE : TEXT, tie: `${created_at} ${id}` }
}

const typesByPrefix = new Map<string, SearchType>([
  ['post', 'post'],
  ['cmt', 'comment'],
  ['msg', 'message'],
] satisfies [IdPrefix, SearchType][])

const typeOf = (id: string) => typesByPrefix.get(id.split('_')[0]!)

/** The place in the index that a cursor means. */
export async function findPosition(
  { db, viewer }: ReadContext,
  sort: SearchSort,
  { at, id: tie, inclusive }: ListPoint,
): Promise<HitPosition> {
  const [time, id] = sort === 'created_at' ? [String(at), tie] : (tie.split(' ') as [string, string?])
  const type = typeOf(id ?? '')
  const created_at = Number(time)
  if (!type || !Number.isSafeInteger(created_at)) throw invalidCursor('It was altered.')
  const key = await findKeyAt(db, viewer.workspace.key, { created_at, type, id: id! })
  return { isInTitle: sort === 'relevance' && at === TITLE, key, inclusive }
}

/** A record of the index by its id. It may be one that the viewer cannot see. */
export async function findRecord({ db, viewer }: ReadContext, from: RecordStart) {
  const type = typeOf(from.record)
  const known = type && (await findInIndex(db, viewer.workspace.key, { type, id: from.record }))
  if (!known) throw unknownRecord(from)
  return { ...known, id: from.record }
}
