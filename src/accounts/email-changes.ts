import { announceEmail } from '../actions/me-email'
import { Problem } from '../contract/errors'
import type { EmailChangeDetails } from '../contract/sessions'
import { hashSecret } from '../domain/secrets'
import type { Parley } from '../gate/parley'
import { findAccountLink } from '../store/accounts/links'
import {
  closeWorkspace,
  type EmailChange,
  findEmailChange,
  findMembersOfUser,
  insertUser,
  lockPassword,
  movePassword,
  type Password,
  takeEmail,
} from '../store/accounts/passwords'
import { changeWorkspace } from '../store/changes/change'
import type { Reader, Writer } from '../store/engines/db'
import { findMemberViewer } from '../store/people/members'
import { lockWorkspaces } from '../store/people/workspaces'

/** What a link changes. This does not use the link. */
export const inspectEmailChange = ({ engine, clock }: Parley, secret: string): Promise<EmailChangeDetails> =>
  engine.read(async (db) => (await getChange(db, secret, clock())).details)

/** Changes the address. The link was mailed to the new one, so whoever has it can read what is sent there. */
export async function confirmEmail(parley: Parley, secret: string): Promise<EmailChangeDetails> {
  const { engine, clock } = parley
  const { details, workspaceKeys } = await engine.write(async (db) => {
    const { change } = await getChange(db, secret, clock())
    const all = await findMembersOfUser(db, change.user_key)
    await lockWorkspaces(
      db,
      all.map(({ workspace_key }) => workspace_key),
    )
    const current = await getChange(db, secret, clock())
    return { details: current.details, workspaceKeys: await applyChange(parley, db, current.change) }
  })
  for (const key of workspaceKeys) parley.changes.notify(key)
  return details
}

/**
 * Admins can make sign-in links for anyone's address in their own workspace, so a session there says nothing about other
 * workspaces: the address changes in those that the password opens if it was given, else in this one alone. Members that
 * stay behind keep the old account; the others get one of their own.
 */
async function applyChange(parley: Parley, db: Writer, change: EmailChange): Promise<number[]> {
  const { members: opened } = await lockPassword(db, change.author_key)
  const isChanged = (authorKey: number) =>
    authorKey === change.author_key ||
    (change.is_everywhere && opened.some(({ author_key }) => author_key === authorKey))
  const all = await findMembersOfUser(db, change.user_key)
  const changed = all.filter(({ author_key }) => isChanged(author_key))

  const now = parley.clock()
  const made = await insertUser(db, { id: parley.newId('user', now), email: change.email, created_at: now })
  if (!made) throw new Problem('email_taken', `${change.email} already belongs to another account.`)
  const stays = changed.length === all.length
  const user = stays ? await takeEmail(db, made, change.user_key) : made
  const keys = changed.map(({ author_key }) => author_key)
  if (!stays) await takePassword(db, change, user.key, keys, opened)
  for (const key of keys) {
    const viewer = (await findMemberViewer(db, key))!
    await changeWorkspace(parley, db, viewer, (context) => announceEmail(context, user))
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
    if (keys.includes(author_key)) await closeWorkspace(db, change.user_key, workspace_key)
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
