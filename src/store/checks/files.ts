import { fileHolderNumbers } from '../../domain/references'
import { countRows, type Reader } from '../engines/db'
import { blobOwners } from '../files/blobs'

/** The tables of the records that reference files, and the condition for a record that still exists. */
const records = [
  ['post', 'posts', '1 = 1'],
  ['resolution', 'posts', 's.resolved_markdown IS NOT NULL'],
  ['comment', 'comments', 's.is_deleted = 0'],
  ['message', 'messages', '1 = 1'],
] as const

/** The counters of files, as in `recount.ts`. */
export const fileCounters = [
  { of: 'files.references_count', counts: 'file_references', by: 'file_key' },
  { of: 'channels.files_count', counts: 'file_places', by: 'channel_key', where: 'channel_key <> 0' },
  { of: 'threads.files_count', counts: 'file_places', by: 'thread_key', where: 'thread_key <> 0' },
] as const

const DRAFT = fileHolderNumbers.draft

export const fileRules = [
  {
    query: `SELECT f.id AS id, '' AS more FROM file_places p JOIN files f ON f.key = p.file_key
      LEFT JOIN (SELECT file_key, channel_key, thread_key, count(*) AS counted FROM file_references
        GROUP BY file_key, channel_key, thread_key) r
      ON r.file_key = p.file_key AND r.channel_key = p.channel_key AND r.thread_key = p.thread_key
      WHERE p.references_count <> coalesce(r.counted, 0) OR p.file_id <> f.id OR p.workspace_key <> f.workspace_key`,
    says: (id: string) => `File ${id} is listed in a channel or thread with another number of references`,
  },
  {
    query: `SELECT f.id AS id, '' AS more FROM file_references r JOIN files f ON f.key = r.file_key
      LEFT JOIN file_places p ON p.file_key = r.file_key AND p.channel_key = r.channel_key AND p.thread_key = r.thread_key
      WHERE r.workspace_key <> f.workspace_key
      OR (r.subject_type <> ${DRAFT} AND (p.file_key IS NULL OR f.is_shared = 0 OR r.owner_key <> 0))
      OR (r.subject_type = ${DRAFT} AND (r.owner_key = 0 OR r.channel_key <> 0 OR r.thread_key <> 0))`,
    says: (id: string) => `File ${id} is referenced, but not listed where it is`,
  },
  {
    query: `SELECT id, '' AS more FROM files
      WHERE (references_count > 0 AND erase_at IS NOT NULL) OR (references_count = 0 AND erase_at IS NULL)`,
    says: (id: string) => `File ${id} is going to be erased though it is referenced, or the other way round`,
  },
  {
    query: `SELECT w.slug AS id, '' AS more FROM workspaces w
      LEFT JOIN (SELECT workspace_key, sum(size) AS bytes FROM files GROUP BY workspace_key) f ON f.workspace_key = w.key
      WHERE w.files_bytes <> coalesce(f.bytes, 0)`,
    says: (id: string) => `The files of the workspace ${id} have another size in all than it says`,
  },
  {
    query: `SELECT b.object AS id, '' AS more FROM blobs b
      WHERE ${blobOwners.map((table) => `NOT EXISTS (SELECT 1 FROM ${table} o WHERE o.blob_key = b.key)`).join(' AND ')}`,
    says: (id: string) => `No file or picture uses the object ${id}`,
  },
  ...blobOwners.map((table) => ({
    query: `SELECT b.object AS id, '${table}' AS more FROM ${table} o JOIN blobs b ON b.key = o.blob_key
      WHERE b.workspace_key <> o.workspace_key`,
    says: (id: string, more: string) => `The object ${id} is used in another workspace (${more})`,
  })),
  ...(['pictures', 'workspace_icons'] as const).map((table) => ({
    query: `SELECT name AS id, '' AS more FROM ${table}
      WHERE (image IS NULL AND blob_key IS NULL) OR (image IS NOT NULL AND blob_key IS NOT NULL)`,
    says: (id: string) => `The picture ${id} has no bytes, or has them twice`,
  })),
  ...records.map(([type, table, isThere]) => ({
    query: `SELECT f.id AS id, '${type}' AS more FROM file_references r JOIN files f ON f.key = r.file_key
      LEFT JOIN ${table} s ON s.key = r.subject_key AND s.workspace_key = r.workspace_key AND ${isThere}
      WHERE r.subject_type = ${fileHolderNumbers[type]} AND s.key IS NULL`,
    says: (id: string, more: string) => `File ${id} is referenced by a ${more} that does not exist`,
  })),
]

const PAGE = 1_000

/**
 * A page of all blobs, sorted by object. Each has the id of a file, or the name of a picture or emoji, that uses it. `next` is what
 * the next page comes after; undefined if this is the last one.
 */
export async function listBlobs(db: Reader, after: string) {
  const rows = await blobsAfter(db, after)
  return { rows, next: rows.length < PAGE ? undefined : rows.at(-1)!.object }
}

const blobsAfter = (db: Reader, after: string) =>
  db
    .selectFrom('blobs as b')
    .where('b.object', '>', after)
    .orderBy('b.object')
    .limit(PAGE)
    .select((eb) => [
      'b.object',
      'b.hash',
      'b.size',
      eb.fn
        .coalesce(
          eb
            .selectFrom('files as f')
            .whereRef('f.blob_key', '=', 'b.key')
            .select(({ fn }) => fn.min('f.id').as('id')),
          eb
            .selectFrom('pictures as p')
            .whereRef('p.blob_key', '=', 'b.key')
            .select(({ fn }) => fn.min('p.name').as('id')),
          eb
            .selectFrom('workspace_icons as i')
            .whereRef('i.blob_key', '=', 'b.key')
            .select(({ fn }) => fn.min('i.name').as('id')),
          eb
            .selectFrom('custom_emoji as e')
            .whereRef('e.blob_key', '=', 'b.key')
            .select(({ fn }) => fn.min('e.name').as('id')),
        )
        .as('used_by'),
    ])
    .execute()

export const countBlobs = (db: Reader): Promise<number> => countRows(db.selectFrom('blobs'))

/** Whether an object is recorded as a stray object, or named by a blob. */
export const isKnownObject = async (db: Reader, object: string): Promise<boolean> =>
  (await db
    .selectFrom('stray_objects')
    .where('object', '=', object)
    .select('object')
    .unionAll(db.selectFrom('blobs').where('object', '=', object).select('object'))
    .executeTakeFirst()) !== undefined

export const hasBlob = async (db: Reader, object: string): Promise<boolean> =>
  (await db.selectFrom('blobs').where('object', '=', object).select('key').executeTakeFirst()) !== undefined

/** Counts the stray objects that should have been deleted by then. */
export const countOverdueObjects = (db: Reader, before: number): Promise<number> =>
  countRows(db.selectFrom('stray_objects').where('delete_after', '<', before))
