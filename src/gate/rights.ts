import { Problem } from '../contract/errors'
import type { Operation, Scope } from '../contract/operation'
import { hasScope, roleMay, type Viewer } from '../domain/permissions'

/** Throws unless the scopes of the token and the role of its owner allow this operation. */
export function requireRights(viewer: Viewer, { access, tokenScope }: Operation) {
  if (access === 'public') return
  const scope = tokenScope ?? access
  if (!hasScope(viewer.scopes, scope))
    throw new Problem('insufficient_scope', `This requires a token with the \`${scope}\` scope.`, undefined, {
      'WWW-Authenticate': `Bearer realm="parley", error="insufficient_scope", scope="${scope}"`,
    })
  if (!roleMay(viewer.role, access)) throw new Problem('forbidden', refusals[access])
}

const refusals: Record<Scope, string> = {
  read: 'You do not have permission to read.',
  write: 'Viewers can read but not write.',
  admin: 'Only admins can do this.',
}

/**
 * Refuses what took long to arrive, such as a picture, if the role of its sender is another one now. The new role may allow it, too:
 * whoever sends it again is told.
 */
export function requireSameRole({ role }: Viewer, before: Viewer) {
  if (role !== before.role)
    throw new Problem('forbidden', 'Your role was changed while the file was being uploaded. Upload it again.')
}
