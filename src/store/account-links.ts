import type { Insertable } from 'kysely'
import type { Reader, Writer } from './engines/db'
import type { Tables } from './schema'

export type AccountLinkKind = Tables['account_links']['kind']

export const insertAccountLink = (db: Writer, link: Insertable<Tables['account_links']>) =>
  db.insertInto('account_links').values(link).execute()

/** A link of a mail that may still be used, and whose it is: one for each membership that a link to reset a password is for. */
export const findAccountLinks = (db: Reader, kind: AccountLinkKind, hash: string, now: number) =>
  db
    .selectFrom('account_links as l')
    .innerJoin('authors as a', 'a.key', 'l.author_key')
    .innerJoin('members as m', 'm.author_key', 'l.author_key')
    .innerJoin('users as u', 'u.key', 'm.user_key')
    .innerJoin('workspaces as w', 'w.key', 'm.workspace_key')
    .where('l.hash', '=', hash)
    .where('l.kind', '=', kind)
    .where('l.expires_at', '>', now)
    .whereRef('l.user_key', '=', 'm.user_key')
    .where('m.is_deactivated', '=', false)
    .select(['l.key', 'l.author_key', 'l.user_key', 'l.mail_key', 'l.expires_at', 'a.name', 'u.email'])
    .select(['w.key as workspace_key', 'w.slug as workspace_slug', 'w.name as workspace_name'])
    .orderBy('l.key')
    .execute()

export type AccountLink = Awaited<ReturnType<typeof findAccountLinks>>[number]

/** The same for links that are for one membership. */
export const findAccountLink = async (
  db: Reader,
  kind: Exclude<AccountLinkKind, 'password_reset'>,
  hash: string,
  now: number,
): Promise<AccountLink | undefined> => (await findAccountLinks(db, kind, hash, now))[0]

/** The sign-in links that were mailed to a member. */
export const deleteMailedSignInLinksOf = (db: Writer, authorKey: number) =>
  db.deleteFrom('account_links').where('author_key', '=', authorKey).where('kind', '=', 'sign_in').execute()

/**
 * All links that were mailed to a member, and the change of their address. A link to reset a password goes on for the other
 * memberships of the person: whoever can end this one may have no say in those.
 */
export async function endMailedLinksOf(db: Writer, authorKey: number) {
  await db.deleteFrom('account_links').where('author_key', '=', authorKey).execute()
  await db.deleteFrom('email_changes').where('author_key', '=', authorKey).execute()
}

/** The same for all memberships of a person, once they have proved that the address is theirs. */
export async function endMailedLinks(db: Writer, userKey: number) {
  await db.deleteFrom('account_links').where('user_key', '=', userKey).execute()
  await db.deleteFrom('email_changes').where('user_key', '=', userKey).execute()
}

export async function deleteOldAccountLinks(db: Writer, now: number) {
  await db.deleteFrom('account_links').where('expires_at', '<=', now).execute()
  await db.deleteFrom('email_changes').where('expires_at', '<=', now).execute()
}
