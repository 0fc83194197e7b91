import { errors } from '../../contract/errors'
import type { Log } from '../../log'
import { type HttpContext, pathOf } from '../respond'

/** Clients that are refused and retry at once would otherwise keep the server busy with refusing. */
const MAX_REFUSALS_PER_MS = 2

/** Paces refusals, so that they cost little however many there are, and logs their number once a second. */
export function openRefusals(log: Log): () => Promise<void> {
  let count = 0
  let nextAt = 0
  const logCount = () => {
    log.warn('Overloaded: refused requests', { refused: count })
    count = 0
  }
  return function waitForTurn() {
    count += 1
    if (count === 1) setTimeout(logCount, 1_000).unref()
    const now = performance.now()
    nextAt = Math.max(now, nextAt + 1 / MAX_REFUSALS_PER_MS)
    return Bun.sleep(nextAt - now)
  }
}

/** Refuses at the cost of a few microseconds: no error is thrown, nothing is looked up, no line is logged. */
export async function refuse(
  { parley, meter, loadShedding }: HttpContext,
  request: Request,
  name: string,
): Promise<Response> {
  await loadShedding.waitToRefuse()
  const requestId = parley.newId('req', parley.clock())
  const { status, title } = errors.unavailable
  meter(name, status)
  const problem = {
    type: `${parley.links.base}/docs/errors#unavailable`,
    title,
    status,
    detail: 'The server is overloaded. Nothing was changed; try again shortly.',
    instance: pathOf(request.url),
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
