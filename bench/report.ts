import { writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { version } from '../src/version'
import { chart } from './lib/chart'
import { formatResults, getResults } from './lib/results'
import { root } from './lib/servers'

/** Writes docs/bench.md with its chart: every question with its goal, its figure, and whether it is met. */
export function writeReport() {
  const all = getResults()
  writeFileSync(join(root, 'docs/images/bench.svg'), chart(all))
  writeFileSync(
    join(root, 'docs/bench.md'),
    `# How fast Parley is

Every figure is a ratio to a yardstick measured in the same run on the same machine: a bare \`Bun.serve\` that sends the same bytes
and does nothing else, or, for writes, a server that makes one durable commit for each write. \`npm run bench\` measures all of
it again in at most 20 minutes, and writes this page. Figures that miss their goal stay in the table, with what was tried.

Measured with Parley ${version} on Bun ${Bun.version}, ${machine()}.

![Figures as a share of their goals](images/bench.svg)

${formatResults(all)}

Reads and writes are rates: the middle of several rounds, server and load generator on cores of their own, the rate limit on.
What a page costs at 1,000,000 posts is processor time, of the server and on PostgreSQL of the database too: the least of
several rounds, at places by chance that are never asked for twice, with nothing remembered (\`CACHE_MB=0\`). With the default
memory a server holds all records of a small workspace and a part of those of a large one, so there the ratio is larger.
`,
  )
}

export const machine = () =>
  `${cpus().length} × ${cpus()[0]?.model.trim() || 'processor of unknown name'}, ${Math.round(totalmem() / 2 ** 30)} GiB of memory, ${process.platform} ${process.arch}`
