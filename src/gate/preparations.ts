import type { Input, OperationName } from '../contract'
import { invalidField } from '../contract/errors'
import { canReplacePassword, opensFor, type Proof } from '../domain/passwords'
import type { Viewer } from '../domain/permissions'
import { findEmail } from '../store/members'
import { findPassword, type Password } from '../store/passwords'
import { findSessionByKey } from '../store/sessions'
import { countGuesses, forgiveGuesses, guessAtEmail, takeBackGuesses } from './accounts/login-throttle'
import { squarePicture } from './accounts/picture'
import type { Parley } from './parley'

/** What a preparation may say to the gate. */
export interface Prepared {
  /** The workspaces that are changed; left out, the caller's alone. */
  workspaceKeys?: number[]
}

type Prepare<O extends OperationName> = (parley: Parley, viewer: Viewer, input: Input<O>) => Promise<unknown>

/** What takes long is done before the transaction begins: nobody waits for a password to be hashed. */
export const preparations: { [O in OperationName]?: Prepare<O> } = {
  'me.setAvatar': async (_, __, { file }) => squarePicture(await file.bytes()),
  'me.setPassword': async (parley, viewer, { password, current_password }) => {
    const before = await parley.engine.read((db) => findPassword(db, viewer.author.key))
    // A password that does not open this workspace yet is proved by choosing it here.
    const isSame = current_password === undefined && before.hash !== undefined && !opensFor(before, viewer.author.key)
    const proof = await prove(
      parley,
      viewer,
      before,
      isSame ? password : current_password,
      isSame ? ELSEWHERE : NOT_YOURS,
    )
    if (!canReplacePassword(before, viewer.author.key, proof)) throw currentPasswordRequired(before, viewer)
    const hash = isSame ? before.hash : await parley.passwords.hash(password)
    const workspaceKeys = [...before.members.map(({ workspace_key }) => workspace_key), viewer.workspace.key]
    return { before, proof, hash, workspaceKeys: [...new Set(workspaceKeys)] }
  },
  'me.deletePassword': async (parley, viewer, { current_password }) => {
    const before = await parley.engine.read((db) => findPassword(db, viewer.author.key))
    if (!opensFor(before, viewer.author.key)) return { before }
    const proof = await prove(parley, viewer, before, current_password, NOT_YOURS)
    if (proof === 'none') throw currentPasswordRequired(before, viewer)
    return { before }
  },
}

const JUST_NOW_MS = 10 * 60 * 1000
const NOT_YOURS = 'It is not your password.'
const ELSEWHERE = 'You already have a password, in another workspace. Enter it to use it here too.'

/** What the caller shows about the password there is: that they know it, or that they have signed in just now. */
async function prove(
  parley: Parley,
  viewer: Viewer,
  { hash }: Password,
  given: string | undefined,
  ifWrong: string,
): Promise<Proof> {
  const { engine, clock, passwords } = parley
  if (hash === undefined) return 'none'
  if (given === undefined) {
    const session = await engine.read(async (db) => viewer.sessionKey && findSessionByKey(db, viewer.sessionKey))
    return session && clock() - session.created_at < JUST_NOW_MS ? 'signed in just now' : 'none'
  }

  // One person, one password, one number of guesses: in whatever workspace, and where one signs in.
  const guess = guessAtEmail(await engine.read((db) => findEmail(db, viewer.author.key)))
  await countGuesses(engine, [guess], clock())
  const isRight = await passwords.isRight(given, hash).catch(async (error) => {
    await takeBackGuesses(engine, [guess])
    throw error
  })
  if (!isRight) throw invalidField('current_password', ifWrong)
  await forgiveGuesses(engine, guess)
  return 'knows it'
}

function currentPasswordRequired({ members }: Password, viewer: Viewer) {
  const isOnlyHere = members.every(({ author_key }) => author_key === viewer.author.key)
  return invalidField(
    'current_password',
    isOnlyHere
      ? 'It is required, since you have a password.'
      : 'It is required: the password opens other workspaces too.',
  )
}
