import { hashSecret, newSecret } from '../domain/secrets'
import type { Parley } from '../gate/parley'
import { findSignInLink, useSignInLink } from '../store/sign-in-links'
import { deleteSession, insertToken } from '../store/tokens'
import { readBytes } from './body'
import { html } from './html'
import { page } from './pages'

const COOKIE = 'parley_session'
const LIFETIME_MS = 30 * 24 * 60 * 60 * 1000

/** The session a browser brings along, if any. */
export function sessionOf(request: Request): string | undefined {
  const cookies = request.headers.get('cookie')?.split('; ') ?? []
  return cookies.find((cookie) => cookie.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1)
}

/** Asks before it signs in: programs that look at every link in a message would use it up otherwise. */
export async function signInPage(parley: Parley, token: string | null): Promise<Response> {
  const link = await parley.engine.read((db) => findSignInLink(db, hashSecret(token ?? ''), parley.clock()))
  if (!link) return linkIsGone()
  return page(
    'Sign in',
    html`<h1>Sign in to ${link.workspace_name}</h1>
<p>You will be signed in as ${link.name}. The link works once.</p>
<form method="post" action="/sign-in"><input type="hidden" name="token" value="${token ?? ''}"><button>Sign in</button></form>`,
  )
}

export async function signIn(parley: Parley, request: Request, isSecure: boolean): Promise<Response> {
  const token = new URLSearchParams(new TextDecoder().decode(await readBytes(request))).get('token') ?? ''
  const secret = newSecret()
  const isSignedIn = await parley.engine.write(async (db) => {
    const now = parley.clock()
    const link = await findSignInLink(db, hashSecret(token), now)
    if (!link || !(await useSignInLink(db, hashSecret(token), now))) return false
    await insertToken(db, {
      id: parley.newId('tok', now),
      workspace_key: link.workspace_key,
      author_key: link.author_key,
      kind: 'session',
      hash: hashSecret(secret),
      name: 'Browser',
      scopes: 'admin',
      created_at: now,
      expires_at: now + LIFETIME_MS,
    })
    return true
  })
  return isSignedIn ? toHome(cookie(secret, LIFETIME_MS / 1000, isSecure)) : linkIsGone()
}

export async function signOut(parley: Parley, request: Request, isSecure: boolean): Promise<Response> {
  const session = sessionOf(request)
  if (session) await parley.engine.write((db) => deleteSession(db, hashSecret(session)))
  return toHome(cookie('', 0, isSecure))
}

const toHome = (setCookie: string) =>
  new Response(null, { status: 303, headers: { Location: '/', 'Set-Cookie': setCookie, 'Cache-Control': 'no-store' } })

const cookie = (value: string, seconds: number, isSecure: boolean) =>
  `${COOKIE}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`

const linkIsGone = () =>
  page(
    'Sign in',
    html`<h1>This link does not work any more</h1><p>A sign-in link works once, within a week. Ask an admin for a new one.</p>`,
    { status: 410 },
  )
