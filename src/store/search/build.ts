import { type Selectable, sql } from 'kysely'
import { type SearchType, searchTypes } from '../../contract/search'
import { kindNumbers } from '../../domain/references'
import { prepare, type Reader, type Writer } from '../engines/db'
import { searchIndexOf } from '../engines/search'
import { lockWorkspaces } from '../people/workspaces'
import type { Tables } from '../schema'
import { addDocuments, replaceIndexed } from './documents'
import { findRecordsOf, recordTables, type SearchableRecord } from './texts'

/** How many records a step queues or indexes. It takes some ten milliseconds, in which others wait to write. */
const QUEUE_BATCH = 2_000
const INDEX_BATCH = 100

type State = Selectable<Tables['search_state']>
type Queued = Selectable<Tables['search_queue']>

const nextColumns = { post: 'next_post', comment: 'next_comment', message: 'next_message' } as const

export interface BuildState {
  isBuilt: boolean
  /** About how many records are left to index. */
  remaining: number
  /** No key of the index is lower, and every key it had before it was built anew is. */
  firstKey: number
  /** The secret that encrypts keys that people get to see. */
  secret: string
}

const toBuildState = (state: Pick<State, 'is_built' | 'remaining' | 'last_key' | 'secret'>): BuildState => ({
  isBuilt: state.is_built,
  remaining: state.is_built ? 0 : Math.max(1, state.remaining),
  firstKey: state.last_key,
  secret: state.secret,
})

const readState = prepare((db) => db.selectFrom('search_state').select(['is_built', 'remaining', 'last_key', 'secret']))

export async function findBuildState(db: Reader): Promise<BuildState> {
  const [state] = await readState(db, [], {})
  return toBuildState(state!)
}

/** After so many steps, the index should be tidied: by then they have left many parts. */
export const STEPS_PER_TIDY = 20

/** Empties the index, and has all records indexed anew: returns how many. Until then, searches say that they are incomplete. */
export async function restartBuild(db: Writer): Promise<number> {
  await lockState(db)
  await db.syntax.forUpdate(db.selectFrom('workspaces').select('key').orderBy('key')).execute()
  await searchIndexOf(db).clear(db)
  await db.deleteFrom('search_days').execute()
  await db.deleteFrom('search_queue').execute()
  return beginBuild(db)
}

/** Has all records indexed, where nothing is in the index yet: returns how many. The schema may be that of an older version. */
export async function beginBuild(db: Writer): Promise<number> {
  const last = (table: string) => sql<number>`(SELECT coalesce(max(key), 0) FROM ${sql.table(table)})`
  const count = (table: string) => sql`(SELECT count(*) FROM ${sql.table(table)})`
  const { remaining } = await db
    .updateTable('search_state')
    .set({
      is_built: false,
      next_post: last('posts'),
      next_comment: last('comments'),
      next_message: last('messages'),
      remaining: sql<number>`${count('posts')} + ${count('comments')} + ${count('messages')}`,
      is_purge_due: false,
    })
    .returning('remaining')
    .executeTakeFirstOrThrow()
  await db
    .updateTable('search_state')
    .set({ last_key: await searchIndexOf(db).leaveRoom(db, remaining) })
    .execute()
  return remaining
}

/** The lock under which one process at a time builds. */
const lockState = (db: Writer): Promise<State> =>
  db.syntax.forUpdate(db.selectFrom('search_state').selectAll()).executeTakeFirstOrThrow()

/** Does a part of the work: first all records are queued by their time, then they are indexed from the newest on. */
export async function continueBuild(db: Writer): Promise<BuildState> {
  const state = await lockState(db)
  if (state.is_built) return toBuildState(state)
  const type = searchTypes.find((each) => state[nextColumns[each]] > 0)
  const changes = type ? await queueRecords(db, type, state) : await indexQueued(db, state)
  await db.updateTable('search_state').set(changes).execute()
  return toBuildState({ ...state, ...changes })
}

async function queueRecords(db: Writer, type: SearchType, state: State): Promise<Partial<State>> {
  const column = nextColumns[type]
  const { table, time } = recordTables[type]
  const below = state[column] - QUEUE_BATCH
  await sql`INSERT INTO search_queue (created_at, type, record_key)
    SELECT r.${sql.ref(time)}, ${sql.lit(kindNumbers[type])}, r.key FROM ${sql.table(table)} AS r
    WHERE r.key > ${below} AND r.key <= ${state[column]}`.execute(db)
  return { [column]: Math.max(0, below) }
}

/** Writes to the workspaces of these records wait meanwhile, so that no record is changed or deleted before it is indexed. */
async function indexQueued(db: Writer, state: State): Promise<Partial<State>> {
  const queued = await findQueued(db, state)
  const all = await lockRecords(db, queued)
  // Records that a migration has changed are in the index already.
  const indexed = await replaceIndexed(db, all)
  const records = all.filter((record) => !indexed.has(record))
  await addDocuments(
    db,
    records.map((record, at) => ({ record, key: state.last_key - 1 - at })),
  )
  if (queued.length > 0) await deleteQueued(db, queued[0]!, queued.at(-1)!)
  const is_built = queued.length < INDEX_BATCH
  return {
    is_built,
    // It leaves many parts, which are slow to search until they are one.
    is_purge_due: state.is_purge_due || is_built,
    last_key: state.last_key - records.length,
    remaining: Math.max(0, state.remaining - queued.length),
  }
}

/**
 * The newest queued records, from the one that was indexed last on: PostgreSQL keeps deleted entries of an index until it vacuums,
 * so from the beginning each step would read past all that the steps before have deleted. What is left in the end, or is newer
 * because a clock was behind, is found from the beginning.
 */
async function findQueued(db: Writer, { last_key }: State): Promise<Queued[]> {
  const newest = db
    .selectFrom('search_queue')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('type', 'desc')
    .orderBy('record_key', 'desc')
    .limit(INDEX_BATCH)
  const last = await db
    .selectFrom('search_documents')
    .select(['created_at', 'type', 'record_key'])
    .where('key', '=', last_key)
    .executeTakeFirst()
  const older = last ? await newest.where(compareQueued('<', last)).execute() : []
  return older.length === INDEX_BATCH ? older : newest.execute()
}

const compareQueued = (operator: '<' | '<=' | '>=', { created_at, type, record_key }: Queued) =>
  sql<boolean>`(created_at, type, record_key) ${sql.raw(operator)} (${created_at}, ${type}, ${record_key})`

/** Deletes the records from the newest to the oldest. */
const deleteQueued = (db: Writer, newest: Queued, oldest: Queued) =>
  db.deleteFrom('search_queue').where(compareQueued('<=', newest)).where(compareQueued('>=', oldest)).execute()

/** Locks the workspaces of records, and reads the records again. Deleted ones are left out. */
async function lockRecords(db: Writer, queued: readonly Queued[]): Promise<SearchableRecord[]> {
  const workspaces = new Set((await readRecords(db, queued)).map(({ workspace_key }) => workspace_key))
  if (workspaces.size === 0) return []
  await lockWorkspaces(db, [...workspaces])
  return readRecords(db, queued)
}

async function readRecords(db: Reader, queued: readonly Queued[]): Promise<SearchableRecord[]> {
  const recordOf = await findRecordsOf(db, queued)
  return queued.flatMap((each) => recordOf(each) ?? [])
}

/** Whether all parts of the index should become one: texts were removed whose words may still be in the file, or it was built. */
export async function isPurgeDue(db: Reader): Promise<boolean> {
  const state = await db.selectFrom('search_state').select('is_purge_due').executeTakeFirstOrThrow()
  return state.is_purge_due
}

/** Does a part of the work that keeps searching fast. Resolves to whether there is more to do. */
export const tidyIndex = (db: Writer): Promise<boolean> => searchIndexOf(db).tidy(db)

/** Begins to make all parts of the index one, without the words of removed texts. `tidyIndex` does the rest, step by step. */
export async function beginPurge(db: Writer) {
  await db.updateTable('search_state').set({ is_purge_due: false }).execute()
  await searchIndexOf(db).beginPurge?.(db)
}
