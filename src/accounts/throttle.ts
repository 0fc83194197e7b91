import { MAX_CREATED_A_DAY } from '../contract/channels'
import { Problem } from '../contract/errors'
import { networkOf } from '../networks'
import {
  ATTEMPTS_WINDOW_MS,
  countAttempt,
  DAY_MS,
  deleteAttempts,
  findAttempts,
  uncountAttempt,
} from '../store/accounts/attempts'
import type { Writer } from '../store/engines/db'
import type { Engine } from '../store/engines/engine'

/** What attempts are counted by, and how many are allowed in a quarter of an hour. */
export interface ThrottleKey {
  subject: string
  maxAttempts: number
  /** What to say when there were too many. Default: about wrong passwords. */
  message?: (wait: number) => string
}

/** The database stores only a hash of the e-mail address or network. */
const subjectOf = (kind: string, text: string) =>
  `${kind} ${new Bun.CryptoHasher('sha256').update(`${kind} ${text}`).digest('hex')}`

export const throttleByEmail = (email: string): ThrottleKey => ({ subject: subjectOf('email', email), maxAttempts: 10 })

/** More for an address: many people may share it. */
export const throttleByAddress = (address: string): ThrottleKey => ({
  subject: subjectOf('address', networkOf(address)),
  maxAttempts: 30,
})

/** Mails that anyone can ask for, to an address and from one. */
export const throttleMails = (email: string, address: string): ThrottleKey[] => [
  throttleMailsTo(email),
  { subject: subjectOf('mail from', networkOf(address)), maxAttempts: 30, message: tooManyMails },
]

/** Mails that a member can have sent to an address of their choice. */
export const throttleMailsOf = (email: string, memberId: string): ThrottleKey[] => [
  throttleMailsTo(email),
  { subject: subjectOf('mail of', memberId), maxAttempts: 10, message: tooManyMails },
]

/**
 * Invitations that admins send again, to a member and in a workspace. Not counted by the address: others could then tell that it was
 * invited elsewhere, or keep its owner from resetting a password.
 */
export const throttleInvitations = (memberId: string, workspaceId: string): ThrottleKey[] => [
  { subject: subjectOf('invitation', memberId), maxAttempts: 3, message: tooManyMails },
  { subject: subjectOf('invitations of', workspaceId), maxAttempts: 60, message: tooManyMails },
]

/**
 * People who join by a link: from a network, which an office shares, and by a link. A link lets anyone who has it write to any
 * address, so each address is counted, too; and without mail, it tells which addresses the server knows.
 */
export const throttleJoins = (address: string, linkId: string): ThrottleKey[] => [
  { subject: subjectOf('join from', networkOf(address)), maxAttempts: 60, message: tooManyJoins },
  { subject: subjectOf('join by', linkId), maxAttempts: 200, message: tooManyJoins },
]

const MAX_NEWCOMERS_A_DAY = 500

/**
 * Counts people who are invited by mail, or who join by a link, in the transaction in which they are: what is refused does not
 * count. Each by itself: who has a link must not keep admins from inviting.
 */
export async function countNewcomers(
  db: Writer,
  kind: 'invited' | 'joining',
  workspaceId: string,
  count: number,
  now: number,
) {
  const counted = await countAttempt(db, subjectOf(kind, workspaceId), now, { count, windowMs: DAY_MS })
  if (counted.attempts <= MAX_NEWCOMERS_A_DAY) return
  const left = Math.max(0, MAX_NEWCOMERS_A_DAY - counted.attempts + count)
  throw tooManyToday(counted.started_at, now, (wait) =>
    kind === 'invited'
      ? `A workspace can invite ${MAX_NEWCOMERS_A_DAY} people a day by e-mail; ${left} are left. Try again in ${wait} s.`
      : `Too many people have asked to join today. Try again in ${wait} s, or ask an admin for an invitation.`,
  )
}

/** Counts a channel that a member who is no admin creates, in the same transaction. */
export async function countCreatedChannel(db: Writer, memberId: string, now: number) {
  const counted = await countAttempt(db, subjectOf('channels by', memberId), now, { windowMs: DAY_MS })
  if (counted.attempts > MAX_CREATED_A_DAY)
    throw tooManyToday(
      counted.started_at,
      now,
      (wait) => `You can create ${MAX_CREATED_A_DAY} channels a day. Try again in ${wait} s, or ask an admin.`,
    )
}

function tooManyToday(startedAt: number, now: number, message: (wait: number) => string): Problem {
  const wait = Math.max(1, Math.ceil((startedAt + DAY_MS - now) / 1000))
  return new Problem('rate_limited', message(wait), undefined, { 'Retry-After': String(wait) })
}

export const throttleMailsTo = (email: string): ThrottleKey => ({
  subject: subjectOf('mail to', email),
  maxAttempts: 5,
  message: tooManyMails,
})

const tooManyMails = (wait: number) => `Too many e-mails were requested. Try again in ${wait} s.`
const tooManyJoins = (wait: number) => `Too many people tried to join. Try again in ${wait} s.`
const tooManyPasswords = (wait: number) => `Too many wrong passwords. Try again in ${wait} s, or use a sign-in link.`

/**
 * Counts an attempt before the password is checked, so that concurrent attempts all count. Throws if there were too many;
 * further attempts are then refused without a write.
 */
export async function throttleAttempt(engine: Engine, keys: readonly ThrottleKey[], now: number) {
  const subjects = keys.map(({ subject }) => subject)
  for (const { subject, attempts, started_at } of await engine.read((db) => findAttempts(db, subjects, now))) {
    const key = keys.find((each) => each.subject === subject)!
    if (attempts > key.maxAttempts) throw tooManyAttempts(key, started_at, now)
  }

  const counted = await engine.write(async (db) => {
    const counts = []
    for (const key of keys) counts.push({ key, ...(await countAttempt(db, key.subject, now)) })
    return counts
  })
  const over = counted.find(({ attempts, key }) => attempts > key.maxAttempts)
  if (over) throw tooManyAttempts(over.key, over.started_at, now)
}

function tooManyAttempts({ message = tooManyPasswords }: ThrottleKey, startedAt: number, now: number): Problem {
  const wait = Math.max(1, Math.ceil((startedAt + ATTEMPTS_WINDOW_MS - now) / 1000))
  return new Problem('rate_limited', message(wait), undefined, { 'Retry-After': String(wait) })
}

/** After the right password: forgets the attempts for this e-mail address, and this one attempt from this network. */
export const resetAttempts = (engine: Engine, email: ThrottleKey, address?: ThrottleKey) =>
  engine.write(async (db) => {
    if (address) await uncountAttempt(db, address.subject)
    await deleteAttempts(db, email.subject)
  })

/** After an attempt in which no password was found wrong: it could not be checked, or more input is needed. */
export const takeBackAttempt = (engine: Engine, keys: readonly ThrottleKey[]) =>
  engine.write(async (db) => {
    for (const { subject } of keys) await uncountAttempt(db, subject)
  })
