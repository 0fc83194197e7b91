import type { Reader } from '../db'

const PAGE = 1_000

/** A page of all blobs, sorted by object. Each has the id of a file, or the name of a picture or emoji, that uses it. */
export const listBlobs = (db: Reader, after: string) =>
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

export const isLastPage = (rows: readonly unknown[]) => rows.length < PAGE

/** Whether an object is recorded as a stray object, or named by a blob. */
export async function isKnownObject(db: Reader, object: string): Promise<boolean> {
  const [stray, blob] = await Promise.all([
    db.selectFrom('stray_objects').where('object', '=', object).select('object').executeTakeFirst(),
    db.selectFrom('blobs').where('object', '=', object).select('key').executeTakeFirst(),
  ])
  return stray !== undefined || blob !== undefined
}

export const hasBlob = async (db: Reader, object: string): Promise<boolean> =>
  (await db.selectFrom('blobs').where('object', '=', object).select('key').executeTakeFirst()) !== undefined

/** Counts the stray objects that should have been deleted by then. */
export const countOverdueObjects = async (db: Reader, before: number): Promise<number> =>
  (
    await db
      .selectFrom('stray_objects')
      .where('delete_after', '<', before)
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
  ).count
