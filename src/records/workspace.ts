import type { Workspace } from '../contract/workspace'
import type { Links } from '../domain/links'
import { timestamp } from '../domain/timestamps'
import type { WorkspaceRow } from '../store/workspaces'

export const toWorkspace = (links: Links, row: WorkspaceRow): Workspace => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  icon_url: links.icon(row.icon),
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
  is_set_up: row.is_set_up,
})
