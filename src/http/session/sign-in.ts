import { Problem } from '../../contract/errors'
import type { LinkTold } from '../../contract/sessions'
import { hashSecret } from '../../domain/secrets'
import { timestamp } from '../../domain/timestamps'
import { countGuesses, forgiveGuesses, guessAtEmail, guessFrom } from '../../gate/guesses'
import type { Parley } from '../../gate/parley'
import { isPassword } from '../../gate/passwords'
import { findPasswordsOf } from '../../store/passwords'
import { findSignInLink, useSignInLink } from '../../store/sign-in-links'
import { type Started, startSession } from './sessions'

/** Where someone signs in from. */
export interface Browser {
  name: string
  address: string
  /** The secret of the session it has already. */
  before?: string
}

/** Whom a link would sign in. Looking does not use it up. */
export async function lookAtLink({ engine, clock }: Parley, secret: string): Promise<LinkTold> {
  const link = await engine.read((db) => findSignInLink(db, hashSecret(secret), clock()))
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
  return started(
    parley,
    parley.engine.write(async (db) => {
      const link = await findSignInLink(db, hashSecret(secret), now)
      if (!link || !(await useSignInLink(db, hashSecret(secret), now))) throw linkGone()
      return startSession(parley, db, link.author_key, browser)
    }),
  )
}

const linkGone = () => new Problem('link_gone', 'A sign-in link works once, within a week. Ask an admin for a new one.')

interface Credentials {
  workspace?: string
  email: string
  password: string
}

export async function signInWithPassword(parley: Parley, browser: Browser, given: Credentials): Promise<Started> {
  const email = given.email.trim().toLowerCase()
  const [about, from] = [guessAtEmail(email), guessFrom(browser.address)]
  await countGuesses(parley.engine, [from, about], parley.clock())
  const authorKey = await whoseThatIs(parley, { ...given, email })
  await forgiveGuesses(parley.engine, about, from)
  return started(
    parley,
    parley.engine.write((db) => startSession(parley, db, authorKey, browser)),
  )
}

/** The one member whose password it is. However it is wrong, the answer and the work are the same. */
async function whoseThatIs(parley: Parley, { workspace, email, password }: Credentials): Promise<number> {
  const all = await parley.engine.read((db) => findPasswordsOf(db, email))
  const possible = workspace ? all.filter(({ slug }) => slug === workspace) : all
  const right = []
  for (const one of possible.length > 0 ? possible : [undefined])
    if ((await isPassword(password, one?.hash)) && one) right.push(one)
  const [only, another] = right
  if (!only) throw new Problem('invalid_credentials', 'There is no member with this e-mail address and password.')
  if (!another) return only.author_key
  throw new Problem('workspace_required', 'You are in several workspaces with this password. Say which.', [
    { in: 'body', name: 'workspace', message: 'Say which.', choices: right.map(({ slug }) => slug) },
  ])
}

async function started(parley: Parley, work: Promise<Started>): Promise<Started> {
  const result = await work
  for (const key of result.workspaceKeys) parley.pulse.beat(key)
  return result
}
