import type { Input, OperationName } from '../contract'
import { invalidField } from '../contract/errors'
import type { Viewer } from '../domain/permissions'
import { findPassword } from '../store/passwords'
import { findSessionByKey } from '../store/sessions'
import { countGuesses, forgiveGuesses, guessAtMember } from './guesses'
import type { Parley } from './parley'
import { hashPassword, isPassword } from './passwords'
import { squarePicture } from './picture'

type Prepare<O extends OperationName> = (parley: Parley, viewer: Viewer, input: Input<O>) => Promise<unknown>

/** What takes long is done before the transaction begins: nobody waits for a password to be hashed. */
export const preparations: { [O in OperationName]?: Prepare<O> } = {
  'me.setAvatar': async (_, __, { file }) => squarePicture(await file.bytes()),
  'me.setPassword': async (parley, viewer, { password, current_password }) => ({
    before: await knownPassword(parley, viewer, current_password),
    hash: await hashPassword(password),
  }),
  'me.deletePassword': async (parley, viewer, { current_password }) => ({
    before: await knownPassword(parley, viewer, current_password),
  }),
}

const JUST_NOW_MS = 10 * 60 * 1000

/** The hash of the password there is, once the caller has shown to know it, or to have signed in just now. */
async function knownPassword(parley: Parley, viewer: Viewer, given: string | undefined): Promise<string | undefined> {
  const { engine, clock } = parley
  const { hash, session } = await engine.read(async (db) => ({
    hash: await findPassword(db, viewer.author.key),
    session: viewer.sessionKey ? await findSessionByKey(db, viewer.sessionKey) : undefined,
  }))
  const isFresh = session !== undefined && clock() - session.created_at < JUST_NOW_MS
  if (hash === undefined || (given === undefined && isFresh)) return hash
  if (given === undefined) throw invalidField('current_password', 'It is required, since you have a password.')

  const guess = guessAtMember(viewer.author.id)
  await countGuesses(engine, [guess], clock())
  if (!(await isPassword(given, hash))) throw invalidField('current_password', 'It is not your password.')
  await forgiveGuesses(engine, guess)
  return hash
}
