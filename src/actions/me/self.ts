import { Problem } from '../../contract/errors'
import type { Viewer } from '../../domain/permissions'
import { findMember, type MemberRow } from '../../store/members'
import type { ReadContext } from '../context'

/** The member who calls; apps are refused. */
export async function getSelf({ db, viewer }: Pick<ReadContext, 'db' | 'viewer'>): Promise<MemberRow> {
  requireAccount(viewer)
  return (await findMember(db, viewer, viewer.author.id))!
}

/** Refuses apps: only members have an account. */
export function requireAccount({ role }: Viewer) {
  if (role === null) throw new Problem('forbidden', 'Apps have no account of their own; admins manage them.')
}
