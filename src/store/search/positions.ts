import type { SearchType } from '../../contract/search'
import { prepare, type Reader } from '../db'
import { sources } from './texts'
import { typeNumbers } from './types'

/** Where a record is among all that were found. Unlike its key in the index, it stays the same when the index is rebuilt. */
interface RecordPosition {
  created_at: number
  type: SearchType
  id: string
}

const keyOfRecord = prepare((db, param, table: string) =>
  db
    .selectFrom(`${table as 'posts'} as r`)
    .innerJoin('search_documents as d', 'd.record_key', 'r.key')
    .where('r.workspace_key', '=', param<number>('workspace'))
    .where('r.id', '=', param<string>('id'))
    .where('d.type', '=', param<number>('type'))
    .select('d.key'),
)

/** The key of a record in the index. If it was deleted: a fraction between the keys of those before and after its time. */
export async function findKeyAt(db: Reader, workspace: number, { created_at, type, id }: RecordPosition) {
  const [known] = await keyOfRecord(db, [sources[type].table], { workspace, id, type: typeNumbers[type] })
  if (known) return known.key
  const before = await findKeyBefore(db, workspace, created_at + 1)
  return before === undefined ? Number.MIN_SAFE_INTEGER : before + 0.5
}

const newestBefore = prepare((db, param) =>
  db
    .selectFrom('search_documents')
    .where('workspace_key', '=', param<number>('workspace'))
    .where('created_at', '<', param<number>('time'))
    .orderBy('created_at', 'desc')
    .orderBy('key', 'desc')
    .limit(1)
    .select('key'),
)

const oldestSince = prepare((db, param) =>
  db
    .selectFrom('search_documents')
    .where('workspace_key', '=', param<number>('workspace'))
    .where('created_at', '>=', param<number>('time'))
    .orderBy('created_at')
    .orderBy('key')
    .limit(1)
    .select('key'),
)

async function findKeyBefore(db: Reader, workspace: number, time: number): Promise<number | undefined> {
  const [row] = await newestBefore(db, [], { workspace, time })
  return row?.key
}

/** By how much clocks may differ: keys follow the order of the writes, and times the clock of whoever wrote. */
const CLOCK_DIFFERENCE_MS = 10 * 60 * 1000

/**
 * Keys between which all records of a period are. Whatever was written before a record that is older than the period by the
 * difference of clocks is older than the period, and the same holds for what is newer.
 */
export async function findKeysBetween(
  db: Reader,
  workspace: number,
  { createdAfter, createdBefore }: { createdAfter?: number; createdBefore?: number },
): Promise<{ from?: number; to?: number }> {
  const range: { from?: number; to?: number } = {}
  if (createdAfter !== undefined) {
    const before = await findKeyBefore(db, workspace, createdAfter - CLOCK_DIFFERENCE_MS)
    if (before !== undefined) range.from = before + 1
  }
  if (createdBefore !== undefined) {
    const [after] = await oldestSince(db, [], { workspace, time: createdBefore + CLOCK_DIFFERENCE_MS })
    if (after) range.to = after.key - 1
  }
  return range
}
