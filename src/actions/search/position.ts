import type { SearchType } from '../../contract/search'
import type { IdPrefix } from '../../domain/ids'
import { invalidCursor, type ListPosition, type Slice } from '../../domain/paging'
import type { Hit, HitPosition } from '../../store/search/hits'
import { findKeyAt } from '../../store/search/positions'
import type { FoundRecord } from '../../store/search/results'
import type { ReadContext } from '../context'

export type SearchSort = 'relevance' | 'created_at'

const TITLE = 'title'
const TEXT = 'text'

/** Where a result is, as cursors say it: by the time and the id of its record, which stay the same if the index is rebuilt. */
export function positionOf(sort: SearchSort, { isInTitle }: Hit, { id, created_at }: FoundRecord): ListPosition {
  if (sort === 'created_at') return { at: created_at, tie: id }
  return { at: isInTitle ? TITLE : TEXT, tie: `${created_at} ${id}` }
}

const typesByPrefix = new Map<string, SearchType>([
  ['post', 'post'],
  ['cmt', 'comment'],
  ['msg', 'message'],
] satisfies [IdPrefix, SearchType][])

/** The place in the index that a cursor means. */
export async function findPosition(
  { db, viewer }: ReadContext,
  sort: SearchSort,
  { at, id: tie, inclusive }: NonNullable<Slice['from']>,
): Promise<HitPosition> {
  const [time, id] = sort === 'created_at' ? [String(at), tie] : (tie.split(' ') as [string, string?])
  const type = typesByPrefix.get(id?.split('_')[0] ?? '')
  const created_at = Number(time)
  if (!type || !Number.isSafeInteger(created_at)) throw invalidCursor('It was altered.')
  const key = await findKeyAt(db, viewer.workspace.key, { created_at, type, id: id! })
  return { isInTitle: sort === 'relevance' && at === TITLE, key, inclusive }
}
