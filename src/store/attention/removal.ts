import { type SqlBool, sql } from 'kysely'
import { type AttentionKind, attentionNumbers } from '../../domain/references'
import { prepare, type Reader, type Writer } from '../engines/db'
import type { Tables } from '../schema'

/** When a comment or message is deleted, the entry that tells its author of reactions to it goes. */
export const removeReactionEntry = (
  db: Writer,
  kind: AttentionKind,
  subjectKey: number,
  authorKey: number,
  itemKey: number,
) =>
  db
    .deleteFrom('inbox_entries')
    .where('kind', '=', attentionNumbers[kind])
    .where('subject_key', '=', subjectKey)
    .where('author_key', '=', authorKey)
    .where('about', '=', 'reaction')
    .where('item_key', '=', itemKey)
    .execute()

const tables = ['inbox_entries', 'follows', 'read_positions'] as const
/** So many members lose their rows of a deleted post at a time. */
const MAX_REMOVED = 200

/** Deletes what a deleted post was to members; if there are many, the rest is left to the job that fills inboxes. */
export async function removeSubject(db: Writer, kind: AttentionKind, key: number) {
  const subject = { kind: attentionNumbers[kind], subject_key: key }
  const author_key = await removeSome(db, { ...subject, author_key: 0 })
  if (author_key !== null)
    await db
      .insertInto('removed_subjects')
      .values({ ...subject, author_key })
      .execute()
}

/** Deletes more of what a deleted post was to members. Returns whether there may be more. */
export async function removeLeftovers(db: Writer): Promise<boolean> {
  const subject = await findRemovedSubject(db)
  if (!subject) return false
  const author_key = await removeSome(db, subject)
  const isSame = sql<SqlBool>`kind = ${subject.kind} AND subject_key = ${subject.subject_key}`
  if (author_key === null) await db.deleteFrom('removed_subjects').where(isSame).execute()
  else await db.updateTable('removed_subjects').set({ author_key }).where(isSame).execute()
  return true
}

/** A post whose rows are still to be deleted. */
export const findRemovedSubject = async (db: Reader) => (await removedSubject(db, [], {}))[0]

const removedSubject = prepare((db) =>
  db.selectFrom('removed_subjects').select(['kind', 'subject_key', 'author_key']).limit(1),
)

/** Deletes the rows of the next members after one. Returns the last of them, or null if no rows are left. */
async function removeSome(db: Writer, subject: Tables['removed_subjects']): Promise<number | null> {
  const ends: number[] = []
  for (const table of tables) {
    const { rows } = await sql<{ last: number | null; count: number }>`SELECT max(author_key) AS last, count(*) AS count
      FROM (SELECT author_key FROM ${sql.table(table)} WHERE ${isAfter(subject)} ORDER BY author_key
        LIMIT ${sql.lit(MAX_REMOVED)}) AS next`.execute(db)
    if (rows[0]!.count === MAX_REMOVED) ends.push(rows[0]!.last!)
  }
  const end = ends.length === 0 ? null : Math.min(...ends)
  const upTo = end === null ? sql`` : sql` AND author_key <= ${end}`
  for (const table of tables) await sql`DELETE FROM ${sql.table(table)} WHERE ${isAfter(subject)}${upTo}`.execute(db)
  return end
}

const isAfter = ({ kind, subject_key, author_key }: Tables['removed_subjects']) =>
  sql`kind = ${kind} AND subject_key = ${subject_key} AND author_key > ${author_key}`
