import type { Role } from '../../contract/members'
import type { Scope } from '../../contract/operation'
import { seesPublic, type Viewer } from '../../domain/permissions'
import { sharedWith, viewerKeysOf } from '../access/visibility'
import { NO_CHANNELS } from '../access/visibility-hash'
import type { Reader, Writer } from '../engines/db'
import { storedAuthor } from '../lists/record-json'

/** An author of the workspace by its public id, gone apps left out. */
export const findAuthors = (db: Reader, viewer: Viewer, ids: readonly string[]) =>
  db
    .selectFrom('authors')
    .leftJoin('members', 'members.author_key', 'authors.key')
    .leftJoin('apps', 'apps.author_key', 'authors.key')
    .where('authors.workspace_key', '=', viewer.workspace.key)
    .where('authors.id', 'in', ids)
    .where((eb) => eb.or([eb('members.author_key', 'is not', null), eb('apps.author_key', 'is not', null)]))
    .select(['authors.key', 'authors.id', 'authors.name', 'members.is_deactivated'])
    .select(storedAuthor('authors').as('stored'))
    .execute()

/** Only the authors this viewer may see: guests see authors they share a channel or a thread with. */
export async function findVisibleAuthors(db: Reader, viewer: Viewer, ids: readonly string[]) {
  if (ids.length === 0) return []
  const authors = await findAuthors(db, viewer, ids)
  if (seesPublic(viewer)) return authors
  const shared = await filterShared(
    db,
    viewer,
    authors.map(({ key }) => key),
  )
  return authors.filter(({ key }) => key === viewer.author.key || shared.has(key))
}

/** An app as the author of what it wrote: one that is gone, or that of an incoming webhook. Nobody can mention or add it. */
export const findAppAuthor = async (db: Reader, viewer: Viewer, id: string) =>
  seesPublic(viewer)
    ? db
        .selectFrom('authors')
        .where('workspace_key', '=', viewer.workspace.key)
        .where('id', '=', id)
        .where('type', '=', 'app')
        .select('key')
        .executeTakeFirst()
    : undefined

/** Which of these authors are in a channel or a thread with the viewer. */
async function filterShared(db: Reader, viewer: Viewer, keys: readonly number[]): Promise<Set<number>> {
  if (keys.length === 0) return new Set()
  const rows = await db
    .selectFrom('authors')
    .where('key', 'in', keys)
    .where('key', 'in', sharedWith(db, viewerKeysOf(viewer)))
    .select('key')
    .execute()
  return new Set(rows.map(({ key }) => key))
}

export async function findAuthor(db: Reader, viewer: Viewer, id: string) {
  const [author] = await findAuthors(db, viewer, [id])
  return author
}

export const insertAuthor = (
  db: Writer,
  author: { workspace_key: number; id: string; type: 'app' | 'member'; name: string; avatar: string },
) =>
  db
    .insertInto('authors')
    .values({ ...author, threads_count: 0, tokens_count: 0, visibility_hash: NO_CHANNELS })
    .returning('key')
    .executeTakeFirstOrThrow()

export const setAuthor = (db: Writer, key: number, { name, avatar }: { name: string; avatar: string }) =>
  db.updateTable('authors').set({ name, avatar }).where('key', '=', key).execute()

/** What a query selects to make a `Viewer`. */
export interface ViewerRow {
  workspace_key: number
  workspace_id: string
  workspace_slug: string
  workspace_name: string
  author_key: number
  author_id: string
  author_type: 'app' | 'member'
  author_name: string
  author: string
  role: Role | null
}

export const toViewer = (row: ViewerRow, scopes: readonly Scope[]): Viewer => ({
  workspace: { key: row.workspace_key, id: row.workspace_id, slug: row.workspace_slug, name: row.workspace_name },
  author: { key: row.author_key, id: row.author_id, type: row.author_type, name: row.author_name, stored: row.author },
  role: row.role,
  scopes,
})

/**
 * The author of a text as a viewer, with the rights they have now. An incoming webhook has the rights of its owner. Undefined if
 * they may no longer see anything: a deactivated member or owner, a deleted app or webhook.
 */
export async function findAuthorViewer(
  db: Reader,
  workspace: Viewer['workspace'],
  authorKey: number,
): Promise<Viewer | undefined> {
  const row = await db
    .selectFrom('authors as a')
    .leftJoin('apps', 'apps.author_key', 'a.key')
    .leftJoin('hooks as h', (join) =>
      join.onRef('h.author_key', '=', 'a.key').on('h.workspace_key', '=', workspace.key),
    )
    .leftJoin('members as m', (join) =>
      join.on((on) =>
        on.or([on('m.author_key', '=', on.ref('a.key')), on('m.author_key', '=', on.ref('h.owner_key'))]),
      ),
    )
    .where('a.key', '=', authorKey)
    .where('a.workspace_key', '=', workspace.key)
    .select(['a.key', 'a.id', 'a.type', 'a.name', storedAuthor('a').as('stored')])
    .select(['apps.author_key as app_key', 'h.owner_key', 'm.role', 'm.is_deactivated'])
    .executeTakeFirst()
  if (!row) return undefined
  const { app_key, owner_key, role, is_deactivated, ...author } = row
  if (app_key === null && (role === null || is_deactivated)) return undefined
  return { workspace, author, role, scopes: ['read'], ...(owner_key !== null && { ownerKey: owner_key }) }
}
