import type { Role } from '../contract/members'
import type { Scope } from '../contract/operation'
import type { Viewer } from '../domain/permissions'
import type { Reader } from './engines/db'
import { authorCard } from './json'

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
  author: { key: row.author_key, id: row.author_id, type: row.author_type, name: row.author_name, card: row.author },
  role: row.role,
  scopes,
})

/**
 * The author of a text as a viewer, with the rights they have now: that of an incoming webhook has those of its owner. Undefined
 * if they may no longer see anything: a member or owner who is deactivated, an app or a webhook that was deleted.
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
    .select(['a.key', 'a.id', 'a.type', 'a.name', authorCard('a').as('card')])
    .select(['apps.author_key as app_key', 'h.owner_key', 'm.role', 'm.is_deactivated'])
    .executeTakeFirst()
  if (!row) return undefined
  const { app_key, owner_key, role, is_deactivated, ...author } = row
  if (app_key === null && (role === null || is_deactivated)) return undefined
  return { workspace, author, role, scopes: ['read'], ...(owner_key !== null && { ownerKey: owner_key }) }
}
