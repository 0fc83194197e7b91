/** How the values of several processes are merged: summed, labelled by worker, or taken from any of them. */
export type Merge = 'sum' | 'by_worker' | 'shared'

/** A line of a family. */
export type Sample = readonly [suffix: string, labels: string, value: number]

/** One metric at one moment, as plain data that can be sent between processes. */
export interface Family {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  merge: Merge
  samples: readonly Sample[]
}

/** The text format that Prometheus reads. */
export function renderFamilies(families: readonly Family[]): string {
  const lines = families.flatMap(({ name, help, type, samples }) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(([suffix, labels, value]) => `${name}${suffix}${labels && `{${labels}}`} ${value}`),
  ])
  return `${lines.join('\n')}\n`
}

/** The metrics of one process; without a name, the counts of processes that have exited. */
export interface Snapshot {
  worker?: string
  families: readonly Family[]
}

/** Merges the metrics of several processes. */
export function mergeSnapshots(snapshots: readonly Snapshot[]): Family[] {
  const merged = new Map<string, { family: Family; values: Map<string, Sample> }>()
  for (const { worker, families } of snapshots)
    for (const family of families) {
      const { values } = merged.getOrInsertComputed(family.name, () => ({ family, values: new Map() }))
      if (family.merge === 'shared' && values.size > 0) continue
      for (const [suffix, own, value] of family.samples) {
        const labels = family.merge === 'by_worker' ? [own, `worker="${worker}"`].filter(Boolean).join() : own
        const key = `${suffix}{${labels}}`
        values.set(key, [suffix, labels, value + (values.get(key)?.[2] ?? 0)])
      }
    }
  return [...merged.values()].map(({ family, values }) => ({ ...family, samples: [...values.values()] }))
}

/** The families of an exited process that still count. */
export const lastingFamilies = (families: readonly Family[]): Family[] =>
  families.filter(({ type, merge }) => type !== 'gauge' && merge === 'sum')
