import { userFields } from '../domain/record-fields'
import type { Reader, Writer } from './engines/db'
import { deleteUnusedPassword, setPassword } from './passwords'
import type { Tables } from './schema'

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
  { author_key, user_id }: { author_key: number; user_id: string },
  { key, email }: { key: number; email: string },
  search_text: string,
) =>
  db
    .updateTable('members')
    .set({ user_key: key, user_fields: userFields({ id: user_id, email }), search_text })
    .where('author_key', '=', author_key)
    .execute()
