const SHOWN_FILES = 15
/** Of the lines above a test that failed, which end with its error. */
const SHOWN_LINES = 40

interface Result {
  /** Such as `posts/resolution on sqlite`. */
  file: string
  name: string
  isPassed: boolean
  ms: number
  /** What was printed since the result before it. */
  printed: string[]
}

/** The results of tests, from what `bun test` printed, with the engine behind the name of each file. */
function* readResults(output: string): Generator<Result> {
  let file = ''
  let printed: string[] = []
  // At the end of a long output, it repeats what failed.
  const [tests] = output.split(/^\d+ tests failed:$/m)
  for (const line of tests!.split('\n')) {
    const header = line.match(/^test\/(.*)\.test\.ts: (\w+)$/)
    const result = line.match(/^\((pass|fail)\) (.*?)(?: \[([\d.]+)ms\])?$/)
    if (result) yield { file, name: result[2]!, isPassed: result[1] === 'pass', ms: Number(result[3] ?? 0), printed }
    if (header) file = `${header[1]} on ${header[2]}`
    if (header || result) printed = []
    else printed.push(line)
  }
}

/** The files that took longest by the times of their tests. */
export function slowestFiles(outputs: string[]): string {
  const seconds = new Map<string, number>()
  for (const { file, ms } of outputs.flatMap((output) => [...readResults(output)]))
    seconds.set(file, (seconds.get(file) ?? 0) + ms / 1000)
  return [...seconds]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, SHOWN_FILES)
    .map(([file, taken]) => `${taken.toFixed(1).padStart(8)} s  ${file}`)
    .join('\n')
}

/** The tests that failed, each with its error: at the end of a run, where it is looked for. */
export function failedTests(outputs: string[]): string {
  return outputs
    .flatMap((output) => [...readResults(output)].filter(({ isPassed }) => !isPassed))
    .map(
      ({ file, name, ms, printed }) =>
        `${file}: ${name}, after ${(ms / 1000).toFixed(1)} s\n${printed.slice(-SHOWN_LINES).join('\n')}`,
    )
    .join('\n\n')
}
