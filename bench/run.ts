import { parseArgs } from 'node:util'
import { benchAgents } from './agents'
import { benchAttention } from './attention'
import { benchCold } from './cold'
import { benchFiles } from './files'
import { getBuildTime, makeDatasets } from './lib/dataset'
import { table } from './lib/figures'
import { stopPostgres } from './lib/postgres'
import { isQuick, scratch } from './lib/settings'
import { benchMembers } from './members'
import { benchMemory } from './memory'
import { benchPersonal } from './personal'
import { benchReactions } from './reactions'
import { benchRepeated } from './repeated'
import { resultTable, saveResults, writeReport } from './report'
import { benchSearch } from './search'
import { benchSizes } from './sizes'
import { benchStart } from './start'
import { benchStreams } from './streams'
import { benchWeb } from './web'
import { benchWire } from './wire'
import { benchWorkers } from './workers'
import { benchWrites } from './writes'

/**
 * `npm run bench` runs all parts and writes docs/bench.md. `npm run bench -- cold search` runs these parts alone and only
 * prints. `--quick` runs them with little data, `--report FILE` writes the report there, `--save FILE` the figures.
 */
const parts: Record<string, () => Promise<void>> = {
  cold: benchCold,
  repeated: benchRepeated,
  writes: benchWrites,
  personal: benchPersonal,
  reactions: benchReactions,
  members: benchMembers,
  search: benchSearch,
  attention: benchAttention,
  agents: benchAgents,
  sizes: benchSizes,
  start: benchStart,
  memory: benchMemory,
  wire: benchWire,
  workers: benchWorkers,
  streams: benchStreams,
  files: benchFiles,
  web: benchWeb,
}
const TIMEOUT_MINUTES = 15

const { positionals: wanted, values } = parseArgs({
  args: process.argv.slice(2),
  options: { quick: { type: 'boolean' }, report: { type: 'string' }, save: { type: 'string' } },
  allowPositionals: true,
})
const unknown = wanted.find((word) => !(word in parts))
if (unknown) throw new Error(`There is no part “${unknown}”, only ${Object.keys(parts).join(', ')}.`)
const isWhole = wanted.length === 0 && !isQuick
const times: string[][] = []

// Before everything else: no part is timed, or given up, for what others need as well.
if (isWhole) await makeDatasets()
for (const name of wanted.length > 0 ? wanted : Object.keys(parts)) {
  const started = performance.now()
  const failure = await withTimeout(name, parts[name]!()).catch((error: Error) => error)
  if (failure) console.error(failure)
  times.push([name, `${minutes(performance.now() - started)}${failure ? ', **failed**' : ''}`])
  if (failure) process.exitCode = 1
}
await stopPostgres()
times.push(['all', minutes(performance.now())], ['– making datasets', minutes(getBuildTime())])

console.log(`\n## Results\n\n${resultTable()}`)
console.log(
  `\n## Duration, minutes and seconds\n\n${table(['part', 'time'], times)}\n\nDatasets are kept in ${scratch}.`,
)
const report = values.report ?? (isWhole && !process.exitCode ? 'docs/bench.md' : undefined)
if (report) writeReport(report, table(['part', 'time'], times))
if (values.save) saveResults(values.save)
process.exit()

/** Gives up on a part that hangs; its processes end with the run. */
function withTimeout(name: string, part: Promise<void>): Promise<void> {
  const timeout = Bun.sleep(TIMEOUT_MINUTES * 60_000).then(() => {
    throw new Error(`The part “${name}” took more than ${TIMEOUT_MINUTES} minutes.`)
  })
  return Promise.race([part, timeout])
}

function minutes(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
