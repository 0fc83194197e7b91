import { type SqlBool, sql } from 'kysely'
import { type AttentionKind, attentionNumbers } from '../../domain/references'
import { prepare, type Reader, type Writer } from '../engines/db'

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

/** Deletes what a deleted post was to members; the rest is left to the job that fills inboxes, if there are many. */
export async function removeSubject(db: Writer, kind: AttentionKind, key: number) {
  if (await removeSome(db, attentionNumbers[kind], key)) return
  await db.insertInto('removed_subjects').values({ kind: attentionNumbers[kind], subject_key: key }).execute()
}

/** Deletes more of what a deleted post was to members. Returns whether there may be more. */
export async function removeLeftovers(db: Writer): Promise<boolean> {
  const subject = await findRemovedSubject(db)
  if (!subject) return false
  const { kind, subject_key } = subject
  if (await removeSome(db, kind, subject_key))
    await db.deleteFrom('removed_subjects').where('kind', '=', kind).where('subject_key', '=', subject_key).execute()
  return true
}

/** A post whose rows are still to be deleted. */
export const findRemovedSubject = async (db: Reader) => (await removedSubject(db, [], {}))[0]

const removedSubject = prepare((db) => db.selectFrom('removed_subjects').select(['kind', 'subject_key']).limit(1))

/** Returns whether nothing is left. */
async function removeSome(db: Writer, kind: number, key: number): Promise<boolean> {
  let isDone = true
  for (const table of tables) {
    const ofSubject = sql`kind = ${kind} AND subject_key = ${key}`
    const some = sql`(SELECT author_key FROM ${sql.table(table)} WHERE ${ofSubject} ORDER BY author_key LIMIT ${sql.lit(MAX_REMOVED)})`
    const { numDeletedRows } = await db
      .deleteFrom(table)
      .where(sql<SqlBool>`${ofSubject} AND author_key IN ${some}`)
      .executeTakeFirst()
    if (numDeletedRows >= MAX_REMOVED) isDone = false
  }
  return isDone
}
