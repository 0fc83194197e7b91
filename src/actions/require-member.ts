import { Problem } from '../contract/errors'
import type { Viewer } from '../domain/permissions'

/** Refuses apps, for what only members have, such as an inbox or drafts. */
export function requireMember(viewer: Viewer, detail: string) {
  if (viewer.author.type === 'app') throw new Problem('forbidden', detail)
}
