import { errors } from '../../contract/errors'
import { type HttpContext, shownPathOf } from '../respond'
import type { ConcurrencyLimit } from './limit'

/** Handles a request as soon as there is capacity, or refuses it. */
export function handleWithin(
  limit: ConcurrencyLimit | undefined,
  http: HttpContext,
  request: Request,
  name: string,
  handle: (limit?: ConcurrencyLimit) => Response | Promise<Response>,
): Response | Promise<Response> {
  if (!limit) return handle()
  if (limit.tryAcquire()) return handleAndRelease(limit, handle)
  const drop = http.bodies.hold(request)
  return limit
    .acquire()
    .then((isAcquired) => (isAcquired ? handleAndRelease(limit, handle) : refuse(http, request, name)))
    .finally(drop)
}

function handleAndRelease(
  limit: ConcurrencyLimit,
  handle: (limit: ConcurrencyLimit) => Response | Promise<Response>,
): Response | Promise<Response> {
  const response = handle(limit)
  if (response instanceof Promise) void response.then(limit.release, limit.release)
  else limit.release()
  return response
}

/** Refuses at the cost of a few microseconds: no error is thrown, nothing is looked up, no line is logged. */
async function refuse({ parley, meter, loadShedding }: HttpContext, request: Request, name: string): Promise<Response> {
  await loadShedding.waitToRefuse()
  const requestId = parley.newId('req', parley.clock())
  const { status, title } = errors.unavailable
  meter(name, status)
  const problem = {
    type: `${parley.links.base}/docs/errors#unavailable`,
    title,
    status,
    detail: 'The server is overloaded. Nothing was changed; try again shortly.',
    instance: shownPathOf(request.url),
    code: 'unavailable',
    request_id: requestId,
  }
  return new Response(JSON.stringify(problem), {
    status,
    headers: {
      'Content-Type': 'application/problem+json',
      'Retry-After': '1',
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': 'Retry-After, X-Request-Id',
    },
  })
}
