import { sql } from 'kysely'
import type { Reader, Writer } from '../engines/db'
import { optionalStoredAuthor } from '../lists/record-json'

/** What tells which first steps a member has done, and who invited them. */
export const findSetup = (db: Reader, authorKey: number) =>
  db
    .selectFrom('members as m')
    .innerJoin('authors as a', 'a.key', 'm.author_key')
    .leftJoin('authors as i', 'i.key', 'm.invited_by_key')
    .where('m.author_key', '=', authorKey)
    .select(['m.setup_done', 'm.job_title', 'm.time_zone', 'a.avatar', hasSettings.as('is_notifying_chosen')])
    .select(optionalStoredAuthor('i').as('inviter'))
    .executeTakeFirstOrThrow()

const hasSettings = sql<boolean>`CASE WHEN EXISTS (SELECT 1 FROM notification_settings AS s WHERE s.author_key = m.author_key)
  THEN 1 ELSE 0 END`

export const setSetupDone = (db: Writer, authorKey: number, setup_done: string) =>
  db.updateTable('members').set({ setup_done }).where('author_key', '=', authorKey).execute()
