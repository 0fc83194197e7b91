import { sql } from 'kysely'
import type { Reader, Writer } from '../engines/db'

/** How long attempts are counted together. */
export const ATTEMPTS_WINDOW_MS = 15 * 60 * 1000
/** The longest time that anything is counted together. */
export const DAY_MS = 24 * 60 * 60 * 1000

/** What was counted of these in windows that are not over. */
export const findAttempts = (db: Reader, subjects: readonly string[], now: number) =>
  db
    .selectFrom('sign_in_attempts')
    .where('subject', 'in', subjects)
    .where('started_at', '>', now - ATTEMPTS_WINDOW_MS)
    .selectAll()
    .execute()

/** Counts an attempt, or several. Returns how many there were in their window, and when that began. */
export const countAttempt = (
  db: Writer,
  subject: string,
  now: number,
  { count = 1, windowMs = ATTEMPTS_WINDOW_MS }: { count?: number; windowMs?: number } = {},
) => {
  const isOver = sql<boolean>`sign_in_attempts.started_at <= ${now - windowMs}`
  return db
    .insertInto('sign_in_attempts')
    .values({ subject, attempts: count, started_at: now })
    .onConflict((conflict) =>
      conflict.column('subject').doUpdateSet({
        attempts: sql`CASE WHEN ${isOver} THEN excluded.attempts ELSE sign_in_attempts.attempts + excluded.attempts END`,
        started_at: sql`CASE WHEN ${isOver} THEN excluded.started_at ELSE sign_in_attempts.started_at END`,
      }),
    )
    .returning(['attempts', 'started_at'])
    .executeTakeFirstOrThrow()
}

/** Undoes the count of an attempt that turned out to be right. */
export const uncountAttempt = (db: Writer, subject: string) =>
  db
    .updateTable('sign_in_attempts')
    .set({ attempts: sql`attempts - 1` })
    .where('subject', '=', subject)
    .where('attempts', '>', 0)
    .execute()

export const deleteAttempts = (db: Writer, subject: string) =>
  db.deleteFrom('sign_in_attempts').where('subject', '=', subject).execute()

export const deleteOldAttempts = (db: Writer, now: number) =>
  db
    .deleteFrom('sign_in_attempts')
    .where('started_at', '<=', now - DAY_MS)
    .execute()
