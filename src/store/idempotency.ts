import type { Reader, Writer } from './db'

export const KEPT_MS = 24 * 60 * 60 * 1000

interface Owner {
  workspace_key: number
  author_key: number
}

/** What was answered under this key, if that was less than a day ago. */
export const findAnswer = (db: Reader, { workspace_key, author_key }: Owner, key: string, now: number) =>
  db
    .selectFrom('idempotency_keys')
    .where('workspace_key', '=', workspace_key)
    .where('author_key', '=', author_key)
    .where('key', '=', key)
    .where('created_at', '>', now - KEPT_MS)
    .select(['request_hash', 'answer'])
    .executeTakeFirst()

export async function insertAnswer(
  db: Writer,
  row: Owner & { key: string; request_hash: string; answer: string | null; created_at: number },
) {
  const { request_hash, answer, created_at } = row
  await db
    .insertInto('idempotency_keys')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['workspace_key', 'author_key', 'key']).doUpdateSet({ request_hash, answer, created_at }),
    )
    .execute()
}

/** Forgets the answers that are too old to be given again, a bounded number at a time. */
export async function deleteOldAnswers(db: Writer, now: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('idempotency_keys')
    .where('created_at', 'in', (eb) =>
      eb
        .selectFrom('idempotency_keys')
        .where('created_at', '<=', now - KEPT_MS)
        .orderBy('created_at')
        .select('created_at')
        .limit(1_000),
    )
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
