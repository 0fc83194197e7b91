import { sql } from 'kysely'
import { type FileHolder, fileHolderNumbers } from '../../domain/references'
import { inBatches, insertRows } from '../engines/bulk'
import type { Reader, Writer } from '../engines/db'

/** A record or draft that references files, with its channel or thread, or with its owner if it is a draft. */
export interface Referrer {
  type: FileHolder
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
export const removeReferences = (db: Writer, type: FileHolder, keys: readonly number[], now: number) =>
  inBatches(keys, async (some) => deleteReferences(db, await findReferences(db, type, some), now))

type Reference = Awaited<ReturnType<typeof findReferences>>[number]

const findReferences = (db: Reader, type: FileHolder, keys: readonly number[]) =>
  db
    .selectFrom('file_references')
    .where('subject_type', '=', fileHolderNumbers[type])
    .where(db.syntax.isInJson('subject_key', JSON.stringify(keys)))
    .selectAll()
    .execute()

async function addReferences(db: Writer, referrer: Referrer, fileKeys: readonly number[], now: number) {
  if (fileKeys.length === 0) return
  const { type, key, workspace_key, channel_key = 0, thread_key = 0, owner_key = 0 } = referrer
  const location = { workspace_key, channel_key, thread_key }
  await insertRows(
    db,
    'file_references',
    fileKeys.map((file_key) => ({
      file_key,
      subject_type: fileHolderNumbers[type],
      subject_key: key,
      ...location,
      owner_key,
    })),
  )
  await db
    .updateTable('files')
    .set({ references_count: sql<number>`references_count + 1`, erase_at: null })
    .$if(type !== 'draft', (query) => query.set({ is_shared: true }))
    .where('key', 'in', fileKeys)
    .execute()
  if (channel_key || thread_key) await addToLocation(db, location, fileKeys, now)
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
  await removeFromLocations(
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

/** A channel or a thread, in which a file is listed once. The other key is 0. */
export interface FileLocation {
  channel_key: number
  thread_key: number
}

/** The row that counts the files of a channel or thread. */
const rowOf = ({ channel_key, thread_key }: FileLocation) =>
  channel_key ? (['channels', channel_key] as const) : (['threads', thread_key] as const)

/** The channels and threads that list a file, most recently shared first. */
export const findFileLocations = (db: Reader, fileKey: number, limit: number): Promise<FileLocation[]> =>
  db
    .selectFrom('file_places')
    .where('file_key', '=', fileKey)
    .select(['channel_key', 'thread_key'])
    .orderBy('shared_at', 'desc')
    .orderBy('channel_key')
    .limit(limit)
    .execute()

/** Counts one more record in a channel or thread that references these files. */
async function addToLocation(
  db: Writer,
  location: FileLocation & { workspace_key: number },
  fileKeys: readonly number[],
  now: number,
) {
  const { workspace_key, channel_key, thread_key } = location
  const counts = await db
    .insertInto('file_places')
    .columns(['workspace_key', 'channel_key', 'thread_key', 'file_key', 'file_id', 'shared_at', 'references_count'])
    .expression((eb) =>
      eb
        .selectFrom('files')
        .where('key', 'in', fileKeys)
        .select([sql.lit(workspace_key).as('w'), sql.lit(channel_key).as('c'), sql.lit(thread_key).as('t')])
        .select(['key', 'id', sql.lit(now).as('shared_at'), sql.lit(1).as('n')]),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['file_key', 'channel_key', 'thread_key'])
        .doUpdateSet({ references_count: sql<number>`file_places.references_count + 1` }),
    )
    .returning('references_count')
    .execute()
  await countFiles(db, location, counts.filter(({ references_count }) => references_count === 1).length)
}

/** Subtracts these references from the counts of their channels and threads. A file without references there is no longer listed. */
async function removeFromLocations(db: Writer, references: readonly (FileLocation & { file_key: number })[]) {
  for (const ofLocation of groupByLocation(references)) await removeFromLocation(db, ofLocation[0]!, ofLocation)
}

/** Removes files that are erased from the lists and counters of their channels and threads. */
export async function unlistFiles(db: Writer, fileKeys: readonly number[]) {
  const left = await db
    .deleteFrom('file_places')
    .where('file_key', 'in', fileKeys)
    .returning(['channel_key', 'thread_key'])
    .execute()
  for (const ofLocation of groupByLocation(left)) await countFiles(db, ofLocation[0]!, -ofLocation.length)
}

const groupByLocation = <Row extends FileLocation>(rows: readonly Row[]) =>
  Map.groupBy(rows, ({ channel_key, thread_key }) => `${channel_key}:${thread_key}`).values()

async function removeFromLocation(db: Writer, location: FileLocation, references: readonly { file_key: number }[]) {
  const byFile = Map.groupBy(references, ({ file_key }) => file_key)
  for (const [count, files] of Map.groupBy(byFile, ([, ofFile]) => ofFile.length))
    await db
      .updateTable('file_places')
      .set({ references_count: sql<number>`references_count - ${count}` })
      .where('channel_key', '=', location.channel_key)
      .where('thread_key', '=', location.thread_key)
      .where(
        'file_key',
        'in',
        files.map(([key]) => key),
      )
      .execute()
  const gone = await db
    .deleteFrom('file_places')
    .where('channel_key', '=', location.channel_key)
    .where('thread_key', '=', location.thread_key)
    .where('file_key', 'in', [...byFile.keys()])
    .where('references_count', '=', 0)
    .returning('file_key')
    .execute()
  await countFiles(db, location, -gone.length)
}

async function countFiles(db: Writer, location: FileLocation, change: number) {
  if (change === 0) return
  const [table, key] = rowOf(location)
  await db
    .updateTable(table)
    .set({ files_count: sql<number>`files_count + ${change}` })
    .where('key', '=', key)
    .execute()
}
