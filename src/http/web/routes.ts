import { type ServedFile, webApp } from './bundle'

/** The paths of the web app; its own router decides what they show. */
export const WEB_PATHS = [
  ...['/', '/posts', '/posts/:id', '/channels', '/channels/:id', '/threads', '/threads/:id'],
  ...['/members', '/members/:id', '/settings', '/settings/:part', '/settings/:part/:id', '/search', '/sign-in'],
]

const PAGE_HEADERS = {
  'Cache-Control': 'no-cache',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
  // Scripts and styles come from this server only; pictures in posts may come from elsewhere.
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob: https: http:",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types parley',
  ].join('; '),
}

const IMMUTABLE = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'X-Content-Type-Options': 'nosniff',
}

/** The page of the web app, the same for every path. */
export const appPage = async (request: Request, status = 200) =>
  send(request, (await webApp(true)).page, PAGE_HEADERS, status)

/** Whether a browser is navigating, rather than a program calling. */
export const isNavigation = ({ method, headers }: Request) =>
  (method === 'GET' || method === 'HEAD') && (headers.get('accept')?.includes('text/html') ?? false)

/** A script or stylesheet of the web app; undefined if there is none of that name. */
export async function appAsset(request: Request, name: string): Promise<Response | undefined> {
  const file = (await webApp()).assets.get(name)
  return file && send(request, file, IMMUTABLE)
}

function send(
  request: Request,
  { type, plain, gzip }: ServedFile,
  headers: Record<string, string>,
  status = 200,
): Response {
  const acceptsGzip = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '')
  return new Response(acceptsGzip ? gzip : plain, {
    status,
    headers: {
      'Content-Type': type,
      Vary: 'Accept-Encoding',
      ...(acceptsGzip && { 'Content-Encoding': 'gzip' }),
      ...headers,
    },
  })
}
