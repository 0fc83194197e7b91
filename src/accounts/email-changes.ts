import { fold } from '../contract/browser/fold'
import { Problem } from '../contract/errors'
import type { EmailChangeDetails } from '../contract/sessions'
import { opensFor, type PasswordProof } from '../domain/passwords'
import type { Viewer } from '../domain/permissions'
import { hashSecret } from '../domain/secrets'
import { endMailedLinksOf, findAccountLink } from '../store/accounts/links'
import {
  disallowPassword,
  type EmailChange,
  findEmailChange,
  findMembersOfUser,
  findPassword,
  insertUser,
  lockPassword,
  movePassword,
  type Password,
  setMemberUser,
  takeEmail,
} from '../store/accounts/passwords'
import { type ChangeContext, changeWorkspace } from '../store/changes/change'
import type { Reader, Writer } from '../store/engines/db'
import { findMember, findMemberViewer, searchTextOf, toMember } from '../store/people/members'
import { lockWorkspaces } from '../store/people/workspaces'
import type { AccountParts } from './parts'
import { currentPasswordRequired, provePassword, WRONG_PASSWORD } from './passwords'
import { throttleAttempt, throttleMailsOf } from './throttle'

/** What the caller proved before the transaction, and of which password. */
export interface PreparedEmailChange {
  proof: PasswordProof
  hash: string | undefined
}

/** Before a member asks for another address: their password if they have one here, and the limits of mails. */
export async function prepareEmailChange(
  parts: AccountParts,
  viewer: Viewer,
  { email, current_password }: { email: string; current_password?: string },
): Promise<PreparedEmailChange> {
  const { engine, clock } = parts
  const before = await engine.read((db) => findPassword(db, viewer.author.key))
  const proof = await provePassword(parts, viewer, before, current_password, WRONG_PASSWORD)
  if (proof === 'none' && opensFor(before, viewer.author.key)) throw currentPasswordRequired(before, viewer)
  await throttleAttempt(engine, throttleMailsOf(email.trim().toLowerCase(), viewer.author.id), clock())
  return { proof, hash: before.hash }
}

/** What a link changes. This does not use the link. */
export const inspectEmailChange = ({ engine, clock }: AccountParts, secret: string): Promise<EmailChangeDetails> =>
  engine.read(async (db) => (await getChange(db, secret, clock())).details)

/** Changes the address. The link was mailed to the new one, so whoever has it can read what is sent there. */
export async function confirmEmail(parts: AccountParts, secret: string): Promise<EmailChangeDetails> {
  const { engine, clock } = parts
  const { details, workspaceKeys } = await engine.write(async (db) => {
    const { change } = await getChange(db, secret, clock())
    const all = await findMembersOfUser(db, change.user_key)
    await lockWorkspaces(
      db,
      all.map(({ workspace_key }) => workspace_key),
    )
    const current = await getChange(db, secret, clock())
    return { details: current.details, workspaceKeys: await applyChange(parts, db, current.change) }
  })
  for (const key of workspaceKeys) parts.notify(key)
  return details
}

/**
 * Admins can make sign-in links for anyone's address in their own workspace, so a session there says nothing about other
 * workspaces: the address changes in those that the password opens if it was given, else in this one alone. Members that
 * stay behind keep the old account; the others get one of their own.
 */
async function applyChange(parts: AccountParts, db: Writer, change: EmailChange): Promise<number[]> {
  const { members: opened } = await lockPassword(db, change.author_key)
  const isChanged = (authorKey: number) =>
    authorKey === change.author_key ||
    (change.is_everywhere && opened.some(({ author_key }) => author_key === authorKey))
  const all = await findMembersOfUser(db, change.user_key)
  const changed = all.filter(({ author_key }) => isChanged(author_key))

  const now = parts.clock()
  const made = await insertUser(db, { id: parts.newId('user', now), email: change.email, created_at: now })
  if (!made) throw new Problem('email_taken', `${change.email} already belongs to another account.`)
  const stays = changed.length === all.length
  const user = stays ? await takeEmail(db, made, change.user_key) : made
  const keys = changed.map(({ author_key }) => author_key)
  if (!stays) await takePassword(db, change, user.key, keys, opened)
  for (const key of keys) {
    const viewer = (await findMemberViewer(db, key))!
    await changeWorkspace(parts, db, viewer, (context) => moveToEmail(context, user))
  }
  return changed.map(({ workspace_key }) => workspace_key)
}

/**
 * The password goes with the members it opens. Where it also opens others, it stays with those: a copy at an address that
 * an admin chose could be guessed at there, apart from the limits of the account it belongs to.
 */
async function takePassword(
  db: Writer,
  change: EmailChange,
  to: number,
  keys: readonly number[],
  opened: Password['members'],
) {
  if (opened.every(({ author_key }) => keys.includes(author_key))) return movePassword(db, change.user_key, to, keys)
  for (const { author_key, workspace_key } of opened)
    if (keys.includes(author_key)) await disallowPassword(db, change.user_key, workspace_key)
}

async function getChange(db: Reader, secret: string, now: number) {
  const link = await findAccountLink(db, 'email_change', hashSecret(secret), now)
  const change = link && (await findEmailChange(db, link.author_key, now))
  // A newer change has its own mail.
  if (!link || change?.mail_key !== link.mail_key)
    throw new Problem('link_gone', 'Links to confirm an address work once, within a day. Change your address again.')
  const workspace = { slug: link.workspace_slug, name: link.workspace_name }
  return { change, details: { name: link.name, email: change.email, workspace } }
}

/** Gives a member the address of an account, and announces it. Links that were mailed to the old address end. */
export async function moveToEmail(context: ChangeContext, user: { key: number; email: string }) {
  const { db, viewer, links, announce } = context
  const member = (await findMember(db, viewer, viewer.author.id))!
  await setMemberUser(db, member, user, searchTextOf(fold(member.name), fold(user.email)))
  await endMailedLinksOf(db, member.author_key)
  announce('member.updated', toMember(links, { ...member, email: user.email }))
}
