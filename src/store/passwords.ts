import type { Reader, Writer } from './engines/db'

/** The one password of a person, and the members it signs in: one for each workspace it opens. */
export interface Password {
  userKey: number
  /** Undefined where the person has no password. */
  hash: string | undefined
  members: { author_key: number; workspace_key: number }[]
}

/** The password of whoever has this e-mail address, with the workspaces it opens. */
export async function findPasswordByEmail(db: Reader, email: string) {
  const members = await db
    .selectFrom('users as u')
    .innerJoin('passwords as p', 'p.user_key', 'u.key')
    .innerJoin('password_workspaces as o', 'o.user_key', 'u.key')
    .innerJoin('members as m', 'm.author_key', 'o.author_key')
    .innerJoin('workspaces as w', 'w.key', 'o.workspace_key')
    .where('u.email', '=', email)
    .where('m.is_deactivated', '=', false)
    .select(['p.hash', 'o.author_key', 'o.workspace_key', 'w.slug'])
    .orderBy('w.slug')
    .execute()
  return { hash: members[0]?.hash, members }
}

/** The password of the person this member is. */
export async function findPassword(db: Reader, authorKey: number): Promise<Password> {
  const rows = await db
    .selectFrom('members as m')
    .leftJoin('passwords as p', 'p.user_key', 'm.user_key')
    .leftJoin('password_workspaces as o', 'o.user_key', 'm.user_key')
    .where('m.author_key', '=', authorKey)
    .select(['m.user_key', 'p.hash', 'o.author_key', 'o.workspace_key'])
    .orderBy('o.workspace_key')
    .execute()
  const members = rows.flatMap(({ author_key, workspace_key }) =>
    author_key === null || workspace_key === null ? [] : [{ author_key, workspace_key }],
  )
  return { userKey: rows[0]?.user_key ?? 0, hash: rows[0]?.hash ?? undefined, members }
}

/**
 * The same, and nobody else changes it until the end of the transaction. The workspaces that are changed with it are
 * locked before the person, in the order of their keys.
 */
export async function lockPassword(db: Writer, authorKey: number): Promise<Password> {
  const person = db
    .selectFrom('users')
    .where('key', '=', (eb) => eb.selectFrom('members').where('author_key', '=', authorKey).select('user_key'))
    .select('key')
  await db.syntax.forUpdate(person).execute()
  return findPassword(db, authorKey)
}

export const setPassword = (db: Writer, userKey: number, hash: string, now: number) =>
  db
    .insertInto('passwords')
    .values({ user_key: userKey, hash, changed_at: now })
    .onConflict((conflict) => conflict.column('user_key').doUpdateSet({ hash, changed_at: now }))
    .execute()

/** Lets the password sign this member in. */
export const openWorkspace = (db: Writer, member: { user_key: number; workspace_key: number; author_key: number }) =>
  db
    .insertInto('password_workspaces')
    .values(member)
    .onConflict((conflict) => conflict.columns(['user_key', 'workspace_key']).doNothing())
    .execute()

/** The password no longer opens this workspace; one that opens none is deleted. */
export async function closeWorkspace(db: Writer, userKey: number, workspaceKey: number) {
  await db
    .deleteFrom('password_workspaces')
    .where('user_key', '=', userKey)
    .where('workspace_key', '=', workspaceKey)
    .execute()
  await deleteUnusedPassword(db, userKey)
}

/** Deletes a password that opens no workspace. */
export const deleteUnusedPassword = (db: Writer, userKey: number) =>
  db
    .deleteFrom('passwords')
    .where('user_key', '=', userKey)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('password_workspaces').where('user_key', '=', userKey).select('user_key'))),
    )
    .execute()
