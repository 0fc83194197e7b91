import type { WriteContext } from '../actions/context'
import { Problem } from '../contract/errors'
import type { Viewer } from '../domain/permissions'
import { insertMail, type MailKind } from '../store/attention/mails'

type MailContext = Pick<WriteContext, 'db' | 'now' | 'newId' | 'commitWithoutEvents'> & { viewer: Viewer }

/** Queues a mail about a member of the workspace. Returns its key. */
export function queueMail(
  { db, viewer, now, newId, commitWithoutEvents }: MailContext,
  kind: MailKind,
  authorKey: number,
  address = '',
): Promise<number> {
  commitWithoutEvents()
  const about = { workspace_key: viewer.workspace.key, author_key: authorKey }
  return insertMail(db, { id: newId('mail'), kind, address, ...about }, now)
}

export function requireMail({ isMailConfigured }: Pick<WriteContext, 'isMailConfigured'>) {
  if (!isMailConfigured)
    throw new Problem('mail_not_configured', 'E-mail is not set up on this server. Its operator can set SMTP_URL.')
}
