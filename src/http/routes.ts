import type { Server } from 'bun'
import { Problem } from '../contract/errors'
import { DatabaseDamaged } from '../store/engines/damage'
import { version } from '../version'
import { type Answering, answering, HSTS, pathOf } from './answering'
import { openAvatars } from './avatars'
import { docsRoutes } from './docs'
import { showMetrics } from './metrics'
import { mountOperations } from './mount'
import { openApi } from './openapi'
import { errorsPage } from './pages'
import styles from './plain.css' with { type: 'text' }
import { sessionRoutes } from './session/routes'
import { appAsset, appPage, isVisit, WEB_PATHS } from './web/routes'

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
  const { parley } = doorway
  const document = JSON.stringify(openApi(version))
  const avatar = openAvatars(parley)
  return {
    ...sessionRoutes(doorway),
    '/v2/openapi.json': only('GET', doorway, () => json(document, { 'Access-Control-Allow-Origin': '*' })),
    ...mapValues(docsRoutes, (show) => only('GET', doorway, show)),
    '/docs/errors': only('GET', doorway, errorsPage),
    '/plain.css': only('GET', doorway, () => asset(styles, 'text/css; charset=utf-8')),
    '/avatars/:size/:file': only('GET', doorway, async (request, server) => {
      const { size, file } = request.params as { size: string; file: string }
      try {
        return (await avatar(Number(size), file)) ?? nowhere(doorway)(request, server)
      } catch (error) {
        return answering(doorway, request, server, 'avatar', () => Promise.reject(error))
      }
    }),

    ...Object.fromEntries(WEB_PATHS.map((path) => [path, only('GET', doorway, (request) => appPage(request))])),
    '/assets/:file': only(
      'GET',
      doorway,
      async (request, server) => (await appAsset(request, request.params.file!)) ?? nowhere(doorway)(request, server),
    ),

    '/healthz': only('GET', doorway, () => json('{"status":"ok"}')),
    '/readyz': only('GET', doorway, () => readiness(doorway)),
    '/metrics': only('GET', doorway, (request, server) => showMetrics(doorway, request, server)),
  }
}

/** What no route takes: a page that says so to people, a problem to programs. */
export const nowhere = (doorway: Answering) => async (request: Request, server: Server<undefined>) => {
  const path = pathOf(request.url)
  if (isVisit(request) && !path.startsWith('/v2')) return appPage(request, 404)
  return answering(doorway, request, server, 'none', async () => {
    throw new Problem('not_found', `There is nothing at ${path}. The API begins at /v2; /docs tells what is there.`)
  })
}

function only(method: 'GET', doorway: Answering, handler: Handler): Handler {
  const allow = `${method}, HEAD`
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

async function readiness({ parley, isReady }: Answering): Promise<Response> {
  try {
    if (!isReady()) return json('{"status":"starting"}', {}, 503)
    await parley.engine.ping()
    return json('{"status":"ready"}')
  } catch (error) {
    const status = error instanceof DatabaseDamaged ? 'database damaged' : 'no database'
    return json(JSON.stringify({ status }), { 'Retry-After': '1' }, 503)
  }
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
