import type { Reader, Writer } from './db'

/** The passwords of everyone with this e-mail address who may sign in: one for each workspace they are in. */
export const findPasswordsOf = (db: Reader, email: string) =>
  db
    .selectFrom('users as u')
    .innerJoin('passwords as p', 'p.user_key', 'u.key')
    .innerJoin('members as m', 'm.author_key', 'p.author_key')
    .innerJoin('workspaces as w', 'w.key', 'm.workspace_key')
    .where('u.email', '=', email)
    .where('m.is_deactivated', '=', 0)
    .select(['p.author_key', 'p.hash', 'w.key as workspace_key', 'w.slug'])
    .orderBy('w.slug')
    .execute()

export const findPassword = async (db: Reader, authorKey: number): Promise<string | undefined> =>
  (await db.selectFrom('passwords').where('author_key', '=', authorKey).select('hash').executeTakeFirst())?.hash

export async function setPassword(db: Writer, authorKey: number, hash: string, now: number) {
  const { user_key } = await db
    .selectFrom('members')
    .where('author_key', '=', authorKey)
    .select('user_key')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('passwords')
    .values({ author_key: authorKey, user_key, hash, changed_at: now })
    .onConflict((conflict) => conflict.column('author_key').doUpdateSet({ hash, changed_at: now }))
    .execute()
}

export const deletePassword = (db: Writer, authorKey: number) =>
  db.deleteFrom('passwords').where('author_key', '=', authorKey).execute()
