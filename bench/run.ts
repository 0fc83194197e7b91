import { benchDatasets } from './datasets'
import { table } from './lib/figures'
import { formatResults, getResults } from './lib/results'
import { benchPostgres } from './postgres'
import { benchRead } from './read'
import { writeReport } from './report'
import { benchSizes } from './sizes'
import { benchStart } from './start'
import { benchStreams } from './streams'
import { benchWeb } from './web'
import { benchWorkers } from './workers'
import { benchWrite } from './write'

const TIMEOUT_MINUTES = 15

const benches: Record<string, () => Promise<void>> = {
  datasets: benchDatasets,
  read: benchRead,
  write: benchWrite,
  workers: benchWorkers,
  sizes: benchSizes,
  postgres: benchPostgres,
  start: benchStart,
  streams: benchStreams,
  web: benchWeb,
}
const wanted = process.argv.slice(2).filter((word) => word in benches)
const isWhole = wanted.length === 0
const times: string[][] = []

for (const name of isWhole ? Object.keys(benches) : wanted) {
  const started = performance.now()
  const failure = await inTime(name, benches[name]!()).catch((error: Error) => error)
  if (failure) console.error(failure)
  times.push([name, `${minutes(performance.now() - started)}${failure ? ', **failed**' : ''}`])
  if (failure) process.exitCode = 1
}
times.push(['all', minutes(performance.now())])

console.log('\n## All answers\n')
console.log(formatResults(getResults()))
console.log('\n## How long it took, minutes and seconds\n')
console.log(table(['part', 'time'], times))
if (isWhole && !process.exitCode) writeReport()
process.exit()

/** A part that hangs is getResults up; what it started ends with the run. */
function inTime(name: string, bench: Promise<void>): Promise<void> {
  const late = Bun.sleep(TIMEOUT_MINUTES * 60_000).then(() => {
    throw new Error(`The part “${name}” took more than ${TIMEOUT_MINUTES} minutes.`)
  })
  return Promise.race([bench, late])
}

function minutes(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
