import type { HttpContext } from '../respond'
import { sessionOf } from '../session/cookie'
import { webApp } from './bundle'
import type { ShownWorkspace } from './page'
import { sendFile } from './served-file'
import script from './service-worker.js' with { type: 'text' }

/** What members open, and can open without a connection. */
const MEMBER_PATHS = [
  ...['/', '/inbox', '/saved', '/drafts', '/posts', '/posts/:id', '/channels', '/channels/:id', '/channels/:id/files'],
  '/channels/:id/about',
  ...['/threads', '/threads/:id'],
  ...['/members', '/members/:id', '/groups/:id', '/settings', '/settings/:part', '/settings/:part/:id', '/search'],
]

/** The paths of the web app; its own router decides what they show. */
export const WEB_PATHS = [...MEMBER_PATHS, '/sign-in', '/reset-password', '/confirm-email', '/join']

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

const WORKER_HEADERS = {
  'Content-Type': 'text/javascript; charset=utf-8',
  'Cache-Control': 'no-cache',
  'X-Content-Type-Options': 'nosniff',
  // What it loads is the page and the files of the app.
  'Content-Security-Policy': "default-src 'none'; connect-src 'self'",
}

const paths = `^(${MEMBER_PATHS.map((path) => path.replaceAll(/:\w+/g, '[^/]+')).join('|')})$`

/** The script that opens the app without a connection and shows notifications. It is at the top, so that it can open every page. */
export async function serviceWorker(http: HttpContext): Promise<Response> {
  const { release } = await webApp(true)
  const version = http.imageProxy ? `${release.version}-images` : release.version
  const inScript = JSON.stringify({ ...release, version, page: '/posts', paths })
  return new Response(`const release = ${inScript}\n${script}`, { headers: WORKER_HEADERS })
}
