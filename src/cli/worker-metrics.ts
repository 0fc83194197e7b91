import type { Metrics } from '../metrics'
import { type Family, lastingFamilies, mergeSnapshots, renderFamilies } from '../metrics/family'

/** What the supervisor and its workers say to each other. */
export type ToWorker = { kind: 'snapshot please' } | { kind: 'metrics'; text: string }
export type ToSupervisor = { kind: 'metrics please' } | { kind: 'snapshot'; families: Family[] }

/** A worker that does not answer by then counts with what it said last. */
const SNAPSHOT_MS = 3_000
const ANSWER_MS = 6_000

interface Worker {
  name: string
  send(message: ToWorker): void
  last: readonly Family[]
  /** Called by its next snapshot, and when it is gone. */
  onSnapshot(): void
}

/**
 * Collects what all workers measured, whichever of them was asked. What a worker had counted is kept when it dies, so that
 * no counter ever goes back.
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
      worker.send({ kind: 'snapshot please' })
      return promise
    })
    await Promise.race([Promise.all(snapshots), Bun.sleep(SNAPSHOT_MS)])
    const living = [...workers].map(({ name, last }) => ({ worker: name, families: last }))
    return renderFamilies(mergeSnapshots([{ families: ownFamilies() }, { families: retired }, ...living]))
  }

  const ownFamilies = (): Family[] => [
    {
      name: 'parley_workers',
      help: 'Processes that serve.',
      type: 'gauge',
      merge: 'sum',
      samples: [['', '', workers.size]],
    },
    {
      name: 'parley_worker_restarts_total',
      help: 'Processes that ended by themselves and were started again.',
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
        hear(message: ToSupervisor) {
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

/** The worker's side: answers the supervisor, and asks it for the metrics of all. */
export function openWorkerMetrics(send: (message: ToSupervisor) => unknown) {
  const asking: PromiseWithResolvers<string>[] = []
  return {
    async hear(message: ToWorker, metrics: Metrics) {
      if (message.kind === 'snapshot please') return send({ kind: 'snapshot', families: await metrics.snapshot() })
      for (const each of asking.splice(0)) each.resolve(message.text)
    },
    collect(): Promise<string> {
      const asked = Promise.withResolvers<string>()
      const timer = setTimeout(() => asked.reject(new Error('The supervisor does not answer.')), ANSWER_MS)
      asking.push(asked)
      send({ kind: 'metrics please' })
      return asked.promise.finally(() => clearTimeout(timer))
    },
  }
}
