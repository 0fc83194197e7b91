import { Problem } from '../contract/errors'
import { opensFor } from '../domain/passwords'
import { findPassword, findPasswordByEmail } from '../store/accounts/passwords'
import { getLink } from './links'
import type { AccountParts } from './parts'
import { type Browser, type Proven, type Started, startSession } from './sessions'
import { resetAttempts, takeBackAttempt, throttleAttempt, throttleByAddress, throttleByEmail } from './throttle'

interface Credentials {
  workspace?: string
  email: string
  password: string
}

/** What people prove with who they are. */
interface Proofs {
  link: { link: string }
  password: Credentials
}

export type Proof = Proofs[keyof Proofs]

type Prove<P> = (parts: AccountParts, proof: P, browser: Browser) => Promise<Proven>

/** How each kind of proof is checked. A new way to sign in is an entry here, and a file in a folder `providers`. */
const provers: { [K in keyof Proofs]: Prove<Proofs[K]> } = { link: proveByLink, password: proveByPassword }

/** Checks the proof, and starts a session of whom it belongs to. */
export async function signIn(parts: AccountParts, browser: Browser, proof: Proof): Promise<Started> {
  const proven = await prove(parts, proof, browser)
  const started = await parts.engine.write((db) => startSession(parts, db, browser, proven))
  for (const key of started.workspaceKeys) parts.notify(key)
  return started
}

const prove = (parts: AccountParts, proof: Proof, browser: Browser): Promise<Proven> =>
  'link' in proof ? provers.link(parts, proof, browser) : provers.password(parts, proof, browser)

async function proveByLink({ engine, clock }: AccountParts, { link }: Proofs['link']): Promise<Proven> {
  const found = await engine.read((db) => getLink(db, link, clock()))
  return {
    authorKey: found.author_key,
    // A link works once: of two requests at the same time, one finds it gone.
    async redeem(db) {
      const current = await getLink(db, link, clock())
      await current.end(db)
    },
  }
}

async function proveByPassword(parts: AccountParts, given: Credentials, { address }: Browser): Promise<Proven> {
  const { engine, clock } = parts
  const email = given.email.trim().toLowerCase()
  const [byEmail, byAddress] = [throttleByEmail(email), throttleByAddress(address)]
  await throttleAttempt(engine, [byAddress, byEmail], clock())
  const { authorKey, hash } = await findMemberByPassword(parts, { ...given, email }).catch(async (error) => {
    const isWrong = error instanceof Problem && error.code === 'invalid_credentials'
    if (!isWrong) await takeBackAttempt(engine, [byAddress, byEmail])
    throw error
  })
  await resetAttempts(engine, byEmail, byAddress)
  return {
    authorKey,
    async redeem(db) {
      const current = await findPassword(db, authorKey)
      if (current.hash !== hash || !opensFor(current, authorKey)) throw wrongPassword()
    },
  }
}

/**
 * The member with this e-mail address and password. One password is checked even if there is no such member: neither the
 * response nor its time reveals who has an account, or in how many workspaces.
 */
async function findMemberByPassword({ engine, passwords }: AccountParts, { workspace, email, password }: Credentials) {
  const { hash, members } = await engine.read((db) => findPasswordByEmail(db, email))
  const isRight = await passwords.isRight(password, hash)
  const open = isRight ? members.filter(({ slug }) => !workspace || slug === workspace) : []
  const [only, another] = open
  if (!only) throw wrongPassword()
  if (!another) return { authorKey: only.author_key, hash: only.hash }
  throw new Problem('workspace_required', 'You are a member of several workspaces. Choose one.', [
    { in: 'body', name: 'workspace', message: 'Choose one.', choices: open.map(({ slug }) => slug) },
  ])
}

const wrongPassword = () => new Problem('invalid_credentials', 'Wrong e-mail or password.')
