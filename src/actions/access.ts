import type { WriteContext } from './context'

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
