import { Problem } from '../../contract/errors'
import type { Parley } from '../../gate/parley'
import { ATTEMPTS_WINDOW_MS, countAttempt, forgetAttempts, takeBackAttempt } from '../../store/sign-in-attempts'

const MOST_FOR_EMAIL = 10
/** More: many people may share an address. */
const MOST_FROM_ADDRESS = 30

/** Who is being tried, by whom. The database holds neither in clear. */
export interface Guess {
  email: string
  address: string
}

const hashed = (kind: string, text: string) =>
  `${kind} ${new Bun.CryptoHasher('sha256').update(`${kind} ${text}`).digest('hex')}`
const emailOf = ({ email }: Guess) => hashed('email', email)
const addressOf = ({ address }: Guess) => hashed('address', networkOf(address))

/** One home has 2^64 IPv6 addresses to guess from. */
const networkOf = (address: string) => (address.includes(':') ? firstHalf(address).join(':') : address)

function firstHalf(address: string): string[] {
  const [start = '', end] = address.split('::')
  const [left, right] = [start.split(':').filter(Boolean), end?.split(':').filter(Boolean) ?? []]
  const zeros = end === undefined ? [] : new Array(Math.max(0, 8 - left.length - right.length)).fill('0')
  return [...left, ...zeros, ...right].slice(0, 4)
}

/** Counts an attempt before it is made, so that ten at once are ten. Throws where there were too many. */
export async function countGuess({ engine, clock }: Parley, guess: Guess) {
  const now = clock()
  const [address, email] = await engine.write(async (db) => [
    await countAttempt(db, addressOf(guess), now),
    await countAttempt(db, emailOf(guess), now),
  ])
  for (const [{ attempts, started_at }, most] of [
    [address!, MOST_FROM_ADDRESS],
    [email!, MOST_FOR_EMAIL],
  ] as const) {
    if (attempts <= most) continue
    const wait = Math.max(1, Math.ceil((started_at + ATTEMPTS_WINDOW_MS - now) / 1000))
    throw new Problem(
      'rate_limited',
      `Too many attempts to sign in. Wait ${wait} s, or use a sign-in link.`,
      undefined,
      {
        'Retry-After': String(wait),
      },
    )
  }
}

/** Who knows the password has not guessed. */
export const forgiveGuess = ({ engine }: Parley, guess: Guess) =>
  engine.write(async (db) => {
    await takeBackAttempt(db, addressOf(guess))
    await forgetAttempts(db, emailOf(guess))
  })
