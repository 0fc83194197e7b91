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
import { sessionOf, signIn, signInPage, signOut } from './session'

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
  return {
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
      whenReady(doorway, (request) => home(parley, sessionOf(request), afterOf(request))),
    ),
    '/posts/:id': only(
      'GET',
      doorway,
      whenReady(doorway, (request) => postPage(parley, sessionOf(request), request.params.id!, afterOf(request))),
    ),
    '/threads/:id': only(
      'GET',
      doorway,
      whenReady(doorway, (request) => threadPage(parley, sessionOf(request), request.params.id!, afterOf(request))),
    ),
    '/members/:id': only(
      'GET',
      doorway,
      whenReady(doorway, (request) => memberPage(parley, sessionOf(request), request.params.id!)),
    ),
    '/sign-in': only(
      'GET, HEAD, POST',
      doorway,
      whenReady(doorway, (request) =>
        request.method === 'POST'
          ? signIn(parley, request, isSecure)
          : signInPage(parley, queryOf(request.url).get('token')),
      ),
    ),
    '/sign-out': only(
      'POST',
      doorway,
      whenReady(doorway, (request) => signOut(parley, request, isSecure)),
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
function whenReady(doorway: Answering, show: (request: RoutedRequest) => Promise<Response>): Handler {
  return async (request, server) => {
    let failure: unknown
    try {
      if (doorway.isReady()) return await show(request)
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
