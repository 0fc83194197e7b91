import { invalidField, Problem } from '../contract/errors'
import type { ResetDetails } from '../contract/sessions'
import { toAuthor } from '../domain/links'
import { operatorOf } from '../domain/permissions'
import { hashSecret } from '../domain/secrets'
import { type AccountLink, endMailedLinks, findAccountLinks } from '../store/accounts/links'
import {
  allowPassword,
  disallowPassword,
  findMembersOfUser,
  findPasswordByEmail,
  lockPassword,
  setPassword,
} from '../store/accounts/passwords'
import { changeWorkspace } from '../store/changes/change'
import type { Reader, Writer } from '../store/engines/db'
import { findMemberViewer } from '../store/people/members'
import { lockWorkspaces } from '../store/people/workspaces'
import { endSignInLink } from './links'
import type { AccountParts } from './parts'
import { announceAndEndAccess, closeAndAnnounce } from './passwords'

/** Whose password a link resets. This does not use the link. */
export const inspectReset = ({ engine, clock }: AccountParts, secret: string): Promise<ResetDetails> =>
  engine.read(async (db) => toDetails(await getLinks(db, secret, clock())))

/** No name: a person has one in each workspace, which others may have chosen. */
const toDetails = ([{ email }]: Links): ResetDetails => ({ email })

/**
 * Sets the password of whoever has the link, for every membership that it was mailed for and that was active all the time since:
 * the mail proved that the address is theirs. All their sessions and links end.
 */
export async function resetPassword(parts: AccountParts, secret: string, password: string): Promise<ResetDetails> {
  const { engine, clock } = parts
  const [found] = await engine.read((db) => getLinks(db, secret, clock()))
  if (password.trim().toLowerCase() === found.email) throw invalidField('password', 'Must not be your e-mail address.')
  // Slow, so before the transaction.
  const hash = await parts.passwords.hash(password)
  const { links, workspaceKeys } = await engine.write(async (db) => {
    const members = await findMembersOfUser(db, found.user_key)
    await lockWorkspaces(
      db,
      members.map(({ workspace_key }) => workspace_key),
    )
    const current = await getLinks(db, secret, clock())
    return { links: current, workspaceKeys: await applyReset(parts, db, current, hash) }
  })
  for (const key of workspaceKeys) parts.notify(key)
  return toDetails(links)
}

/** Returns the workspaces that changed. */
async function applyReset(parts: AccountParts, db: Writer, links: Links, hash: string): Promise<number[]> {
  const { userKey, members: opened } = await lockPassword(db, links[0].author_key)
  const isReset = (authorKey: number) => links.some(({ author_key }) => author_key === authorKey)
  // Opened with the old password after the mail was sent: the link says nothing about these.
  const closed = opened.filter(({ author_key }) => !isReset(author_key))
  await setPassword(db, userKey, hash, parts.clock())
  await endMailedLinks(db, userKey)
  for (const { author_key, workspace_key } of links) {
    const viewer = (await findMemberViewer(db, author_key))!
    await allowPassword(db, { user_key: userKey, workspace_key, author_key })
    await changeWorkspace(parts, db, viewer, announceAndEndAccess)
  }
  for (const { author_key } of closed) {
    const viewer = (await findMemberViewer(db, author_key))!
    await changeWorkspace(parts, db, viewer, (context) => closeAndAnnounce(context, userKey))
  }
  return [...links, ...closed].map(({ workspace_key }) => workspace_key)
}

type Links = [AccountLink, ...AccountLink[]]

async function getLinks(db: Reader, secret: string, now: number): Promise<Links> {
  const [first, ...others] = await findAccountLinks(db, 'password_reset', hashSecret(secret), now)
  if (!first) throw new Problem('link_gone', 'Links to reset a password work once, within an hour. Ask for a new one.')
  return [first, ...others]
}

/** Removes the password of the person with this address, in every workspace. Returns in how many it was used. */
export const removePasswordOf = (parts: AccountParts, email: string): Promise<number> =>
  parts.engine.write(async (db) => {
    const known = (await findPasswordByEmail(db, email)).members
    if (known.length === 0) return 0
    await lockWorkspaces(
      db,
      known.map(({ workspace_key }) => workspace_key),
    )
    const { userKey, members } = await lockPassword(db, known[0]!.author_key)
    for (const { author_key, workspace_key } of members) {
      const { author, workspace } = (await findMemberViewer(db, author_key))!
      await changeWorkspace(parts, db, operatorOf(workspace), async (context) => {
        await disallowPassword(db, userKey, workspace_key)
        context.announce('password.removed', { member: toAuthor(context.links, author.stored) })
        await endSignInLink(context, author_key)
      })
    }
    return members.length
  })
