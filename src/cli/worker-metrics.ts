import type { Metrics } from '../metrics'
import { type Family, lastingFamilies, mergeSnapshots, renderFamilies } from '../metrics/family'

/** The messages between the supervisor and its workers. */
export type ToWorker = ForMetrics | { kind: 'end draining' }
type ForMetrics = { kind: 'request snapshot' } | { kind: 'metrics'; text: string }
export type ToSupervisor = { kind: 'request metrics' } | { kind: 'snapshot'; families: Family[] }

/** For a worker that does not respond in time, its last snapshot is used. */
const SNAPSHOT_MS = 3_000
const ANSWER_MS = 6_000

interface Worker {
  name: string
  send(message: ToWorker): void
  last: readonly Family[]
  /** Called when its next snapshot arrives, and when it exits. */
  onSnapshot(): void
}

/**
 * Collects the metrics of all workers, no matter which one was asked. The counts of a worker are kept when it dies, so that
 * counters never decrease.
 */
export function openCollection() {
  const workers = new Set<Worker>()
  let retired: readonly Family[] = []
  let restarts = 0
  let collecting: Promise<string> | undefined

  async function collect(): Promise<string> {
    const snapshots = [...workers].map((worker) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      worker.onSnapshot = resolve
      worker.send({ kind: 'request snapshot' })
      return promise
    })
    await Promise.race([Promise.all(snapshots), Bun.sleep(SNAPSHOT_MS)])
    const living = [...workers].map(({ name, last }) => ({ worker: name, families: last }))
    return renderFamilies(mergeSnapshots([{ families: ownFamilies() }, { families: retired }, ...living]))
  }

  const ownFamilies = (): Family[] => [
    {
      name: 'parley_workers',
      help: 'Worker processes.',
      type: 'gauge',
      merge: 'sum',
      samples: [['', '', workers.size]],
    },
    {
      name: 'parley_worker_restarts_total',
      help: 'Worker processes that exited and were restarted.',
      type: 'counter',
      merge: 'sum',
      samples: [['', '', restarts]],
    },
  ]

  return {
    join(name: string, send: Worker['send']) {
      const worker: Worker = { name, send, last: [], onSnapshot() {} }
      workers.add(worker)
      return {
        receive(message: ToSupervisor) {
          if (!workers.has(worker)) return
          if (message.kind === 'snapshot') {
            worker.last = message.families
            return worker.onSnapshot()
          }
          collecting ??= collect().finally(() => {
            collecting = undefined
          })
          void collecting.then((text) => workers.has(worker) && worker.send({ kind: 'metrics', text }))
        },
        leave() {
          workers.delete(worker)
          restarts += 1
          retired = mergeSnapshots([{ families: retired }, { families: lastingFamilies(worker.last) }])
          worker.onSnapshot()
        },
      }
    },
  }
}

/** The worker's side: sends snapshots to the supervisor, and asks it for the metrics of all workers. */
export function openWorkerMetrics(send: (message: ToSupervisor) => unknown) {
  const asking: PromiseWithResolvers<string>[] = []
  return {
    async receive(message: ForMetrics, metrics: Metrics) {
      if (message.kind === 'request snapshot') return send({ kind: 'snapshot', families: await metrics.snapshot() })
      for (const each of asking.splice(0)) each.resolve(message.text)
    },
    collect(): Promise<string> {
      const asked = Promise.withResolvers<string>()
      const timer = setTimeout(() => asked.reject(new Error('The supervisor does not respond.')), ANSWER_MS)
      asking.push(asked)
      send({ kind: 'request metrics' })
      return asked.promise.finally(() => clearTimeout(timer))
    },
  }
}
