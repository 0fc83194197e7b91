import { given, verdictTable } from './lib/verdicts'
import { benchPostgres } from './postgres'
import { benchRead } from './read'
import { writeReport } from './report'
import { benchStart } from './start'
import { benchStreams } from './streams'
import { benchWeb } from './web'
import { benchWorkers } from './workers'
import { benchWrite } from './write'

const benches: Record<string, () => Promise<void>> = {
  read: benchRead,
  write: benchWrite,
  workers: benchWorkers,
  postgres: benchPostgres,
  start: benchStart,
  streams: benchStreams,
  web: benchWeb,
}
const wanted = process.argv.slice(2).filter((word) => word in benches)
const isWhole = wanted.length === 0

for (const name of isWhole ? Object.keys(benches) : wanted) await benches[name]!()

console.log('\n## All answers\n')
console.log(verdictTable(given()))
if (isWhole) writeReport()
