import type { ErrorCode } from '../../src/contract/errors'
import type { Scope } from '../../src/contract/operation'
import type { Caller } from '../torture/matrix-callers'

/** Where a record is, which determines who can see it. */
type Place =
  /** In the channel. If it is public: visible to everyone but guests outside; if it is private: to its members. */
  | 'channel'
  /** In the thread of the author and the other: visible to these two. */
  | 'thread'
  /** A member: visible to everyone but guests who share no channel or thread with them. */
  | 'people'
  /** Visible to everyone in the workspace. */
  | 'workspace'
  /** The caller's own. */
  | 'self'

interface Exceptions {
  /** The answer to callers who cannot see the record; `hidden` is a list without it. */
  unseen?: ErrorCode | 'hidden'
  /** Only the author is allowed, and admins with an admin token. */
  isAuthors?: true
  /** Apps are refused, whatever they can see. */
  isMembers?: true
  /** The answer to callers who are refused by an exception. */
  except?: (caller: Caller) => ErrorCode | 'hidden' | undefined
}

/** Who is allowed to call an operation; independent of the contract. */
export interface Rule extends Exceptions {
  /** The required scope of the token. */
  scope: Scope
  /** What the role must allow. It is less than the scope for what everyone may do with what is their own. */
  role: Scope
  at: Place
}

const ruleFor =
  (scope: Scope, role: Scope = scope, always: Exceptions = {}) =>
  (at: Place, exceptions: Exceptions = {}): Rule => ({ scope, role, at, ...always, ...exceptions })

export const read = ruleFor('read')
export const write = ruleFor('write')
export const admin = ruleFor('admin')
/** A list of what the caller can see. */
export const readList = ruleFor('read', 'read', { unseen: 'hidden' })
/** What every role may do with a token that can write. */
export const anyRole = ruleFor('write', 'read')
/** What every role may do with a token that can do everything. */
export const secure = ruleFor('admin', 'read')
/** What every member may do with what is their own: read positions, drafts and the like. */
export const readOwn = ruleFor('read', 'read', { isMembers: true })
export const writeOwn = ruleFor('write', 'read', { isMembers: true })

/** Apps have no account of their own. */
export const notApps = ({ role }: Caller) => (role === 'app' ? 'forbidden' : undefined)
/** Nobody else knows of it. */
export const authorOnly = ({ isAuthor }: Caller) => (isAuthor ? undefined : 'not_found')
export const isManager = ({ role, scope }: Caller) => scope === 'admin' && reach[role].includes('admin')
/** What every role may do with an account of their own. */
export const readAccount = read('self', { except: notApps })
export const writeAccount = anyRole('self', { except: notApps })
export const secureAccount = secure('self', { except: notApps })

/** The scopes that each role and scope includes, as documented. */
export const reach: Record<Caller['role'] | Scope, readonly Scope[]> = {
  admin: ['read', 'write', 'admin'],
  member: ['read', 'write'],
  viewer: ['read'],
  guest: ['read', 'write'],
  app: ['read', 'write', 'admin'],
  write: ['read', 'write'],
  read: ['read'],
}

/** The answer to a caller by the rules. */
export function expected(rule: Rule, caller: Caller, isPrivate: boolean): ErrorCode | 'ok' | 'hidden' {
  const { scope, role, at, unseen = 'not_found', isAuthors, isMembers, except } = rule
  if (!caller.scope) return 'unauthenticated'
  if (!reach[caller.scope].includes(scope)) return 'insufficient_scope'
  if (!reach[caller.role].includes(role)) return 'forbidden'
  if (isMembers && caller.role === 'app') return 'forbidden'
  if (!sees(caller, at, isPrivate)) return unseen
  if (isAuthors && !caller.isAuthor && !isManager(caller)) return 'forbidden'
  return except?.(caller) ?? 'ok'
}

function sees({ role, isInside, isElsewhere }: Caller, at: Place, isPrivate: boolean): boolean {
  if (at === 'self') return true
  if (isElsewhere) return false
  if (at === 'workspace') return true
  if (at === 'thread' || (at === 'channel' && isPrivate)) return isInside
  return role !== 'guest' || isInside
}
