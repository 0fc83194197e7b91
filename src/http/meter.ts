import type { Metrics } from '../metrics'
import type { HttpContext } from './respond'

/** Counts and times responses. Labels are built once for each operation and status. */
export function openMeter(metrics: Metrics): HttpContext['meter'] {
  const count = metrics.counter('parley_requests_total', 'Requests, by operation and status.')
  const time = metrics.histogram('parley_request_seconds', 'How long requests took, by operation.')
  const labels = new Map<string, { operation: string; statuses: Map<number, string> }>()
  return (name, status, seconds) => {
    const { operation, statuses } = labels.getOrInsertComputed(name, () => ({
      operation: `operation="${name}"`,
      statuses: new Map(),
    }))
    count(statuses.getOrInsertComputed(status, () => `${operation},status="${status}"`))
    if (seconds !== undefined) time(operation, seconds)
  }
}
