import { Problem } from '../../contract/errors'
import type { Parley } from '../../gate/parley'
import { readBytes } from '../body'
import { html } from '../html'
import { page } from '../pages'
import { noCookie, sessionCookie } from './cookie'
import { SESSION_MS, signOut } from './sessions'
import { type Browser, lookAtLink, signInWithLink } from './sign-in'

/** Asks before it signs in: programs that look at every link in a message would use it up otherwise. */
export const signInPage = (parley: Parley, token: string | null): Promise<Response> =>
  orLinkIsGone(async () => {
    const link = await lookAtLink(parley, token ?? '')
    return page(
      'Sign in',
      html`<h1>Sign in to ${link.workspace.name}</h1>
<p>You will be signed in as ${link.name}. The link works once.</p>
<form method="post" action="/sign-in"><input type="hidden" name="token" value="${token ?? ''}"><button>Sign in</button></form>`,
    )
  })

export const signInByForm = (parley: Parley, request: Request, browser: Browser, isSecure: boolean) =>
  orLinkIsGone(async () => {
    const token = new URLSearchParams(new TextDecoder().decode(await readBytes(request))).get('token') ?? ''
    const { secret } = await signInWithLink(parley, browser, token)
    return toHome(sessionCookie(secret, SESSION_MS, isSecure))
  })

export async function signOutByForm(parley: Parley, secret: string | undefined, isSecure: boolean): Promise<Response> {
  await signOut(parley, secret)
  return toHome(noCookie(isSecure))
}

const toHome = (setCookie: string) =>
  new Response(null, { status: 303, headers: { Location: '/', 'Set-Cookie': setCookie, 'Cache-Control': 'no-store' } })

async function orLinkIsGone(show: () => Promise<Response>): Promise<Response> {
  try {
    return await show()
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'link_gone')) throw error
    return page(
      'Sign in',
      html`<h1>This link does not work any more</h1><p>A sign-in link works once, within a week. Ask an admin for a new one.</p>`,
      { status: 410 },
    )
  }
}
