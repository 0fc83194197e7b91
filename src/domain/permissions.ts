import type { Role } from '../contract/members'
import type { Scope } from '../contract/operation'

/** Who asks: an app or a member of one workspace, with the scopes of the token it came with. */
export interface Viewer {
  workspace: { key: number; id: string; slug: string; name: string }
  author: { key: number; id: string; type: 'app' | 'member'; name: string; card: string }
  /** Null for an app: it may do what its scopes say. */
  role: Role | null
  scopes: readonly Scope[]
  /** The browser's session that the token comes from, where it is a page's. */
  sessionKey?: number
}

const impliedBy: Record<Scope, readonly Scope[]> = {
  read: ['read', 'write', 'admin'],
  write: ['write', 'admin'],
  admin: ['admin'],
}

const roleAllows: Record<Role, readonly Scope[]> = {
  admin: ['read', 'write', 'admin'],
  member: ['read', 'write'],
  viewer: ['read'],
  guest: ['read', 'write'],
}

/** Whether the scopes of the token reach this far, whatever the role. */
export const hasScope = (scopes: readonly Scope[], needed: Scope): boolean =>
  scopes.some((scope) => impliedBy[needed].includes(scope))

/** Whether the role reaches this far, whatever the token. */
export const roleMay = (role: Role | null, needed: Scope): boolean => role === null || roleAllows[role].includes(needed)

export const may = (viewer: Viewer, needed: Scope): boolean =>
  hasScope(viewer.scopes, needed) && roleMay(viewer.role, needed)

/** Guests see only what they were added to; everyone else sees what is public too. */
export const seesPublic = (viewer: Viewer): boolean => viewer.role !== 'guest'

export const canManage = (viewer: Viewer): boolean => may(viewer, 'admin')

/** Their own words are everybody's to change who may write; other people's are the admins'. */
export const canEdit = (viewer: Viewer, authorKey: number): boolean =>
  may(viewer, 'write') && (viewer.author.key === authorKey || canManage(viewer))

/** Admins and members make tokens for themselves; no token makes a stronger one. */
export const canHaveTokens = (viewer: Viewer): boolean => viewer.role === 'admin' || viewer.role === 'member'

/** Whether scopes reach as far as others: no token manages one that is stronger than itself. */
export const covers = (scopes: readonly Scope[], others: readonly Scope[]): boolean =>
  others.every((scope) => hasScope(scopes, scope))

export const canRevoke = (viewer: Viewer, ownerKey: number, tokenScopes: readonly Scope[]): boolean =>
  covers(viewer.scopes, tokenScopes) && (viewer.author.key === ownerKey || canManage(viewer))
