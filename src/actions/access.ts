import { Problem } from '../contract/errors'
import type { Viewer } from '../domain/permissions'
import { findMember, type MemberRow } from '../store/people/members'
import type { ReadContext, WriteContext } from './context'

/**
 * Tells someone that they can no longer see a channel or a thread, so that their programs forget it: they do not see what else
 * is announced about it. What happened there has left their inbox.
 */
export function announceLostAccess(
  { viewer, announce }: WriteContext,
  subject: { type: 'channel' | 'thread'; id: string },
  author: { key: number; type: 'member' | 'app' },
) {
  const reason = author.key === viewer.author.key ? 'left' : 'removed'
  const recipients = [author.key]
  announce('access.lost', { subject_type: subject.type, subject_id: subject.id, reason }, { recipients })
  if (author.type === 'member') announce('inbox.updated', { subject_id: subject.id }, { recipients })
}

/** Refuses apps, for what only members have, such as an inbox or drafts. */
export function requireMember(viewer: Viewer, detail: string) {
  if (viewer.author.type === 'app') throw new Problem('forbidden', detail)
}

/** The member who calls; apps are refused. */
export async function getSelf({ db, viewer }: Pick<ReadContext, 'db' | 'viewer'>): Promise<MemberRow> {
  requireAccount(viewer)
  return (await findMember(db, viewer, viewer.author.id))!
}

/** Refuses apps: only members have an account. */
export function requireAccount({ role }: Viewer) {
  if (role === null) throw new Problem('forbidden', 'Apps have no account of their own; admins manage them.')
}
