import { Problem } from '../contract/errors'
import type { Viewer } from '../domain/permissions'

/** Refuses apps: what is a member's own, such as an inbox or drafts, they have none of. */
export function requireMember(viewer: Viewer, detail: string) {
  if (viewer.author.type === 'app') throw new Problem('forbidden', detail)
}
