import { readdirSync, readFileSync } from 'node:fs'
import type { Metrics } from './'

const LAG_INTERVAL_MS = 250
const STARTED_SECONDS = (Date.now() - process.uptime() * 1000) / 1000

/** The process metrics that every Prometheus client exports. */
export function measureProcess(metrics: Metrics): () => void {
  const own = { merge: 'by_worker' } as const
  metrics.gauge('process_cpu_seconds_total', 'Processor time used, in user and system mode.', readCpuSeconds, {
    ...own,
    type: 'counter',
  })
  metrics.gauge('process_resident_memory_bytes', 'Memory in use.', () => process.memoryUsage.rss(), own)
  metrics.gauge('process_start_time_seconds', 'When the process started, in Unix time.', () => STARTED_SECONDS, own)
  // Only available on Linux.
  if (process.platform === 'linux') {
    metrics.gauge('process_open_fds', 'Open files and connections.', () => readdirSync('/proc/self/fd').length, own)
    metrics.gauge('process_max_fds', 'Maximum number of open files and connections.', readMaxFds, own)
  }
  return measureLag(metrics)
}

function readCpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

const readMaxFds = () => Number(readFileSync('/proc/self/limits', 'utf8').match(/^Max open files +(\d+)/m)?.[1])

/** The delay of a timer is the time that everything else had to wait. */
function measureLag(metrics: Metrics): () => void {
  const observe = metrics.histogram(
    'parley_event_loop_lag_seconds',
    'Delay of the event loop, measured 4 times a second.',
  )
  let due = performance.now() + LAG_INTERVAL_MS
  const timer = setInterval(() => {
    const now = performance.now()
    observe('', Math.max(0, now - due) / 1000)
    due = now + LAG_INTERVAL_MS
  }, LAG_INTERVAL_MS)
  timer.unref()
  return () => clearInterval(timer)
}
