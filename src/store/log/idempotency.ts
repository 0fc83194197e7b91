import type { Insertable } from 'kysely'
import { prepare, type Reader, type Writer } from '../engines/db'
import type { Tables } from '../schema'

const RETENTION_MS = 24 * 60 * 60 * 1000

interface Owner {
  workspace_key: number
  author_key: number
}

const responseByKey = prepare((db, param) =>
  db
    .selectFrom('idempotency_keys')
    .where('workspace_key', '=', param<number>('workspace_key'))
    .where('author_key', '=', param<number>('author_key'))
    .where('key', '=', param<string>('key'))
    .where('created_at', '>', param<number>('after'))
    .select(['request_hash', 'answer']),
)

/** The stored answer of this key, if it is less than a day old. */
export async function findStoredResponse(db: Reader, owner: Owner, key: string, now: number) {
  const [answered] = await responseByKey(db, [], { ...owner, key, after: now - RETENTION_MS })
  return answered
}

const insertStatement = prepare((db, param) => {
  const answered = {
    request_hash: param<string>('request_hash'),
    answer: param<string>('answer'),
    created_at: param<number>('created_at'),
    subject_id: param<string>('subject_id'),
  }
  return db
    .insertInto('idempotency_keys')
    .values({
      workspace_key: param<number>('workspace_key'),
      author_key: param<number>('author_key'),
      key: param<string>('key'),
      ...answered,
    })
    .onConflict((conflict) => conflict.columns(['workspace_key', 'author_key', 'key']).doUpdateSet(answered))
})

export const storeResponse = (db: Writer, row: Insertable<Tables['idempotency_keys']>) =>
  insertStatement(db, [], { ...row })

/** Deletes expired answers, a bounded number at a time. */
export async function deleteOldResponses(db: Writer, now: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('idempotency_keys')
    .where('created_at', 'in', (eb) =>
      eb
        .selectFrom('idempotency_keys')
        .where('created_at', '<=', now - RETENTION_MS)
        .orderBy('created_at')
        .select('created_at')
        .limit(1_000),
    )
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
