import { type Insertable, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { OpenSignInLink } from '../../contract/sign-in-links'
import { type Links, toAuthor } from '../../domain/links'
import type { Slice } from '../../domain/lists/paging'
import type { Viewer } from '../../domain/permissions'
import { timestamp } from '../../domain/timestamps'
import type { Reader, Writer } from '../engines/db'
import { listRows } from '../lists/list'
import { optionalStoredAuthor, storedAuthor } from '../lists/record-json'
import type { Tables } from '../schema'

/** A link that may still be used, and whom it signs in. */
export const findSignInLink = (db: Reader, hash: string, now: number) =>
  db
    .selectFrom('sign_in_links as l')
    .innerJoin('authors as a', 'a.key', 'l.author_key')
    .innerJoin('members as m', 'm.author_key', 'l.author_key')
    .innerJoin('users as u', 'u.key', 'm.user_key')
    .innerJoin('workspaces as w', 'w.key', 'l.workspace_key')
    .where('l.hash', '=', hash)
    .where('l.expires_at', '>', now)
    .where('m.is_deactivated', '=', false)
    .select(['l.key', 'l.author_key', 'l.workspace_key', 'l.expires_at', 'a.name', 'u.email'])
    .select(['w.slug as workspace_slug', 'w.name as workspace_name'])
    .executeTakeFirst()

const openLinks = (db: Reader, workspaceKey: number, now: number) =>
  withAuthors(db.selectFrom('sign_in_links as l'))
    .where('l.workspace_key', '=', workspaceKey)
    .where('l.expires_at', '>', now)

/** Links as admins see them: for whom, and by whom. */
const withAuthors = <Query>(links: Query) =>
  (links as SelectQueryBuilder<Tables & { l: Tables['sign_in_links'] }, 'l', object>)
    .innerJoin('authors as a', 'a.key', 'l.author_key')
    .leftJoin('authors as creator', 'creator.key', 'l.created_by_key')
    .select(['l.key', 'l.id', 'l.created_at', 'l.expires_at', storedAuthor('a').as('member')])
    .select(optionalStoredAuthor('creator').as('created_by'))

export type OpenLinkRow = NonNullable<Awaited<ReturnType<typeof findOpenLink>>>

/** The open links of the workspace, or of one of its members, and how many. Members without one are most of them. */
export function listSignInLinks(db: Reader, viewer: Viewer, authorKey: number | undefined, now: number, slice: Slice) {
  const list = {
    ...{ table: 'sign_in_links', key: 'key', at: 'created_at', id: 'id' },
    ranges: [{ workspace_key: viewer.workspace.key, ...(authorKey !== undefined && { author_key: authorKey }) }],
    where: sql<SqlBool>`sign_in_links.expires_at > ${now}`,
  }
  return listRows(db, list, slice, (keys) => withAuthors(keys.innerJoin('sign_in_links as l', 'l.key', 'k.key')))
}

export const findOpenLink = (db: Reader, workspaceKey: number, id: string, now: number) =>
  openLinks(db, workspaceKey, now).where('l.id', '=', id).executeTakeFirst()

export const findOpenLinkOf = (db: Reader, workspaceKey: number, authorKey: number, now: number) =>
  openLinks(db, workspaceKey, now).where('l.author_key', '=', authorKey).executeTakeFirst()

export const insertSignInLink = (
  db: Writer,
  link: {
    id: string
    hash: string
    workspace_key: number
    author_key: number
    created_by_key: number
    created_at: number
    expires_at: number
  },
) => db.insertInto('sign_in_links').values(link).execute()

export const deleteSignInLink = (db: Writer, key: number) =>
  db.deleteFrom('sign_in_links').where('key', '=', key).execute()

/** The link of a member, expired or not. */
export const deleteSignInLinkOf = (db: Writer, authorKey: number) =>
  db.deleteFrom('sign_in_links').where('author_key', '=', authorKey).execute()

export const deleteOldSignInLinks = (db: Writer, now: number) =>
  db.deleteFrom('sign_in_links').where('expires_at', '<=', now).execute()

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

export const toOpenSignInLink = (links: Links, row: OpenLinkRow): OpenSignInLink => ({
  id: row.id,
  member: toAuthor(links, row.member),
  created_by: row.created_by === null ? null : toAuthor(links, row.created_by),
  created_at: timestamp(row.created_at),
  expires_at: timestamp(row.expires_at),
})
