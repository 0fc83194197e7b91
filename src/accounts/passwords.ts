import { invalidField } from '../contract/errors'
import { toAuthor } from '../domain/links'
import { canReplacePassword, opensFor, type PasswordProof } from '../domain/passwords'
import type { Viewer } from '../domain/permissions'
import { deleteSignInLinkOf, endMailedLinksOf } from '../store/accounts/links'
import {
  allowPassword,
  disallowPassword,
  findPassword,
  lockPassword,
  type Password,
  setPassword,
} from '../store/accounts/passwords'
import { deleteSessionsOf, findSessionByKey, findSessionsOf } from '../store/accounts/sessions'
import { deletePushSubscriptionsOf } from '../store/attention/push'
import type { ChangeContext } from '../store/changes/change'
import { findEmail, findMemberViewer } from '../store/people/members'
import { deleteTokensOf } from '../store/people/tokens'
import { revokeHooksOf } from '../store/webhooks/hooks'
import { endSignInLink } from './links'
import type { AccountParts } from './parts'
import { endSessions } from './sessions'
import { resetAttempts, takeBackAttempt, throttleAttempt, throttleByEmail } from './throttle'

const RECENT_SIGN_IN_MS = 10 * 60 * 1000

/** How the caller proves that the current password is theirs: they know it, or they signed in a moment ago. */
export async function provePassword(
  { engine, clock, passwords }: AccountParts,
  viewer: Viewer,
  { hash }: Password,
  given: string | undefined,
  messageIfWrong: string,
): Promise<PasswordProof> {
  if (hash === undefined) return 'none'
  if (given === undefined) {
    const session = await engine.read(async (db) => viewer.sessionKey && findSessionByKey(db, viewer.sessionKey))
    return session && clock() - session.created_at < RECENT_SIGN_IN_MS ? 'signed in just now' : 'none'
  }

  // A person has one password, so attempts count together with those at the sign-in page, in all workspaces.
  const key = throttleByEmail(await engine.read((db) => findEmail(db, viewer.author.key)))
  await throttleAttempt(engine, [key], clock())
  const isRight = await passwords.isRight(given, hash).catch(async (error) => {
    await takeBackAttempt(engine, [key])
    throw error
  })
  if (!isRight) throw invalidField('current_password', messageIfWrong)
  await resetAttempts(engine, key)
  return 'knows it'
}

export function currentPasswordRequired({ members }: Password, viewer: Viewer) {
  const isOnlyHere = members.every(({ author_key }) => author_key === viewer.author.key)
  return invalidField(
    'current_password',
    isOnlyHere
      ? 'Your current password is required.'
      : 'Your current password is required: it is also used in other workspaces.',
  )
}

export const WRONG_PASSWORD = 'Wrong password.'
const USED_ELSEWHERE = 'You already have a password, in another workspace. Enter it to use it here too.'

/** What is done before the transaction that changes a password: hashing is slow. */
export interface PreparedPassword {
  /** The password when the caller proved who they are. */
  before: Password
  proof: PasswordProof
  hash: string
  /** The workspaces that change with it. */
  workspaceKeys: number[]
}

export async function preparePassword(
  parts: AccountParts,
  viewer: Viewer,
  { password, current_password }: { password: string; current_password?: string },
): Promise<PreparedPassword> {
  const before = await parts.engine.read((db) => findPassword(db, viewer.author.key))
  // A password that is not used in this workspace yet is proved by choosing it here.
  const isSame = current_password === undefined && before.hash !== undefined && !opensFor(before, viewer.author.key)
  const given = isSame ? password : current_password
  const proof = await provePassword(parts, viewer, before, given, isSame ? USED_ELSEWHERE : WRONG_PASSWORD)
  if (!canReplacePassword(before, viewer.author.key, proof)) throw currentPasswordRequired(before, viewer)
  const hash = isSame ? before.hash! : await parts.passwords.hash(password)
  const workspaceKeys = [...before.members.map(({ workspace_key }) => workspace_key), viewer.workspace.key]
  return { before, proof, hash, workspaceKeys: [...new Set(workspaceKeys)] }
}

/** Sets the password of the caller, which opens this workspace from now on. Everyone else who knew the old one is signed out. */
export async function replacePassword(context: ChangeContext, { before, proof, hash }: PreparedPassword) {
  const { db, viewer, now } = context
  const current = await lockUnchangedPassword(context, before)
  if (!canReplacePassword(current, viewer.author.key, proof)) throw passwordChanged()

  if (hash !== current.hash) await setPassword(db, current.userKey, hash, now)
  const here = { user_key: current.userKey, workspace_key: viewer.workspace.key, author_key: viewer.author.key }
  await allowPassword(db, here)
  await announceAndEndAccess(context)
  if (hash === current.hash) return
  const others = current.members.filter(({ author_key }) => author_key !== viewer.author.key)
  for (const { author_key } of others)
    await context.changeOtherWorkspace((await findMemberViewer(db, author_key))!, announceAndEndAccess)
}

export type PreparedRemoval = Pick<PreparedPassword, 'before'>

export async function prepareRemoval(
  parts: AccountParts,
  viewer: Viewer,
  { current_password }: { current_password?: string },
): Promise<PreparedRemoval> {
  const before = await parts.engine.read((db) => findPassword(db, viewer.author.key))
  if (!opensFor(before, viewer.author.key)) return { before }
  const proof = await provePassword(parts, viewer, before, current_password, WRONG_PASSWORD)
  if (proof === 'none') throw currentPasswordRequired(before, viewer)
  return { before }
}

export async function removePassword(context: ChangeContext, { before }: PreparedRemoval) {
  const { userKey, members } = await lockUnchangedPassword(context, before)
  if (opensFor({ members }, context.viewer.author.key)) await closeAndAnnounce(context, userKey)
}

/** The password no longer opens the workspace of the viewer. */
export async function closeAndAnnounce(context: ChangeContext, userKey: number) {
  const { db, viewer, links, announce } = context
  await disallowPassword(db, userKey, viewer.workspace.key)
  announce('password.removed', { member: toAuthor(links, viewer.author.stored) })
  await endSignInLink(context, viewer.author.key)
}

/** Announces that the password changed, and ends the other sessions and all links of the member. */
export async function announceAndEndAccess(context: ChangeContext) {
  const { db, viewer, links, announce } = context
  await endMailedLinksOf(db, viewer.author.key)
  announce('password.changed', { member: toAuthor(links, viewer.author.stored) })
  const others = (await findSessionsOf(db, viewer)).filter(({ key }) => key !== viewer.sessionKey)
  await endSessions(context, others)
  await endSignInLink(context, viewer.author.key)
}

/**
 * Ends all access of a member to the workspace: sessions with their page tokens, API tokens, incoming webhooks, links that
 * sign in, pushes and signing in by password. There is one event for all of it, `member.deactivated`, which also ends the member's streams.
 */
export async function endAccess({ db, viewer: { workspace } }: ChangeContext, authorKey: number) {
  const { userKey } = await lockPassword(db, authorKey)
  await deleteSessionsOf(db, workspace.key, authorKey)
  await deleteTokensOf(db, workspace.key, authorKey)
  await revokeHooksOf(db, workspace.key, authorKey)
  await deleteSignInLinkOf(db, authorKey)
  await endMailedLinksOf(db, authorKey)
  await deletePushSubscriptionsOf(db, authorKey)
  await disallowPassword(db, userKey, workspace.key)
}

/** Locks the password, and throws if it changed since the caller proved to know it: of two changes at once, one fails. */
async function lockUnchangedPassword({ db, viewer }: ChangeContext, before: Password): Promise<Password> {
  const password = await lockPassword(db, viewer.author.key)
  const isSame = password.hash === before.hash && Bun.deepEquals(password.members, before.members)
  if (!isSame) throw passwordChanged()
  return password
}

const passwordChanged = () => invalidField('current_password', 'The password was changed in the meantime. Try again.')
