import { countRows, type Reader } from '../engines/db'

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
