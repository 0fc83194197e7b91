import type { Role } from '../contract/members'
import type { Scope } from '../contract/operation'
import type { ChannelMentions } from '../contract/workspace'

/** The caller: an app or a member of one workspace, with the scopes of its token. */
export interface Viewer {
  workspace: { key: number; id: string; slug: string; name: string }
  author: { key: number; id: string; type: 'app' | 'member'; name: string; stored: string }
  /** Null for an app: it may do what its scopes say. */
  role: Role | null
  scopes: readonly Scope[]
  /** The member whose access counts instead of the author's, where an incoming webhook writes. */
  ownerKey?: number
  /** The program that acts for the member, where it said so. */
  via?: string
  /** The browser's session that the token comes from, where it is a page's. */
  sessionKey?: number
}

/** Whose channels and threads the viewer can see. */
export const accessKeyOf = ({ author, ownerKey }: Viewer): number => ownerKey ?? author.key

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

/** Whether the scopes of a token include this one. */
export const hasScope = (scopes: readonly Scope[], needed: Scope): boolean =>
  scopes.some((scope) => impliedBy[needed].includes(scope))

/** Whether a role allows this scope. Apps have no role. */
export const roleMay = (role: Role | null, needed: Scope): boolean => role === null || roleAllows[role].includes(needed)

export const may = (viewer: Viewer, needed: Scope): boolean =>
  hasScope(viewer.scopes, needed) && roleMay(viewer.role, needed)

/** Guests see only what they were added to; everyone else sees what is public too. */
export const seesPublic = (viewer: Viewer): boolean => viewer.role !== 'guest'

export const canManage = (viewer: Viewer): boolean => may(viewer, 'admin')

/** Members may create public channels, if the workspace lets them; admins always may. */
export const canCreateChannels = (viewer: Viewer, workspace: { members_create_channels: boolean }): boolean =>
  canManage(viewer) ||
  (may(viewer, 'write') && (viewer.role === 'admin' || (viewer.role === 'member' && workspace.members_create_channels)))

/**
 * Who may rename and describe a channel that they can see, and add and remove people: admins, and the member who created it while
 * they are in it. Making it private, public or a default channel and archiving it are for admins alone.
 */
export const canManageChannel = (viewer: Viewer, channel: { creator_id: string | null }, isIn: boolean): boolean =>
  canManage(viewer) ||
  (may(viewer, 'write') &&
    (viewer.role === 'admin' || viewer.role === 'member') &&
    channel.creator_id === viewer.author.id &&
    isIn)

/** Authors may edit what they wrote; admins may edit everything. */
export const canEdit = (viewer: Viewer, authorKey: number): boolean =>
  may(viewer, 'write') && (viewer.author.key === authorKey || canManage(viewer))

/**
 * Whether someone may mention everyone in a channel: admins, and members and apps where the workspace lets them. An incoming webhook
 * may not, because anyone who knows its address can post.
 */
export function canMentionChannels({ role, scopes, ownerKey }: Viewer, who: ChannelMentions): boolean {
  if (ownerKey !== undefined) return false
  if (role === null) return who === 'members' || hasScope(scopes, 'admin')
  return role === 'admin' || (role === 'member' && who === 'members')
}

/** Admins and members may create tokens for themselves. */
export const canHaveTokens = (viewer: Viewer): boolean => viewer.role === 'admin' || viewer.role === 'member'

/** Whether scopes include all of the others. No token may manage one with more scopes than its own. */
export const covers = (scopes: readonly Scope[], others: readonly Scope[]): boolean =>
  others.every((scope) => hasScope(scopes, scope))

export const canRevoke = (viewer: Viewer, ownerKey: number, tokenScopes: readonly Scope[]): boolean =>
  covers(viewer.scopes, tokenScopes) && (viewer.author.key === ownerKey || canManage(viewer))

/** The owner of a webhook, as of this moment. */
export interface WebhookOwner {
  type: 'app' | 'member'
  /** Null for an app. */
  role: Role | null
  isDeactivated: boolean
  /** A deleted app keeps its author, for what it wrote. */
  isDeletedApp: boolean
  /** Whether an app has a token with the scope `admin` that has not expired. */
  hasAdminToken: boolean
}

/** Why this owner may not have an active webhook; undefined where they may. Admins read it. */
export function missingRights(owner: WebhookOwner): string | undefined {
  if (owner.type === 'member') {
    if (owner.isDeactivated) return 'The owner was deactivated.'
    return owner.role === 'admin' ? undefined : 'The owner is no longer an admin.'
  }
  if (owner.isDeletedApp) return 'The app that owns it was deleted.'
  return owner.hasAdminToken ? undefined : 'The app that owns it no longer has a token with the scope admin.'
}

/** The address as others than the owner see it: paths and queries often hold a secret. */
export const maskUrl = (url: string): string => `${new URL(url).origin}/…`

/** The operator of the server, who is not a member of the workspace and is above its rules. */
export const operatorOf = (workspace: { key: number; id: string; slug: string; name: string }): Viewer => ({
  workspace: { key: workspace.key, id: workspace.id, slug: workspace.slug, name: workspace.name },
  author: { key: 0, id: '', type: 'app', name: 'Operator', stored: '' },
  role: null,
  scopes: ['admin'],
})
