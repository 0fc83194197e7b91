import { type Family, type Merge, renderFamilies, type Sample } from './family'

/** A value now, or several by their labels. */
type Reading = number | Readonly<Record<string, number>>

interface GaugeOptions {
  /** `counter` for a value that is counted elsewhere and only grows. */
  type?: 'gauge' | 'counter'
  /** How the values of several processes are merged. */
  merge?: Merge
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
/** A gauge that takes longer is left out, so that it does not delay the others. */
const DEADLINE_MS = 1_000

/** Counters and histograms, and gauges that are read on demand. */
export function openMetrics() {
  const families = new Map<string, () => Family | Promise<Family>>()

  return {
    counter(name: string, help: string) {
      const values = new Map<string, number>()
      const samples = () => [...values].map(([labels, value]): Sample => ['', labels, value])
      families.set(name, () => ({ name, help, type: 'counter', merge: 'sum', samples: samples() }))
      return (labels: string, by = 1) => void values.set(labels, (values.get(labels) ?? 0) + by)
    },
    histogram(name: string, help: string, buckets: readonly number[] = SECONDS) {
      const { observe, samples } = openHistogram(buckets)
      families.set(name, () => ({ name, help, type: 'histogram', merge: 'sum', samples: samples() }))
      return observe
    },
    gauge(name: string, help: string, read: () => Reading | Promise<Reading>, options: GaugeOptions = {}) {
      const { type = 'gauge', merge = 'sum' } = options
      families.set(name, async () => ({ name, help, type, merge, samples: await readSamples(read) }))
    },
    snapshot: (): Promise<Family[]> => Promise.all([...families.values()].map((family) => family())),
    async render(): Promise<string> {
      return renderFamilies(await this.snapshot())
    },
  }
}

export type Metrics = ReturnType<typeof openMetrics>

/** A gauge that fails has no samples. */
async function readSamples(read: () => Reading | Promise<Reading>): Promise<Sample[]> {
  try {
    const reading = await within(DEADLINE_MS, read())
    return Object.entries(typeof reading === 'number' ? { '': reading } : reading).map(([labels, value]) => [
      ...(['', labels, value] as const),
    ])
  } catch {
    return []
  }
}

/** Rejects if a promise takes too long. */
export async function within<T>(milliseconds: number, value: T | Promise<T>): Promise<T> {
  if (!(value instanceof Promise)) return value
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new DOMException('It took too long.', 'TimeoutError')), milliseconds)
  return Promise.race([value, late.promise]).finally(() => clearTimeout(timer))
}

function openHistogram(buckets: readonly number[]) {
  const entries = new Map<string, { counts: number[]; sum: number; count: number }>()
  return {
    observe(labels: string, value: number) {
      const entry = entries.getOrInsertComputed(labels, () => ({ counts: buckets.map(() => 0), sum: 0, count: 0 }))
      entry.sum += value
      entry.count += 1
      let bucket = 0
      while (bucket < buckets.length && value > buckets[bucket]!) bucket += 1
      if (bucket < buckets.length) entry.counts[bucket]! += 1
    },
    samples(): Sample[] {
      return [...entries].flatMap(([labels, { counts, sum, count }]) => {
        const upTo = (bound: string) => `${labels ? `${labels},` : ''}le="${bound}"`
        let below = 0
        const counted = counts.map((each, at): Sample => {
          below += each
          return ['_bucket', upTo(String(buckets[at])), below]
        })
        return [...counted, ['_bucket', upTo('+Inf'), count], ['_sum', labels, sum], ['_count', labels, count]]
      })
    },
  }
}
