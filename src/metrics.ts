/** Counters and histograms, in the text form Prometheus reads. */
export function openMetrics() {
  const counters = new Map<string, { help: string; values: Map<string, number> }>()
  const histograms = new Map<
    string,
    { help: string; values: Map<string, { counts: number[]; sum: number; count: number }> }
  >()
  const gauges = new Map<string, { help: string; value: () => number }>()
  const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

  return {
    counter(name: string, help: string) {
      const values = new Map<string, number>()
      counters.set(name, { help, values })
      return (labels: string, by = 1) => void values.set(labels, (values.get(labels) ?? 0) + by)
    },
    histogram(name: string, help: string) {
      const values = new Map<string, { counts: number[]; sum: number; count: number }>()
      histograms.set(name, { help, values })
      return (labels: string, value: number) => {
        const entry = values.getOrInsertComputed(labels, () => ({ counts: BUCKETS.map(() => 0), sum: 0, count: 0 }))
        entry.sum += value
        entry.count += 1
        let bucket = 0
        while (bucket < BUCKETS.length && value > BUCKETS[bucket]!) bucket += 1
        if (bucket < BUCKETS.length) entry.counts[bucket]! += 1
      }
    },
    gauge(name: string, help: string, value: () => number) {
      gauges.set(name, { help, value })
    },
    render(): string {
      const lines: string[] = []
      const head = (name: string, help: string, type: string) =>
        lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`)
      const line = (name: string, labels: string, value: number) =>
        lines.push(`${name}${labels && `{${labels}}`} ${value}`)
      for (const [name, { help, values }] of counters) {
        head(name, help, 'counter')
        for (const [labels, value] of values) line(name, labels, value)
      }
      for (const [name, { help, values }] of histograms) {
        head(name, help, 'histogram')
        for (const [labels, { counts, sum, count }] of values) {
          const with_ = (le: string) => `${labels ? `${labels},` : ''}le="${le}"`
          let below = 0
          BUCKETS.forEach((most, at) => {
            below += counts[at]!
            line(`${name}_bucket`, with_(String(most)), below)
          })
          line(`${name}_bucket`, with_('+Inf'), count)
          line(`${name}_sum`, labels, sum)
          line(`${name}_count`, labels, count)
        }
      }
      for (const [name, { help, value }] of gauges) {
        head(name, help, 'gauge')
        line(name, '', value())
      }
      return `${lines.join('\n')}\n`
    },
  }
}

export type Metrics = ReturnType<typeof openMetrics>
