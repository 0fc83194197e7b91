import { announceAndEndAccess, closeAndAnnounce } from '../actions/me'
import { invalidField, Problem } from '../contract/errors'
import type { ResetDetails } from '../contract/sessions'
import { hashSecret } from '../domain/secrets'
import type { Parley } from '../gate/parley'
import { type AccountLink, endMailedLinks, findAccountLinks } from '../store/accounts/links'
import { findMembersOfUser, lockPassword, openWorkspace, setPassword } from '../store/accounts/passwords'
import { insertMail } from '../store/attention/mails'
import { changeWorkspace } from '../store/changes/change'
import type { Reader, Writer } from '../store/engines/db'
import { findMemberViewer } from '../store/people/members'
import { lockWorkspaces } from '../store/people/workspaces'
import { requireMail } from './mails'
import { countLoginAttempt, throttleMails } from './throttle'

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
  engine.read(async (db) => toDetails(await getLinks(db, secret, clock())))

/** No name: a person has one in each workspace, which others may have chosen. */
const toDetails = ([{ email }]: Links): ResetDetails => ({ email })

/**
 * Sets the password of whoever has the link, for every membership that it was mailed for and that was active all the time since:
 * the mail proved that the address is theirs. All their sessions and links end.
 */
export async function resetPassword(parley: Parley, secret: string, password: string): Promise<ResetDetails> {
  const { engine, clock } = parley
  const [found] = await engine.read((db) => getLinks(db, secret, clock()))
  if (password.trim().toLowerCase() === found.email) throw invalidField('password', 'Must not be your e-mail address.')
  // Slow, so before the transaction.
  const hash = await parley.passwords.hash(password)
  const { links, workspaceKeys } = await engine.write(async (db) => {
    const members = await findMembersOfUser(db, found.user_key)
    await lockWorkspaces(
      db,
      members.map(({ workspace_key }) => workspace_key),
    )
    const current = await getLinks(db, secret, clock())
    return { links: current, workspaceKeys: await applyReset(parley, db, current, hash) }
  })
  for (const key of workspaceKeys) parley.changes.notify(key)
  return toDetails(links)
}

/** Returns the workspaces that changed. */
async function applyReset(parley: Parley, db: Writer, links: Links, hash: string): Promise<number[]> {
  const { userKey, members: opened } = await lockPassword(db, links[0].author_key)
  const isReset = (authorKey: number) => links.some(({ author_key }) => author_key === authorKey)
  // Opened with the old password after the mail was sent: the link says nothing about these.
  const closed = opened.filter(({ author_key }) => !isReset(author_key))
  await setPassword(db, userKey, hash, parley.clock())
  await endMailedLinks(db, userKey)
  for (const { author_key, workspace_key } of links) {
    const viewer = (await findMemberViewer(db, author_key))!
    await openWorkspace(db, { user_key: userKey, workspace_key, author_key })
    await changeWorkspace(parley, db, viewer, announceAndEndAccess)
  }
  for (const { author_key } of closed) {
    const viewer = (await findMemberViewer(db, author_key))!
    await changeWorkspace(parley, db, viewer, (context) => closeAndAnnounce(context, userKey))
  }
  return [...links, ...closed].map(({ workspace_key }) => workspace_key)
}

type Links = [AccountLink, ...AccountLink[]]

async function getLinks(db: Reader, secret: string, now: number): Promise<Links> {
  const [first, ...others] = await findAccountLinks(db, 'password_reset', hashSecret(secret), now)
  if (!first) throw new Problem('link_gone', 'Links to reset a password work once, within an hour. Ask for a new one.')
  return [first, ...others]
}
