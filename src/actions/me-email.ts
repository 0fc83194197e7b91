import type { PreparedEmailChange } from '../accounts/email-changes'
import { queueMail, requireMail } from '../accounts/mails'
import type { Input } from '../contract'
import { Problem } from '../contract/errors'
import type { EmailAddress } from '../contract/me'
import { deleteEmailChange, findEmailChange, findPassword, setEmailChange } from '../store/accounts/passwords'
import { findMemberByEmail } from '../store/people/members'
import { getSelf } from './access'
import type { ReadContext, WriteContext } from './context'

export const EMAIL_CHANGE_MS = 24 * 60 * 60 * 1000

export async function getEmail(context: ReadContext, _: Input<'me.getEmail'>): Promise<EmailAddress> {
  const { email, author_key } = await getSelf(context)
  const change = await findEmailChange(context.db, author_key, context.now)
  return { email, pending_email: change?.email ?? null }
}

export async function changeEmail(context: WriteContext, input: Input<'me.changeEmail'>): Promise<EmailAddress> {
  const { db, viewer, now } = context
  requireMail(context)
  const { author_key, email: current } = await getSelf(context)
  const email = input.email.trim().toLowerCase()
  if (email === current) return keepEmail(context, author_key, current)
  if (await findMemberByEmail(db, viewer.workspace.key, email))
    throw new Problem('email_taken', `${email} belongs to another member of this workspace.`)
  const { proof, hash } = context.prepared as PreparedEmailChange
  const password = await findPassword(db, author_key)
  if (password.hash !== hash) throw new Problem('forbidden', 'The password was changed meanwhile. Try again.')

  await setEmailChange(db, {
    author_key,
    user_key: password.userKey,
    email,
    is_everywhere: proof === 'knows it',
    mail_key: await queueMail(context, 'email_change', author_key, email),
    created_at: now,
    expires_at: now + EMAIL_CHANGE_MS,
  })
  await queueMail(context, 'email_change_notice', author_key, current)
  return { email: current, pending_email: email }
}

async function keepEmail(context: WriteContext, authorKey: number, email: string): Promise<EmailAddress> {
  await deleteEmailChange(context.db, authorKey)
  context.commitWithoutEvents()
  return { email, pending_email: null }
}

export async function cancelEmailChange(context: WriteContext, _: Input<'me.cancelEmailChange'>) {
  const { author_key, email } = await getSelf(context)
  await keepEmail(context, author_key, email)
  return undefined
}
