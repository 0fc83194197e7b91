import type { Server } from 'bun'
import { Problem } from '../contract/errors'
import { avatarSvg } from '../domain/avatar'
import { version } from '../version'
import { type Answering, answering, HSTS, pathOf, queryOf } from './answering'
import { docsRoutes } from './docs'
import { mountOperations } from './mount'
import { openApi } from './openapi'
import { errorsPage, home, memberPage, postPage, threadPage } from './pages'
import styles from './plain.css' with { type: 'text' }
import { sessionOf } from './session/cookie'
import { signInByForm, signInPage, signOutByForm } from './session/forms'
import { browserOf, sessionRoutes } from './session/routes'
import { refuseOtherSites } from './session/same-origin'
import { pageTokenFor } from './session/sessions'

type RoutedRequest = Request & { params: Record<string, string> }
type Handler = (request: RoutedRequest, server: Server<undefined>) => Response | Promise<Response>

/** Everything this server answers, on one screen. */
export function routes(doorway: Answering): Record<string, Handler> {
  const { isSecure } = doorway
  return {
    ...mountOperations(doorway),
    ...mapValues(plainRoutes(doorway), (handler) => (isSecure ? overTls(handler) : handler)),
  }
}

/** What is not the API: its documentation, the pages, and what operators look at. */
function plainRoutes(doorway: Answering): Record<string, Handler> {
  const { parley, isSecure } = doorway
  const document = JSON.stringify(openApi(version))
  /** The token by which a page asks, for whoever is signed in. */
  const tokenOf = (request: Request) =>
    pageTokenFor(parley, sessionOf(request, isSecure)).then(
      ({ token }) => token,
      (error) => (error instanceof Problem && error.code === 'unauthenticated' ? undefined : Promise.reject(error)),
    )
  return {
    ...sessionRoutes(doorway),
    '/v2/openapi.json': only('GET', doorway, () => json(document, { 'Access-Control-Allow-Origin': '*' })),
    ...mapValues(docsRoutes, (show) => only('GET', doorway, show)),
    '/docs/errors': only('GET', doorway, errorsPage),
    '/plain.css': only('GET', doorway, () => asset(styles, 'text/css; charset=utf-8')),
    '/avatars/:size/:file': only(
      'GET',
      doorway,
      (request, server) => avatar(request) ?? nowhere(doorway)(request, server),
    ),

    '/': only(
      'GET',
      doorway,
      whenReady(doorway, async (request) => home(parley, await tokenOf(request), afterOf(request))),
    ),
    '/posts/:id': only(
      'GET',
      doorway,
      whenReady(doorway, async (request) =>
        postPage(parley, await tokenOf(request), request.params.id!, afterOf(request)),
      ),
    ),
    '/threads/:id': only(
      'GET',
      doorway,
      whenReady(doorway, async (request) =>
        threadPage(parley, await tokenOf(request), request.params.id!, afterOf(request)),
      ),
    ),
    '/members/:id': only(
      'GET',
      doorway,
      whenReady(doorway, async (request) => memberPage(parley, await tokenOf(request), request.params.id!)),
    ),
    '/sign-in': only(
      'GET, HEAD, POST',
      doorway,
      whenReady(doorway, async (request, server) => {
        if (request.method !== 'POST') return signInPage(parley, queryOf(request.url).get('token'))
        refuseOtherSites(request, parley.links.base, isSecure)
        return signInByForm(parley, request, browserOf(doorway, request, server), isSecure)
      }),
    ),
    '/sign-out': only(
      'POST',
      doorway,
      whenReady(doorway, async (request) => {
        refuseOtherSites(request, parley.links.base, isSecure)
        return signOutByForm(parley, sessionOf(request, isSecure), isSecure)
      }),
    ),

    '/healthz': only('GET', doorway, () => json('{"status":"ok"}')),
    '/readyz': only('GET', doorway, () => readiness(doorway)),
    '/metrics': only('GET', doorway, () => asset(parley.metrics.render(), 'text/plain; version=0.0.4; charset=utf-8')),
  }
}

/** What no route takes. */
export const nowhere = (doorway: Answering) => (request: Request, server: Server<undefined>) =>
  answering(doorway, request, server, 'none', async () => {
    throw new Problem(
      'not_found',
      `There is nothing at ${pathOf(request.url)}. The API begins at /v2; /docs tells what is there.`,
    )
  })

function only(methods: 'GET' | 'POST' | 'GET, HEAD, POST', doorway: Answering, handler: Handler): Handler {
  const allow = methods === 'GET' ? 'GET, HEAD' : methods
  return (request, server) => {
    if (allow.split(', ').includes(request.method)) return handler(request, server)
    return answering(doorway, request, server, 'none', async () => {
      const detail = `${pathOf(request.url)} takes ${allow}, not ${request.method}.`
      throw new Problem('method_not_allowed', detail, undefined, { Allow: allow })
    })
  }
}

const overTls =
  (handler: Handler): Handler =>
  async (request, server) => {
    const response = await handler(request, server)
    response.headers.set('Strict-Transport-Security', HSTS)
    return response
  }

/** Pages need the database; without it they answer as the API does. */
function whenReady(
  doorway: Answering,
  show: (request: RoutedRequest, server: Server<undefined>) => Promise<Response>,
): Handler {
  return async (request, server) => {
    let failure: unknown
    try {
      if (doorway.isReady()) return await show(request, server)
    } catch (error) {
      failure = error
    }
    return answering(doorway, request, server, 'page', () => Promise.reject(failure))
  }
}

async function readiness({ parley, isReady }: Answering): Promise<Response> {
  try {
    if (!isReady()) return json('{"status":"starting"}', {}, 503)
    await parley.engine.ping()
    return json('{"status":"ready"}')
  } catch {
    return json('{"status":"no database"}', { 'Retry-After': '1' }, 503)
  }
}

function avatar(request: RoutedRequest): Response | undefined {
  const { size, file } = request.params as { size: string; file: string }
  const svg = file.endsWith('.svg') ? avatarSvg(Number(size), file.slice(0, -'.svg'.length)) : undefined
  if (!svg) return undefined
  return new Response(svg, {
    headers: {
      'Content-Type': 'image/svg+xml',
      'Cache-Control': 'public, max-age=31536000, immutable',
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'Access-Control-Allow-Origin': '*',
    },
  })
}

const afterOf = (request: Request) => queryOf(request.url).get('after')

const json = (body: string, headers: Record<string, string> = {}, status = 200) =>
  new Response(body, {
    status,
    headers: { 'Content-Type': 'application/json', 'X-Content-Type-Options': 'nosniff', ...headers },
  })

const asset = (body: string, type: string) =>
  new Response(body, { headers: { 'Content-Type': type, 'X-Content-Type-Options': 'nosniff' } })

const mapValues = <A, B>(record: Record<string, A>, change: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
