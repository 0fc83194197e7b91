import { Problem } from '../contract/errors'
import type { LinkDetails } from '../contract/sessions'
import { opensFor } from '../domain/passwords'
import { hashSecret } from '../domain/secrets'
import { timestamp } from '../domain/timestamps'
import type { Parley } from '../gate/parley'
import { deleteMailedSignInLinksOf, deleteSignInLink, findAccountLink, findSignInLink } from '../store/accounts/links'
import { findPassword, findPasswordByEmail } from '../store/accounts/passwords'
import type { Reader, Writer } from '../store/engines/db'
import { type Started, startSession } from './sessions'
import {
  countLoginAttempt,
  resetLoginAttempts,
  throttleByAddress,
  throttleByEmail,
  uncountLoginAttempt,
} from './throttle'

export interface Browser {
  name: string
  address: string
  /** The secret of the session it already has. */
  before?: string
}

/** Who a sign-in link is for. This does not use the link. */
export async function inspectLink({ engine, clock }: Parley, secret: string): Promise<LinkDetails> {
  const link = await engine.read((db) => findLink(db, secret, clock()))
  if (!link) throw linkGone()
  return {
    name: link.name,
    email: link.email,
    workspace: { slug: link.workspace_slug, name: link.workspace_name },
    expires_at: timestamp(link.expires_at),
  }
}

export async function signInWithLink(parley: Parley, browser: Browser, secret: string): Promise<Started> {
  const now = parley.clock()
  return notifyStarted(
    parley,
    parley.engine.write(async (db) => {
      const find = () => findLink(db, secret, now)
      const link = await find()
      if (!link) throw linkGone()
      return startSession(parley, db, link.author_key, browser, async () => {
        const current = await find()
        if (!current) throw linkGone()
        await current.end(db)
      })
    }),
  )
}

/** A link that an admin made, or one of a mail. Using one of a mail ends all that were mailed to the member. */
async function findLink(db: Reader, secret: string, now: number) {
  const hash = hashSecret(secret)
  const made = await findSignInLink(db, hash, now)
  if (made) return { ...made, end: (writer: Writer) => deleteSignInLink(writer, made.key) }
  const mailed = await findAccountLink(db, 'sign_in', hash, now)
  return mailed && { ...mailed, end: (writer: Writer) => deleteMailedSignInLinksOf(writer, mailed.author_key) }
}

const linkGone = () => new Problem('link_gone', 'Sign-in links work once, for a limited time. Ask for a new one.')

interface Credentials {
  workspace?: string
  email: string
  password: string
}

export async function signInWithPassword(parley: Parley, browser: Browser, given: Credentials): Promise<Started> {
  const email = given.email.trim().toLowerCase()
  const [byEmail, byAddress] = [throttleByEmail(email), throttleByAddress(browser.address)]
  await countLoginAttempt(parley.engine, [byAddress, byEmail], parley.clock())
  const { authorKey, hash } = await findMemberByPassword(parley, { ...given, email }).catch(async (error) => {
    const isWrong = error instanceof Problem && error.code === 'invalid_credentials'
    if (!isWrong) await uncountLoginAttempt(parley.engine, [byAddress, byEmail])
    throw error
  })
  await resetLoginAttempts(parley.engine, byEmail, byAddress)
  return notifyStarted(
    parley,
    parley.engine.write((db) =>
      startSession(parley, db, authorKey, browser, async () => {
        const current = await findPassword(db, authorKey)
        if (current.hash !== hash || !opensFor(current, authorKey)) throw wrongPassword()
      }),
    ),
  )
}

/**
 * The member with this e-mail address and password. One password is checked even if there is no such member: neither the
 * response nor its time reveals who has an account, or in how many workspaces.
 */
async function findMemberByPassword(parley: Parley, { workspace, email, password }: Credentials) {
  const { hash, members } = await parley.engine.read((db) => findPasswordByEmail(db, email))
  const isRight = await parley.passwords.isRight(password, hash)
  const open = isRight ? members.filter(({ slug }) => !workspace || slug === workspace) : []
  const [only, another] = open
  if (!only) throw wrongPassword()
  if (!another) return { authorKey: only.author_key, hash: only.hash }
  throw new Problem('workspace_required', 'You are a member of several workspaces. Choose one.', [
    { in: 'body', name: 'workspace', message: 'Choose one.', choices: open.map(({ slug }) => slug) },
  ])
}

const wrongPassword = () => new Problem('invalid_credentials', 'Wrong e-mail or password.')

async function notifyStarted(parley: Parley, work: Promise<Started>): Promise<Started> {
  const result = await work
  for (const key of result.workspaceKeys) parley.changes.notify(key)
  return result
}
