import { sql } from 'kysely'
import type { Reader, Writer } from '../engines/db'

/** How long attempts are counted together. */
export const ATTEMPTS_WINDOW_MS = 15 * 60 * 1000

/** What was counted of these in windows that are not over. */
export const findAttempts = (db: Reader, subjects: readonly string[], now: number) =>
  db
    .selectFrom('sign_in_attempts')
    .where('subject', 'in', subjects)
    .where('started_at', '>', now - ATTEMPTS_WINDOW_MS)
    .selectAll()
    .execute()

/** Counts an attempt. Returns how many there were in its window, and when that began. */
export const countAttempt = (db: Writer, subject: string, now: number) => {
  const isOver = sql<boolean>`sign_in_attempts.started_at <= ${now - ATTEMPTS_WINDOW_MS}`
  return db
    .insertInto('sign_in_attempts')
    .values({ subject, attempts: 1, started_at: now })
    .onConflict((conflict) =>
      conflict.column('subject').doUpdateSet({
        attempts: sql`CASE WHEN ${isOver} THEN 1 ELSE sign_in_attempts.attempts + 1 END`,
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
    .where('started_at', '<=', now - ATTEMPTS_WINDOW_MS)
    .execute()
