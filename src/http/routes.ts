import type { Server } from 'bun'
import { Problem } from '../contract/errors'
import { commit, version } from '../version'
import { mcpRoute, resourceMetadata } from './agents'
import { openAvatars, showEmoji } from './avatars'
import { DOCS_PATHS, openDocs } from './docs'
import { fileRoutes } from './files'
import { hookRoute } from './hooks'
import { openImageProxy } from './image-proxy'
import { showMetrics } from './metrics'
import { operationRoutes } from './operations'
import { unsubscribe } from './pages'
import styles from './plain.css' with { type: 'text' }
import { type HttpContext, pathOf, respond, shownPathOf, targetOf } from './respond'
import { sessionRoutes } from './session/routes'
import { HSTS } from './to-response'
import { appAsset, appPage, isNavigation, serviceWorker, WEB_PATHS } from './web/routes'
import { type ServedFile, sendFile, toServedFile } from './web/served-file'

type RoutedRequest = Request & { params: Record<string, string> }
type Handler = (request: RoutedRequest, server: Server<undefined>) => Response | Promise<Response>

/** What answers the requests of a server. */
export interface Handlers {
  routes: Record<string, Handler>
  fetch(request: Request, server: Server<undefined>): Response | Promise<Response>
}

export const handlersOf = (http: HttpContext): Handlers => ({ routes: routes(http), fetch: notFoundRoute(http) })

/**
 * The same for a server that is about to stop. A proxy that asks `/readyz` turns to other nodes; and no connection is kept that it could
 * send the next request over at the very moment when it is closed.
 */
export const drainingHandlers = ({ routes, fetch }: Handlers): Handlers => ({
  routes: mapValues({ ...routes, '/readyz': () => json('{"status":"stopping"}', {}, 503) }, closing),
  fetch: closing(fetch),
})

/** The same, but every request first waits for what this function returns. */
export const holdingHandlers = ({ routes, fetch }: Handlers, hold: () => Promise<void>): Handlers => {
  const holding =
    (handler: Handler): Handler =>
    async (request, server) => {
      await hold()
      return handler(request, server)
    }
  return { routes: mapValues(routes, holding), fetch: holding(fetch as Handler) as Handlers['fetch'] }
}

const closing =
  <R extends Request>(handler: (request: R, server: Server<undefined>) => Response | Promise<Response>) =>
  async (request: R, server: Server<undefined>) => {
    const response = await handler(request, server)
    response.headers.set('Connection', 'close')
    return response
  }

/** All routes of this server. */
function routes(http: HttpContext): Record<string, Handler> {
  const { isSecure } = http
  const all = {
    ...operationRoutes(http),
    '/mcp': mcpRoute(http),
    ...mapValues(plainRoutes(http), (handler) => (isSecure ? overTls(handler) : handler)),
  }
  return mapValues(all, (handler) => unlessTooLong(http, handler))
}

/** Bun would accept longer ones, but a proxy, a log and the links of a page would not: see listen.ts. */
const MAX_ADDRESS = 16_000

function unlessTooLong<R extends Request>(
  http: HttpContext,
  handler: (request: R, server: Server<undefined>) => Response | Promise<Response>,
) {
  return (request: R, server: Server<undefined>): Response | Promise<Response> => {
    // The first comparison is enough for almost every request.
    if (request.url.length <= MAX_ADDRESS || targetOf(request.url).length <= MAX_ADDRESS)
      return handler(request, server)
    return respond(http, request, server, 'none', async () => {
      const max = MAX_ADDRESS.toLocaleString('en')
      throw new Problem('address_too_long', `The path and the query have at most ${max} characters together.`)
    })
  }
}

/** Everything besides the API: its documentation, the web app, and what operators use. */
function plainRoutes(http: HttpContext): Record<string, Handler> {
  const { parley } = http
  let document: ServedFile | undefined
  const avatar = openAvatars(parley)
  const findDocs = openDocs(http)
  const loadImage = openImageProxy(http)
  return {
    ...sessionRoutes(http),
    '/v2/openapi.json': only('GET', http, async (request) => {
      document ??= await renderDocument()
      return sendFile(request, document, { 'X-Content-Type-Options': 'nosniff', 'Access-Control-Allow-Origin': '*' })
    }),
    ...Object.fromEntries(DOCS_PATHS.map((path) => [path, only('GET', http, serve(http, 'docs', findDocs))])),
    ...mapValues(resourceMetadata(parley.links.base), (text) =>
      only('GET', http, () => json(text, { 'Access-Control-Allow-Origin': '*' })),
    ),
    '/plain.css': only('GET', http, () => asset(styles, 'text/css; charset=utf-8')),
    '/avatars/:size/:file': only(
      'GET',
      http,
      serve(http, 'avatar', ({ params }) => avatar(Number(params.size), params.file!)),
    ),
    '/emoji/:file': only(
      'GET',
      http,
      serve(http, 'emoji', ({ params }) => showEmoji(parley, params.file!)),
    ),

    ...Object.fromEntries(WEB_PATHS.map((path) => [path, only('GET', http, (request) => appPage(http, request))])),
    '/assets/:file': only(
      'GET',
      http,
      serve(http, 'asset', (request) => appAsset(request, request.params.file!)),
    ),

    '/images': only('GET', http, serve(http, 'image', loadImage)),
    ...mapValues(fileRoutes(http), (handler) => only('GET', http, handler)),

    '/unsubscribe/:token': only(
      ['GET', 'POST'],
      http,
      serve(http, 'unsubscribe', (request) => unsubscribe(parley, request, request.params.token!)),
    ),
    '/hooks/:secret': hookRoute(http),
    '/sw.js': only('GET', http, () => serviceWorker(http)),

    '/healthz': only('GET', http, () => json(JSON.stringify({ status: 'ok', version, commit }))),
    '/readyz': only('GET', http, () => readiness(http)),
    '/metrics': only('GET', http, (request, server) => showMetrics(http, request, server)),
  }
}

/** The API document. It is loaded when first asked for: its texts and examples would slow down every start. */
async function renderDocument(): Promise<ServedFile> {
  const { openApi } = await import('./openapi')
  return toServedFile('application/json', new TextEncoder().encode(JSON.stringify(openApi(version))))
}

/** Answers requests that no route matches: with a page for people, with a problem for programs. */
export const notFoundRoute = (http: HttpContext) =>
  unlessTooLong(http, async (request: Request, server) => {
    const path = pathOf(request.url)
    if (isNavigation(request) && !path.startsWith('/v2')) return appPage(http, request, 404)
    return respond(http, request, server, 'none', async () => {
      const detail = `There is nothing at ${shownPathOf(request.url)}. The API is under /v2; see /docs.`
      throw new Problem('not_found', detail)
    })
  })

/** Answers with what `find` finds, with 404 if that is nothing, and with a problem if it fails. */
const serve =
  (http: HttpContext, name: string, find: (request: RoutedRequest) => Promise<Response | undefined>): Handler =>
  async (request, server) => {
    try {
      return (await find(request)) ?? notFoundRoute(http)(request, server)
    } catch (error) {
      return respond(http, request, server, name, () => Promise.reject(error))
    }
  }

function only(methods: 'GET' | readonly ['GET', 'POST'], http: HttpContext, handler: Handler): Handler {
  const allow = methods === 'GET' ? 'GET, HEAD' : 'GET, HEAD, POST'
  return (request, server) => {
    if (allow.split(', ').includes(request.method)) return handler(request, server)
    return respond(http, request, server, 'none', async () => {
      const detail = `${shownPathOf(request.url)} supports ${allow}, not ${request.method}.`
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

async function readiness({ parley }: HttpContext): Promise<Response> {
  const status = await parley.findReadiness()
  if (status === 'ready') return json('{"status":"ready"}')
  return json(JSON.stringify({ status }), { 'Retry-After': '1' }, 503)
}

const json = (body: string, headers: Record<string, string> = {}, status = 200) =>
  new Response(body, {
    status,
    headers: { 'Content-Type': 'application/json', 'X-Content-Type-Options': 'nosniff', ...headers },
  })

const asset = (body: string, type: string) =>
  new Response(body, { headers: { 'Content-Type': type, 'X-Content-Type-Options': 'nosniff' } })

const mapValues = <A, B>(record: Record<string, A>, change: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
