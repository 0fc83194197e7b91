import { notFound, Problem } from '../contract/errors'
import type { Viewer } from '../domain/permissions'
import { isSecret } from '../domain/secrets'
import { insertMail, type MailKind } from '../store/attention/mails'
import { findTimes, findUnsubscriber, setTimes, skipMailsBefore } from '../store/attention/notices'
import type { ChangeContext } from '../store/changes/change'
import type { Reader } from '../store/engines/db'
import { findMember } from '../store/people/members'
import { findPosition } from '../store/people/workspaces'
import type { AccountParts } from './parts'
import { throttleAttempt, throttleInvitations, throttleMails } from './throttle'

type MailContext = Pick<ChangeContext, 'db' | 'now' | 'newId' | 'commitWithoutEvents'> & { viewer: Viewer }

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

export function requireMail({ isMailConfigured }: Pick<ChangeContext, 'isMailConfigured'>) {
  if (!isMailConfigured)
    throw new Problem('mail_not_configured', 'E-mail is not set up on this server. Its operator can set SMTP_URL.')
}

/**
 * Queues a mail to an address. Whether it belongs to anyone is looked up when the mail is sent, so neither the response nor
 * its time reveals who has an account.
 */
export async function requestMail(
  { engine, clock, newId, isMailConfigured = false }: AccountParts,
  kind: 'password_reset' | 'sign_in_link',
  email: string,
  clientAddress: string,
) {
  requireMail({ isMailConfigured })
  const now = clock()
  await throttleAttempt(engine, throttleMails(email, clientAddress), now)
  const mail = { id: newId('mail', now), kind, address: email, workspace_key: 0, author_key: 0 }
  await engine.write((db) => insertMail(db, mail, now))
}

/** Before an invitation is sent again. Only to members of this workspace, so that nobody uses up the limits of another one. */
export async function limitInvitations(
  { engine, clock, isMailConfigured = false }: AccountParts,
  viewer: Viewer,
  memberId: string,
) {
  requireMail({ isMailConfigured })
  if (!(await engine.read((db) => findMember(db, viewer, memberId)))) throw notFound('member')
  await throttleAttempt(engine, throttleInvitations(memberId, viewer.workspace.id), clock())
}

/**
 * Turns off the mails about what is unread, for the member whose mail had this token; unless confirmed, it only says whose.
 * Undefined for an unknown token.
 */
export async function unsubscribe({ engine }: AccountParts, token: string, confirm: boolean) {
  if (!isSecret(token)) return undefined
  const find = (db: Reader) => findUnsubscriber(db, token)
  const known = await engine.read(find)
  if (!known || !confirm) return known
  return engine.write(async (db) => {
    const member = await find(db)
    if (!member) return undefined
    const times = await findTimes(db, member.author_key)
    await setTimes(db, member, { ...times, mail: 'never' })
    await skipMailsBefore(db, member, (await findPosition(db, member.workspace_key)).revision)
    return member
  })
}
