import type { Insertable } from 'kysely'
import type { Reader, Writer } from './db'
import type { Tables } from './schema'

export type AccountLinkKind = Tables['account_links']['kind']

export const insertAccountLink = (db: Writer, link: Insertable<Tables['account_links']>) =>
  db.insertInto('account_links').values(link).execute()

/** A link of a mail that may still be used, and whose it is. */
export const findAccountLink = (db: Reader, kind: AccountLinkKind, hash: string, now: number) =>
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
    .executeTakeFirst()

export type AccountLink = NonNullable<Awaited<ReturnType<typeof findAccountLink>>>

/** The links of a kind that were mailed to a member. */
export const deleteAccountLinksOf = (db: Writer, authorKey: number, kind?: AccountLinkKind) => {
  const links = db.deleteFrom('account_links').where('author_key', '=', authorKey)
  return (kind ? links.where('kind', '=', kind) : links).execute()
}

/** All links that were mailed to a person, and the change of their address. */
export async function endMailedLinks(db: Writer, userKey: number) {
  await db.deleteFrom('account_links').where('user_key', '=', userKey).execute()
  await db.deleteFrom('email_changes').where('user_key', '=', userKey).execute()
}

export async function deleteOldAccountLinks(db: Writer, now: number) {
  await db.deleteFrom('account_links').where('expires_at', '<=', now).execute()
  await db.deleteFrom('email_changes').where('expires_at', '<=', now).execute()
}
