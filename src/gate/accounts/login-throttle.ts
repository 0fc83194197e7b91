import { Problem } from '../../contract/errors'
import type { Engine } from '../../store/engines/engine'
import {
  ATTEMPTS_WINDOW_MS,
  countAttempt,
  findAttempts,
  forgetAttempts,
  takeBackAttempt,
} from '../../store/sign-in-attempts'

/** Whose password is tried, or from where: each may be wrong so many times in a quarter of an hour. */
export interface Guess {
  subject: string
  most: number
}

/** The database knows whom it is about by a hash only. */
const subjectOf = (kind: string, text: string) =>
  `${kind} ${new Bun.CryptoHasher('sha256').update(`${kind} ${text}`).digest('hex')}`

export const guessAtEmail = (email: string): Guess => ({ subject: subjectOf('email', email), most: 10 })
/** More from one address: many people may share it. */
export const guessFrom = (address: string): Guess => ({ subject: subjectOf('address', networkOf(address)), most: 30 })

/** One home has 2^64 IPv6 addresses to guess from. */
export const networkOf = (address: string) => (address.includes(':') ? firstHalf(address).join(':') : address)

function firstHalf(address: string): string[] {
  const [start = '', end] = address.split('::')
  const groups = (text = '') =>
    text
      .split(':')
      .filter(Boolean)
      .map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
  const [left, right] = [groups(start), groups(end)]
  const zeros = end === undefined ? [] : Array(Math.max(0, 8 - left.length - right.length)).fill('0')
  return [...left, ...zeros, ...right].slice(0, 4)
}

/**
 * Counts an attempt before it is made, so that ten at once are ten. Throws where there were too many; those after that are
 * refused without writing anything.
 */
export async function countGuesses(engine: Engine, guesses: readonly Guess[], now: number) {
  const subjects = guesses.map(({ subject }) => subject)
  for (const { subject, attempts, started_at } of await engine.read((db) => findAttempts(db, subjects, now)))
    if (attempts > guesses.find((guess) => guess.subject === subject)!.most) throw tooMany(started_at, now)

  const counted = await engine.write(async (db) => {
    const counts = []
    for (const { subject, most } of guesses) counts.push({ most, ...(await countAttempt(db, subject, now)) })
    return counts
  })
  const over = counted.find(({ attempts, most }) => attempts > most)
  if (over) throw tooMany(over.started_at, now)
}

function tooMany(startedAt: number, now: number): Problem {
  const wait = Math.max(1, Math.ceil((startedAt + ATTEMPTS_WINDOW_MS - now) / 1000))
  return new Problem('rate_limited', `Too many wrong passwords. Wait ${wait} s, or use a sign-in link.`, undefined, {
    'Retry-After': String(wait),
  })
}

/** Who knows the password has not guessed: what was wrong before is forgotten, but not what else came from there. */
export const forgiveGuesses = (engine: Engine, about: Guess, from?: Guess) =>
  engine.write(async (db) => {
    if (from) await takeBackAttempt(db, from.subject)
    await forgetAttempts(db, about.subject)
  })

/** No password was found wrong: there was no time to check it, or it is right and more has to be said. */
export const takeBackGuesses = (engine: Engine, guesses: readonly Guess[]) =>
  engine.write(async (db) => {
    for (const { subject } of guesses) await takeBackAttempt(db, subject)
  })
