import type { Reader, Writer } from '../engines/db'
import type { Tables } from '../schema'

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
export const allowPassword = (db: Writer, member: { user_key: number; workspace_key: number; author_key: number }) =>
  db
    .insertInto('password_workspaces')
    .values(member)
    .onConflict((conflict) => conflict.columns(['user_key', 'workspace_key']).doNothing())
    .execute()

/** The password no longer opens this workspace; one that opens none is deleted. */
export async function disallowPassword(db: Writer, userKey: number, workspaceKey: number) {
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

export type EmailChange = Tables['email_changes']

/** The address that a member is about to get, unless it took too long. */
export const findEmailChange = (db: Reader, authorKey: number, now: number): Promise<EmailChange | undefined> =>
  db
    .selectFrom('email_changes')
    .where('author_key', '=', authorKey)
    .where('expires_at', '>', now)
    .selectAll()
    .executeTakeFirst()

/** Replaces the change that was wanted before, whose link no longer works. */
export async function setEmailChange(db: Writer, change: EmailChange) {
  await deleteEmailChange(db, change.author_key)
  await db.insertInto('email_changes').values(change).execute()
}

export async function deleteEmailChange(db: Writer, authorKey: number) {
  await db.deleteFrom('account_links').where('author_key', '=', authorKey).where('kind', '=', 'email_change').execute()
  await db.deleteFrom('email_changes').where('author_key', '=', authorKey).execute()
}

/** A new account with this address; undefined if there is one already. Of two changes at once, one finds it taken. */
export const insertUser = (db: Writer, user: { id: string; email: string; created_at: number }) =>
  db
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning(['key', 'email'])
    .executeTakeFirst()

/** Gives the address of an account that nobody has yet to another one. */
export async function takeEmail(db: Writer, from: { key: number; email: string }, userKey: number) {
  await db.deleteFrom('users').where('key', '=', from.key).execute()
  return db
    .updateTable('users')
    .set({ email: from.email })
    .where('key', '=', userKey)
    .returning(['key', 'email'])
    .executeTakeFirstOrThrow()
}

/** The members that a person is: one for each workspace. */
export const findMembersOfUser = (db: Reader, userKey: number) =>
  db
    .selectFrom('members')
    .where('user_key', '=', userKey)
    .select(['author_key', 'workspace_key', 'is_deactivated'])
    .orderBy('workspace_key')
    .execute()

/** Gives an account the password of another, for those of these members whose workspaces it opened. */
export async function movePassword(db: Writer, from: number, to: number, authorKeys: readonly number[]) {
  const opened = await db
    .updateTable('password_workspaces')
    .set({ user_key: to })
    .where('user_key', '=', from)
    .where('author_key', 'in', authorKeys)
    .returning('author_key')
    .execute()
  if (opened.length === 0) return
  const password = await db.selectFrom('passwords').where('user_key', '=', from).selectAll().executeTakeFirstOrThrow()
  await setPassword(db, to, password.hash, password.changed_at)
  await deleteUnusedPassword(db, from)
}

/** Moves a member to an account, which may be the one they have, whose address has changed. Their ids stay. */
export const setMemberUser = (
  db: Writer,
  { author_key }: { author_key: number },
  user: { key: number },
  search_text: string,
) => db.updateTable('members').set({ user_key: user.key, search_text }).where('author_key', '=', author_key).execute()
