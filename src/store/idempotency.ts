import type { Reader, Writer } from './db'

export const KEPT_MS = 24 * 60 * 60 * 1000

interface Owner {
  workspace_key: number
  author_key: number
}

interface Answered {
  request_hash: string
  /** Null where the answer showed a secret; empty where the record it showed has been deleted since. */
  answer: string | null
}

interface NewAnswer extends Owner, Answered {
  key: string
  created_at: number
  subject_id: string
}

/** What was answered under this key, if that was less than a day ago. */
export async function findAnswer(db: Reader, owner: Owner, key: string, now: number): Promise<Answered | undefined> {
  const [answered] = await db.prepared<Answered>(
    'idempotency.find',
    (slot) =>
      db
        .selectFrom('idempotency_keys')
        .where('workspace_key', '=', slot<number>('workspace_key'))
        .where('author_key', '=', slot<number>('author_key'))
        .where('key', '=', slot<string>('key'))
        .where('created_at', '>', slot<number>('after'))
        .select(['request_hash', 'answer']),
    { ...owner, key, after: now - KEPT_MS },
  )
  return answered
}

export const insertAnswer = (db: Writer, row: NewAnswer) =>
  db.prepared(
    'idempotency.insert',
    (slot) => {
      const answered = {
        request_hash: slot<string>('request_hash'),
        answer: slot<string>('answer'),
        created_at: slot<number>('created_at'),
        subject_id: slot<string>('subject_id'),
      }
      return db
        .insertInto('idempotency_keys')
        .values({
          workspace_key: slot<number>('workspace_key'),
          author_key: slot<number>('author_key'),
          key: slot<string>('key'),
          ...answered,
        })
        .onConflict((conflict) => conflict.columns(['workspace_key', 'author_key', 'key']).doUpdateSet(answered))
    },
    { ...row },
  )

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
