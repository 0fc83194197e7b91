import { invalidField } from '../contract/errors'
import type { Proof } from '../domain/passwords'
import type { Viewer } from '../domain/permissions'
import type { Parley } from '../gate/parley'
import type { Password } from '../store/accounts/passwords'
import { findSessionByKey } from '../store/accounts/sessions'
import { findEmail } from '../store/people/members'
import { countLoginAttempt, resetLoginAttempts, throttleByEmail, uncountLoginAttempt } from './throttle'

const RECENT_SIGN_IN_MS = 10 * 60 * 1000

/** How the caller proves that the current password is theirs: they know it, or they signed in a moment ago. */
export async function provePassword(
  parley: Parley,
  viewer: Viewer,
  { hash }: Password,
  given: string | undefined,
  messageIfWrong: string,
): Promise<Proof> {
  const { engine, clock, passwords } = parley
  if (hash === undefined) return 'none'
  if (given === undefined) {
    const session = await engine.read(async (db) => viewer.sessionKey && findSessionByKey(db, viewer.sessionKey))
    return session && clock() - session.created_at < RECENT_SIGN_IN_MS ? 'signed in just now' : 'none'
  }

  // A person has one password, so attempts count together with those at the sign-in page, in all workspaces.
  const key = throttleByEmail(await engine.read((db) => findEmail(db, viewer.author.key)))
  await countLoginAttempt(engine, [key], clock())
  const isRight = await passwords.isRight(given, hash).catch(async (error) => {
    await uncountLoginAttempt(engine, [key])
    throw error
  })
  if (!isRight) throw invalidField('current_password', messageIfWrong)
  await resetLoginAttempts(engine, key)
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
