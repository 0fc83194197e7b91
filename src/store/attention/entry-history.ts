import type { InboxReason } from '../../contract/inbox'
import { prepare, type Reader, type RowOf, type Writer } from '../engines/db'

/** The state of an inbox entry before a reaction. */
export interface Shown {
  reason: InboxReason | null
  actor_key: number | null
  item_key: number | null
  entry_revision: number | null
  entry_at: number | null
  read_at: number | null
  archived_at: number | null
}

/** The earlier states of an entry, oldest first; null means that there was no entry. The first one is the state before all reactions. */
export type Before = (Shown | null)[]

export interface EntryKey {
  author_key: number
  subject_type: number
  subject_key: number
}

const NOTHING: Record<keyof Shown, null> = {
  reason: null,
  actor_key: null,
  item_key: null,
  entry_revision: null,
  entry_at: null,
  read_at: null,
  archived_at: null,
}
const shownColumns = Object.keys(NOTHING) as (keyof Shown)[]

const rowByKey = prepare((db, param) =>
  db
    .selectFrom('attention')
    .where('author_key', '=', param<number>('author_key'))
    .where('subject_type', '=', param<number>('subject_type'))
    .where('subject_key', '=', param<number>('subject_key'))
    .select([...shownColumns, 'entry_id', 'before_reactions', 'read_revision', 'level', 'is_marked_unread']),
)

type Row = RowOf<typeof rowByKey>

/** An entry with its earlier states. */
export interface EntryHistory {
  row: Row | undefined
  current: Shown | null
  before: Before
}

export async function readHistory(db: Reader, key: EntryKey): Promise<EntryHistory> {
  const [row] = await rowByKey(db, [], { ...key })
  const before: Before = row?.before_reactions ? JSON.parse(row.before_reactions) : []
  return { row, current: row?.entry_id ? shownBy(row) : null, before }
}

const shownBy = (row: Row): Shown => Object.fromEntries(shownColumns.map((column) => [column, row[column]])) as never

/** Changes the state of an entry. A row that would be empty is deleted. */
export async function showInstead(db: Writer, key: EntryKey, row: Row, shown: Shown | null, before: Before) {
  if (shown === null && row.read_revision === 0 && row.level === null && !row.is_marked_unread)
    return void (await ofEntry(db.deleteFrom('attention'), key).execute())
  const change = db.updateTable('attention').set({
    ...(shown ?? { ...NOTHING, entry_id: null }),
    before_reactions: before.length > 0 ? JSON.stringify(before) : null,
  })
  await ofEntry(change, key).execute()
}

interface Filtered {
  where(column: keyof EntryKey, is: '=', value: number): this
}

const ofEntry = <Q extends Filtered>(query: Q, { author_key, subject_type, subject_key }: EntryKey): Q =>
  query
    .where('author_key', '=', author_key)
    .where('subject_type', '=', subject_type)
    .where('subject_key', '=', subject_key)
