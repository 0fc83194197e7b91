import type { Role } from '../contract/members'
import type { Scope } from '../contract/operation'
import type { Viewer } from '../domain/permissions'

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
