import type { Reader, Writer } from './db'

/** A link that may still be used, and whom it signs in. */
export const findSignInLink = (db: Reader, hash: string, now: number) =>
  db
    .selectFrom('sign_in_links as l')
    .innerJoin('authors as a', 'a.key', 'l.author_key')
    .innerJoin('members as m', 'm.author_key', 'l.author_key')
    .innerJoin('users as u', 'u.key', 'm.user_key')
    .innerJoin('workspaces as w', 'w.key', 'l.workspace_key')
    .where('l.hash', '=', hash)
    .where('l.used_at', 'is', null)
    .where('l.expires_at', '>', now)
    .where('m.is_deactivated', '=', 0)
    .select(['l.author_key', 'l.workspace_key', 'l.expires_at', 'a.name', 'u.email'])
    .select(['w.slug as workspace_slug', 'w.name as workspace_name'])
    .executeTakeFirst()

export const insertSignInLink = (
  db: Writer,
  link: { hash: string; workspace_key: number; author_key: number; created_at: number; expires_at: number },
) =>
  db
    .insertInto('sign_in_links')
    .values({ ...link, used_at: null })
    .execute()

/** Uses a link up. False where it was used already. */
export const useSignInLink = async (db: Writer, hash: string, now: number): Promise<boolean> =>
  (await db
    .updateTable('sign_in_links')
    .set({ used_at: now })
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .returning('hash')
    .executeTakeFirst()) !== undefined

export const deleteOldSignInLinks = (db: Writer, now: number) =>
  db.deleteFrom('sign_in_links').where('expires_at', '<=', now).execute()
