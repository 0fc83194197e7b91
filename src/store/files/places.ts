import { sql } from 'kysely'
import type { Reader, Writer } from '../engines/db'

/** A channel or a thread, in which a file is listed once. The other key is 0. */
export interface FilePlace {
  channel_key: number
  thread_key: number
}

/** The row that counts the files of a place. */
const rowOf = ({ channel_key, thread_key }: FilePlace) =>
  channel_key ? (['channels', channel_key] as const) : (['threads', thread_key] as const)

/** The channels and threads that list a file, most recently shared first. */
export const findPlacesOf = (db: Reader, fileKey: number, limit: number): Promise<FilePlace[]> =>
  db
    .selectFrom('file_places')
    .where('file_key', '=', fileKey)
    .select(['channel_key', 'thread_key'])
    .orderBy('shared_at', 'desc')
    .orderBy('channel_key')
    .limit(limit)
    .execute()

/** How many files there are in a place that the viewer can see. */
export async function countFilesOf(db: Reader, place: FilePlace): Promise<number> {
  const [table, key] = rowOf(place)
  const { files_count } = await db
    .selectFrom(table)
    .where('key', '=', key)
    .select('files_count')
    .executeTakeFirstOrThrow()
  return files_count
}

/** Counts one more record in a place that references these files. */
export async function addToPlace(
  db: Writer,
  place: FilePlace & { workspace_key: number },
  fileKeys: readonly number[],
  now: number,
) {
  const { workspace_key, channel_key, thread_key } = place
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
  await countFiles(db, place, counts.filter(({ references_count }) => references_count === 1).length)
}

/** Subtracts these references from the counts of their places. If none is left in a place, the file is no longer listed there. */
export async function removeFromPlaces(db: Writer, references: readonly (FilePlace & { file_key: number })[]) {
  for (const ofPlace of groupByPlace(references)) await removeFromPlace(db, ofPlace[0]!, ofPlace)
}

/** Removes files that are erased from the lists and counters of their channels and threads. */
export async function leavePlaces(db: Writer, fileKeys: readonly number[]) {
  const left = await db
    .deleteFrom('file_places')
    .where('file_key', 'in', fileKeys)
    .returning(['channel_key', 'thread_key'])
    .execute()
  for (const ofPlace of groupByPlace(left)) await countFiles(db, ofPlace[0]!, -ofPlace.length)
}

const groupByPlace = <Row extends FilePlace>(rows: readonly Row[]) =>
  Map.groupBy(rows, ({ channel_key, thread_key }) => `${channel_key}:${thread_key}`).values()

async function removeFromPlace(db: Writer, place: FilePlace, references: readonly { file_key: number }[]) {
  const byFile = Map.groupBy(references, ({ file_key }) => file_key)
  for (const [count, files] of Map.groupBy(byFile, ([, ofFile]) => ofFile.length))
    await db
      .updateTable('file_places')
      .set({ references_count: sql<number>`references_count - ${count}` })
      .where('channel_key', '=', place.channel_key)
      .where('thread_key', '=', place.thread_key)
      .where(
        'file_key',
        'in',
        files.map(([key]) => key),
      )
      .execute()
  const gone = await db
    .deleteFrom('file_places')
    .where('channel_key', '=', place.channel_key)
    .where('thread_key', '=', place.thread_key)
    .where('file_key', 'in', [...byFile.keys()])
    .where('references_count', '=', 0)
    .returning('file_key')
    .execute()
  await countFiles(db, place, -gone.length)
}

async function countFiles(db: Writer, place: FilePlace, change: number) {
  if (change === 0) return
  const [table, key] = rowOf(place)
  await db
    .updateTable(table)
    .set({ files_count: sql<number>`files_count + ${change}` })
    .where('key', '=', key)
    .execute()
}
