import type { Role } from '../contract/members'

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
