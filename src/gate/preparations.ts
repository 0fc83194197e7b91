import { requireMail } from '../actions/mails'
import type { Input, OperationName } from '../contract'
import { notFound } from '../contract/errors'
import { canReplacePassword, opensFor } from '../domain/passwords'
import type { Viewer } from '../domain/permissions'
import { findMember } from '../store/members'
import { findPassword } from '../store/passwords'
import { countLoginAttempt, throttleInvitations, throttleMailsOf } from './accounts/login-throttle'
import { currentPasswordRequired, provePassword } from './accounts/password-proof'
import type { Parley } from './parley'

/** What a preparation may tell the gate. */
export interface Prepared {
  /** The workspaces that the operation changes; by default the caller's alone. */
  workspaceKeys?: number[]
}

type Prepare<O extends OperationName> = (parley: Parley, viewer: Viewer, input: Input<O>) => Promise<unknown>

/** Slow work that is done before the transaction begins, so that no other write waits for it. */
export const preparations: { [O in OperationName]?: Prepare<O> } = {
  'me.setPassword': async (parley, viewer, { password, current_password }) => {
    const before = await parley.engine.read((db) => findPassword(db, viewer.author.key))
    // A password that is not used in this workspace yet is proved by choosing it here.
    const isSame = current_password === undefined && before.hash !== undefined && !opensFor(before, viewer.author.key)
    const proof = await provePassword(
      parley,
      viewer,
      before,
      isSame ? password : current_password,
      isSame ? USED_ELSEWHERE : WRONG_PASSWORD,
    )
    if (!canReplacePassword(before, viewer.author.key, proof)) throw currentPasswordRequired(before, viewer)
    const hash = isSame ? before.hash : await parley.passwords.hash(password)
    const workspaceKeys = [...before.members.map(({ workspace_key }) => workspace_key), viewer.workspace.key]
    return { before, proof, hash, workspaceKeys: [...new Set(workspaceKeys)] }
  },
  'me.deletePassword': async (parley, viewer, { current_password }) => {
    const before = await parley.engine.read((db) => findPassword(db, viewer.author.key))
    if (!opensFor(before, viewer.author.key)) return { before }
    const proof = await provePassword(parley, viewer, before, current_password, WRONG_PASSWORD)
    if (proof === 'none') throw currentPasswordRequired(before, viewer)
    return { before }
  },
  'me.changeEmail': async (parley, viewer, { email, current_password }) => {
    const before = await parley.engine.read((db) => findPassword(db, viewer.author.key))
    const proof = await provePassword(parley, viewer, before, current_password, WRONG_PASSWORD)
    if (proof === 'none' && opensFor(before, viewer.author.key)) throw currentPasswordRequired(before, viewer)
    const limits = throttleMailsOf(email.trim().toLowerCase(), viewer.author.id)
    await countLoginAttempt(parley.engine, limits, parley.clock())
    return { proof, hash: before.hash }
  },
  'members.sendInvitation': async ({ engine, clock, isMailConfigured = false }, viewer, { member_id }) => {
    requireMail({ isMailConfigured })
    // Others of this workspace only, so that nobody uses up the limits of another one.
    if (!(await engine.read((db) => findMember(db, viewer, member_id)))) throw notFound('member')
    await countLoginAttempt(engine, throttleInvitations(member_id, viewer.workspace.id), clock())
  },
}

const WRONG_PASSWORD = 'Wrong password.'
const USED_ELSEWHERE = 'You already have a password, in another workspace. Enter it to use it here too.'
