import type { Preferences } from '../contract/me'
import type { Reader, Writer } from './engines/db'

/** The preferences that a member has changed. */
export async function findPreferences(db: Reader, authorKey: number): Promise<Partial<Preferences>> {
  const { preferences } = await db
    .selectFrom('members')
    .where('author_key', '=', authorKey)
    .select('preferences')
    .executeTakeFirstOrThrow()
  return JSON.parse(preferences)
}

export const setPreferences = (db: Writer, authorKey: number, preferences: Partial<Preferences>) =>
  db
    .updateTable('members')
    .set({ preferences: JSON.stringify(preferences) })
    .where('author_key', '=', authorKey)
    .execute()
