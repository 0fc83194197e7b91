import type { Slice } from '../domain/lists/paging'
import type { Viewer } from '../domain/permissions'
import type { Reader, Writer } from './engines/db'
import { listFiltered } from './filtered'
import { authorCard, optionalAuthorCard } from './json'

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

/** An open link as admins see it: for whom, and by whom. */
export interface OpenLinkRow {
  key: number
  id: string
  created_at: number
  expires_at: number
  member: string
  created_by: string | null
}

const openLinks = (db: Reader, workspaceKey: number, now: number) =>
  db.selectFrom('sign_in_links as l').where('l.workspace_key', '=', workspaceKey).where('l.expires_at', '>', now)

const withAuthors = (query: ReturnType<typeof openLinks>) =>
  query
    .innerJoin('authors as a', 'a.key', 'l.author_key')
    .leftJoin('authors as creator', 'creator.key', 'l.created_by_key')
    .select(['l.key', 'l.id', 'l.created_at', 'l.expires_at', authorCard('a').as('member')])
    .select(optionalAuthorCard('creator').as('created_by'))

/** The open links of the workspace, or of one of its members. Members without one are most of them. */
export function listSignInLinks(db: Reader, viewer: Viewer, authorKey: number | undefined, now: number, slice: Slice) {
  const open = openLinks(db, viewer.workspace.key, now)
  const matching = authorKey === undefined ? open : open.where('l.author_key', '=', authorKey)
  const columns = { at: 'l.created_at', id: 'l.id' }
  return listFiltered<OpenLinkRow>(matching, withAuthors(matching), columns, slice)
}

export const findOpenLink = (db: Reader, workspaceKey: number, id: string, now: number) =>
  withAuthors(openLinks(db, workspaceKey, now))
    .where('l.id', '=', id)
    .executeTakeFirst()

export const findOpenLinkOf = (db: Reader, workspaceKey: number, authorKey: number, now: number) =>
  withAuthors(openLinks(db, workspaceKey, now))
    .where('l.author_key', '=', authorKey)
    .executeTakeFirst()

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
