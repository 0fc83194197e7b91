import { Problem } from '../contract/errors'
import type { Viewer } from '../domain/permissions'
import type { Referrer } from '../store/files/references'
import { findAuthorViewer } from '../store/people/authors'
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

/** The text that an edit replaces. */
export interface OldText {
  author_key: number
  html: string
  findMarkdown: () => Promise<string>
  referrer: Omit<Referrer, 'workspace_key'>
}

interface Rights<Found> {
  /** Whether the old text showed it. */
  wasShown: (found: Found) => boolean
  /** Filters ids to what the author can see. */
  findVisible: (author: Viewer, ids: readonly string[]) => Promise<readonly { id: string }[]>
}

/**
 * Filters the files or people that an editor can see to the ones the text may show. If someone else wrote the text, these are the
 * ones it showed before, and the ones its author can see now, too. Otherwise, anyone could write the id of something hidden
 * from them, and an admin who corrects a typo would publish it.
 */
export async function filterForAuthor<Found extends { id: string }, Old extends OldText>(
  { db, viewer }: WriteContext,
  old: Old | undefined,
  found: Found[],
  findRights: (old: Old) => Promise<Rights<Found>>,
): Promise<Found[]> {
  if (!old || old.author_key === viewer.author.key || found.length === 0) return found
  const { wasShown, findVisible } = await findRights(old)
  const added = found.filter((each) => !wasShown(each)).map(({ id }) => id)
  const author = added.length > 0 ? await findAuthorViewer(db, viewer.workspace, old.author_key) : undefined
  const visible = new Set((author ? await findVisible(author, added) : []).map(({ id }) => id))
  return found.filter((each) => wasShown(each) || visible.has(each.id))
}
