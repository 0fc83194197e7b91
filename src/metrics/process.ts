import { readdirSync, readFileSync } from 'node:fs'
import type { Metrics } from '.'

const LAG_EVERY_MS = 250
const STARTED_SECONDS = (Date.now() - process.uptime() * 1000) / 1000

/** What this process uses of the machine, under the names that every Prometheus client gives it. */
export function measureProcess(metrics: Metrics): () => void {
  const own = { merge: 'by_worker' } as const
  metrics.gauge('process_cpu_seconds_total', 'Processor time used, in user and system mode.', readCpuSeconds, {
    ...own,
    type: 'counter',
  })
  metrics.gauge('process_resident_memory_bytes', 'Memory in use.', () => process.memoryUsage.rss(), own)
  metrics.gauge('process_start_time_seconds', 'When the process started, in Unix time.', () => STARTED_SECONDS, own)
  // Only Linux tells these.
  if (process.platform === 'linux') {
    metrics.gauge('process_open_fds', 'Open files and connections.', () => readdirSync('/proc/self/fd').length, own)
    metrics.gauge('process_max_fds', 'How many files and connections may be open.', readMaxFds, own)
  }
  return measureLag(metrics)
}

function readCpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

const readMaxFds = () => Number(readFileSync('/proc/self/limits', 'utf8').match(/^Max open files +(\d+)/m)?.[1])

/** How late a timer comes is how long everything else had to wait. */
function measureLag(metrics: Metrics): () => void {
  const observe = metrics.histogram(
    'parley_event_loop_lag_seconds',
    'How late the event loop was, looked at 4 times a second.',
  )
  let due = performance.now() + LAG_EVERY_MS
  const timer = setInterval(() => {
    const now = performance.now()
    observe('', Math.max(0, now - due) / 1000)
    due = now + LAG_EVERY_MS
  }, LAG_EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}
