import { sql } from 'kysely'
import type { Viewer } from '../../domain/permissions'
import { attentionNumbers } from '../../domain/references'
import type { Writer } from '../engines/db'
import type { EntryRow } from './entries'
import { setRead, setUnread } from './positions'

const subjectOf = ({ subject_type, subject_key, channel_key }: EntryRow) => {
  const kind = subject_type === attentionNumbers.post ? ('post' as const) : ('thread' as const)
  return { kind, key: subject_key, channel_key }
}

const setEntry = (
  db: Writer,
  viewer: Viewer,
  entry: EntryRow,
  change: { read_at?: number | null; archived_at?: number | null },
) =>
  db
    .updateTable('attention')
    .set(change)
    .where('author_key', '=', viewer.author.key)
    .where('subject_type', '=', entry.subject_type)
    .where('subject_key', '=', entry.subject_key)
    .execute()

const isOfChannel = (entry: EntryRow) => entry.subject_type === attentionNumbers.channel

/** Reads an entry, and its post or thread up to a revision. To read that someone was added to a channel does not read the channel. */
export async function readEntry(db: Writer, viewer: Viewer, entry: EntryRow, upTo: number, now: number) {
  if (isOfChannel(entry)) await setEntry(db, viewer, entry, { read_at: now })
  else await setRead(db, viewer, subjectOf(entry), upTo, now)
}

/** Marks an entry as unread, and the latest activity of its post or thread. */
export async function unreadEntry(db: Writer, viewer: Viewer, entry: EntryRow) {
  if (isOfChannel(entry)) return void (await setEntry(db, viewer, entry, { read_at: null }))
  // An entry may be newer than the activity: it may be about a mention that was added later.
  const latest = Math.min(entry.entry_revision, entry.activity_revision)
  await setUnread(db, viewer, subjectOf(entry), latest - 1)
}

export const archiveEntry = (db: Writer, viewer: Viewer, entry: EntryRow, archived_at: number | null) =>
  setEntry(db, viewer, entry, { archived_at })

/** Reads all unread entries that are not archived, and their posts and threads. Returns whether there were any. */
export async function readAllEntries(db: Writer, viewer: Viewer, upTo: number, now: number): Promise<boolean> {
  const read = <T>(value: T, column: string) =>
    sql<never>`CASE WHEN subject_type = ${sql.lit(attentionNumbers.channel)} THEN ${sql.ref(column)} ELSE ${value} END`
  const { numUpdatedRows } = await db
    .updateTable('attention')
    .set({ read_at: now, read_revision: read(upTo, 'read_revision'), is_marked_unread: read(0, 'is_marked_unread') })
    .where('author_key', '=', viewer.author.key)
    .where('entry_id', 'is not', null)
    .where('archived_at', 'is', null)
    .where('read_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0
}
