import { requireMail } from '../../actions/mails'
import { announceAndEndAccess } from '../../actions/me'
import { invalidField, Problem } from '../../contract/errors'
import type { ResetDetails } from '../../contract/sessions'
import { hashSecret } from '../../domain/secrets'
import { countLoginAttempt, throttleMails } from '../../gate/accounts/login-throttle'
import type { Parley } from '../../gate/parley'
import { changeWorkspace } from '../../gate/write'
import { type AccountLink, endMailedLinks, findAccountLink } from '../../store/account-links'
import type { Reader, Writer } from '../../store/db'
import { findMembersOfUser } from '../../store/email-changes'
import { insertMail } from '../../store/mails'
import { findMemberViewer } from '../../store/members'
import { lockPassword, openWorkspace, setPassword } from '../../store/passwords'
import { lockWorkspaces } from '../../store/workspaces'

/**
 * Queues a mail to an address. Whether it belongs to anyone is looked up when the mail is sent, so neither the response nor
 * its time reveals who has an account.
 */
export async function requestMail(
  parley: Parley,
  kind: 'password_reset' | 'sign_in_link',
  email: string,
  clientAddress: string,
) {
  const { engine, clock, newId, isMailConfigured = false } = parley
  requireMail({ isMailConfigured })
  const now = clock()
  await countLoginAttempt(engine, throttleMails(email, clientAddress), now)
  const mail = { id: newId('mail', now), kind, address: email, workspace_key: 0, author_key: 0 }
  await engine.write((db) => insertMail(db, mail, now))
}

/** Whose password a link resets. This does not use the link. */
export const inspectReset = ({ engine, clock }: Parley, secret: string): Promise<ResetDetails> =>
  engine.read(async (db) => toDetails(await getLink(db, secret, clock())))

const toDetails = ({ name, email }: AccountLink): ResetDetails => ({ name, email })

/**
 * Sets the password of whoever has the link, for every workspace they are an active member of: the mail proved that the
 * address is theirs. All their sessions and links end.
 */
export async function resetPassword(parley: Parley, secret: string, password: string): Promise<ResetDetails> {
  const { engine, clock } = parley
  const found = await engine.read((db) => getLink(db, secret, clock()))
  if (password.trim().toLowerCase() === found.email) throw invalidField('password', 'Must not be your e-mail address.')
  // Slow, so before the transaction.
  const hash = await parley.passwords.hash(password)
  const { link, workspaceKeys } = await engine.write(async (db) => {
    const memberships = await findActiveMemberships(db, found.user_key)
    const keys = memberships.map(({ workspace_key }) => workspace_key)
    await lockWorkspaces(db, keys)
    const current = await getLink(db, secret, clock())
    await lockPassword(db, current.author_key)
    await setPassword(db, current.user_key, hash, clock())
    await endMailedLinks(db, current.user_key)
    for (const { author_key, workspace_key } of memberships) {
      const viewer = (await findMemberViewer(db, author_key))!
      await openWorkspace(db, { user_key: current.user_key, workspace_key, author_key })
      await changeWorkspace(parley, db, viewer, announceAndEndAccess)
    }
    return { link: current, workspaceKeys: keys }
  })
  for (const key of workspaceKeys) parley.changes.notify(key)
  return toDetails(link)
}

const findActiveMemberships = async (db: Writer, userKey: number) =>
  (await findMembersOfUser(db, userKey)).filter(({ is_deactivated }) => !is_deactivated)

async function getLink(db: Reader, secret: string, now: number): Promise<AccountLink> {
  const link = await findAccountLink(db, 'password_reset', hashSecret(secret), now)
  if (!link) throw new Problem('link_gone', 'Links to reset a password work once, within an hour. Ask for a new one.')
  return link
}
