import { sql } from 'kysely'
import { inBatches, insertRows } from '../engines/bulk'
import type { Reader, Writer } from '../engines/db'
import { addToPlace, removeFromPlaces } from './places'
import { type FileSubject, fileSubjects } from './subjects'

/** A record or draft that references files, with its channel or thread, or with its owner if it is a draft. */
export interface Referrer {
  type: FileSubject
  key: number
  workspace_key: number
  channel_key?: number
  thread_key?: number
  owner_key?: number
}

/** How long an upload is kept if nothing references it and it was never shared. */
export const UNSHARED_MS = 24 * 60 * 60 * 1000

/** Sets which files a record or draft references. Call it in the transaction that changes the text. */
export async function setReferences(db: Writer, referrer: Referrer, fileKeys: readonly number[], now: number) {
  const old = await findReferences(db, referrer.type, [referrer.key])
  const wanted = new Set(fileKeys)
  const known = new Set(old.map(({ file_key }) => file_key))
  await addReferences(db, referrer, [...wanted.difference(known)], now)
  await deleteReferences(
    db,
    old.filter(({ file_key }) => !wanted.has(file_key)),
    now,
  )
}

/** The keys of the files that a record references. */
export const findReferencedKeys = async (db: Reader, { type, key }: Pick<Referrer, 'type' | 'key'>) =>
  new Set((await findReferences(db, type, [key])).map(({ file_key }) => file_key))

/** Removes all references of records or drafts that are being deleted. */
export const removeReferences = (db: Writer, type: FileSubject, keys: readonly number[], now: number) =>
  inBatches(keys, async (some) => deleteReferences(db, await findReferences(db, type, some), now))

type Reference = Awaited<ReturnType<typeof findReferences>>[number]

const findReferences = (db: Reader, type: FileSubject, keys: readonly number[]) =>
  db
    .selectFrom('file_references')
    .where('subject_type', '=', fileSubjects[type])
    .where(db.syntax.isInJson('subject_key', JSON.stringify(keys)))
    .selectAll()
    .execute()

async function addReferences(db: Writer, referrer: Referrer, fileKeys: readonly number[], now: number) {
  if (fileKeys.length === 0) return
  const { type, key, workspace_key, channel_key = 0, thread_key = 0, owner_key = 0 } = referrer
  const place = { workspace_key, channel_key, thread_key }
  await insertRows(
    db,
    'file_references',
    fileKeys.map((file_key) => ({
      file_key,
      subject_type: fileSubjects[type],
      subject_key: key,
      ...place,
      owner_key,
    })),
  )
  await db
    .updateTable('files')
    .set({ references_count: sql<number>`references_count + 1`, erase_at: null })
    .$if(type !== 'draft', (query) => query.set({ is_shared: true }))
    .where('key', 'in', fileKeys)
    .execute()
  if (channel_key || thread_key) await addToPlace(db, place, fileKeys, now)
}

async function deleteReferences(db: Writer, references: readonly Reference[], now: number) {
  if (references.length === 0) return
  for (const [subject_type, ofType] of Map.groupBy(references, (each) => each.subject_type))
    for (const [file_key, ofFile] of Map.groupBy(ofType, (each) => each.file_key))
      await db
        .deleteFrom('file_references')
        .where('file_key', '=', file_key)
        .where('subject_type', '=', subject_type)
        .where(db.syntax.isInJson('subject_key', JSON.stringify(ofFile.map(({ subject_key }) => subject_key))))
        .execute()
  await subtractReferences(db, references, now)
  await removeFromPlaces(
    db,
    references.filter(({ channel_key, thread_key }) => channel_key || thread_key),
  )
}

async function subtractReferences(db: Writer, references: readonly Reference[], now: number) {
  const byFile = Map.groupBy(references, ({ file_key }) => file_key)
  for (const [count, files] of Map.groupBy(byFile, ([, ofFile]) => ofFile.length))
    await db
      .updateTable('files')
      .set({
        references_count: sql<number>`references_count - ${count}`,
        // While a file was never shared, its uploader can still see it. Otherwise nobody can, and it is erased at once.
        erase_at: sql<number | null>`CASE WHEN references_count > ${count} THEN NULL
          WHEN is_shared = 1 THEN ${sql.lit(now)} ELSE ${sql.lit(now + UNSHARED_MS)} END`,
      })
      .where(
        'key',
        'in',
        files.map(([key]) => key),
      )
      .execute()
}
