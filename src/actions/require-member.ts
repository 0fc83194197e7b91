import { Problem } from '../contract/errors'
import type { Viewer } from '../domain/permissions'

/** Refuses apps: they have no inbox, and nothing they have read or follow. */
export function requireMember(viewer: Viewer, detail = 'Only members have an inbox; apps have none.') {
  if (viewer.author.type === 'app') throw new Problem('forbidden', detail)
}
