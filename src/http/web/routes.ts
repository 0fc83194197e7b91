import type { HttpContext } from '../respond'
import { sessionOf } from '../session/cookie'
import { webApp } from './bundle'
import type { ShownWorkspace } from './page'
import script from './push-worker.js' with { type: 'text' }
import { sendFile } from './served-file'

/** The paths of the web app; its own router decides what they show. */
export const WEB_PATHS = [
  ...['/', '/inbox', '/saved', '/drafts', '/posts', '/posts/:id', '/channels', '/channels/:id', '/channels/:id/files'],
  ...['/threads', '/threads/:id'],
  ...['/members', '/members/:id', '/settings', '/settings/:part', '/settings/:part/:id', '/search', '/sign-in'],
  ...['/reset-password', '/confirm-email'],
]

const PAGE_HEADERS = {
  'Cache-Control': 'no-cache',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
}

const IMMUTABLE = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'X-Content-Type-Options': 'nosniff',
}

/** The page of the web app, the same for every path. Visitors without a session get the skeleton of the sign-in page. */
export async function appPage(http: HttpContext, request: Request, status = 200): Promise<Response> {
  const app = await webApp(true)
  const pages = http.imageProxy ? app.proxiedPages : app.pages
  const isSignedIn = sessionOf(request, http.isSecure) !== undefined
  const page = isSignedIn ? pages.signedIn : pages.signedOut(await findShownWorkspace(http))
  return sendFile(
    request,
    page,
    { ...PAGE_HEADERS, 'Content-Security-Policy': pages.policy },
    { status, vary: 'Cookie, ' },
  )
}

/** The page itself needs no database, so that it can say that there is none. */
const findShownWorkspace = ({ parley }: HttpContext): Promise<ShownWorkspace | undefined> =>
  parley.accounts.findOnlyWorkspace().catch(() => undefined)

/** Whether a browser is navigating, rather than a program calling. */
export const isNavigation = ({ method, headers }: Request) =>
  (method === 'GET' || method === 'HEAD') && (headers.get('accept')?.includes('text/html') ?? false)

/** A script, stylesheet or font of the web app; undefined if there is none of that name. */
export async function appAsset(request: Request, name: string): Promise<Response | undefined> {
  const file = (await webApp()).assets.get(name)
  return file && sendFile(request, file, IMMUTABLE)
}

const HEADERS = {
  'Content-Type': 'text/javascript; charset=utf-8',
  'Cache-Control': 'no-cache',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'",
}

/** The script that shows notifications. It is at the top, so that it can open every page of the app. */
export const serviceWorker = () => new Response(script, { headers: HEADERS })
