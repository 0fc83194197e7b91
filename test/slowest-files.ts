const SHOWN = 15

/** The files that took longest by the times of their tests, from what `bun test` printed. */
export function slowestFiles(outputs: string[]): string {
  const seconds = new Map<string, number>()
  for (const output of outputs) {
    let file = ''
    for (const line of output.split('\n')) {
      file =
        line
          .match(/^test\/(.*)\.test\.ts: (\w+)$/)
          ?.slice(1)
          .join(' on ') ?? file
      const [, ms] = line.match(/^\((?:pass|fail)\) .* \[([\d.]+)ms\]$/) ?? []
      if (ms) seconds.set(file, (seconds.get(file) ?? 0) + Number(ms) / 1000)
    }
  }
  return [...seconds]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, SHOWN)
    .map(([file, taken]) => `${taken.toFixed(1).padStart(8)} s  ${file}`)
    .join('\n')
}
