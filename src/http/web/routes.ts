import { type ServedFile, webApp } from './bundle'

/** Where the web app has pages. Its router says what is on them. */
export const WEB_PATHS = [
  ...['/', '/posts', '/posts/:id', '/channels', '/channels/:id', '/threads', '/threads/:id'],
  ...['/members', '/members/:id', '/settings', '/settings/:part', '/settings/:part/:id', '/sign-in'],
]

const PAGE_HEADERS = {
  'Cache-Control': 'no-cache',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
  // Scripts and styles are ours alone; only pictures in what people wrote may come from elsewhere.
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

const FOR_EVER = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'X-Content-Type-Options': 'nosniff',
}

/** The one page of the web app, whatever its address. */
export const appPage = async (request: Request, status = 200) =>
  send(request, (await webApp(true)).page, PAGE_HEADERS, status)

/** Whether a person looks for a page, rather than a program for an answer. */
export const isVisit = ({ method, headers }: Request) =>
  (method === 'GET' || method === 'HEAD') && (headers.get('accept')?.includes('text/html') ?? false)

/** A script or a stylesheet of the web app; undefined where there is none of that name. */
export async function appAsset(request: Request, name: string): Promise<Response | undefined> {
  const file = (await webApp()).assets.get(name)
  return file && send(request, file, FOR_EVER)
}

function send(
  request: Request,
  { type, plain, gzip }: ServedFile,
  headers: Record<string, string>,
  status = 200,
): Response {
  const takesGzip = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '')
  return new Response(takesGzip ? gzip : plain, {
    status,
    headers: {
      'Content-Type': type,
      Vary: 'Accept-Encoding',
      ...(takesGzip && { 'Content-Encoding': 'gzip' }),
      ...headers,
    },
  })
}
