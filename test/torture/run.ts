import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../postgres'
import { type Row, tortureTable, writeReport } from './table'

/**
 * `npm run torture`: the long run of every file here, on each engine, then one table; after a full run also in
 * docs/torture.md. Arguments are parts of file names; `--million` sends a million requests to each engine, not to both.
 */
const [flags, names] = [true, false].map((isFlag) => process.argv.slice(2).filter((a) => a.startsWith('--') === isFlag))
const isMillion = flags!.includes('--million')
const isWhole = names!.length === 0
const folder = mkdtempSync(join(tmpdir(), 'parley-torture-'))
const executable = join(folder, 'parley')
const started = performance.now()
const minutes = () => (performance.now() - started) / 60_000

/** The order of the table. Other files come last. */
const ORDER = [
  ...['kill', 'faults', 'database-trouble', 'postgres-trouble', 'failover', 'fuzz', 'model', 'matrix'],
  ...['overload', 'idempotency', 'nodes', 'streams'],
]
const SLOWEST_FIRST = ['fuzz', 'streams', 'kill']
/** Files for one engine only. */
const ONLY: Record<string, Engine> = {
  'database-trouble': 'sqlite',
  'postgres-trouble': 'postgres',
  failover: 'postgres',
}
/** Throughput is measured alone; of the other files, two run in parallel. */
const EXCLUSIVE = ['overload']
const PARALLEL = Math.min(2, availableParallelism())

type Engine = 'sqlite' | 'postgres'

interface Job {
  name: string
  engine: Engine
}

interface Done extends Job {
  rows: Row[]
  isDone: boolean
}

const indexIn = (order: readonly string[], { name }: Pick<Job, 'name'>) =>
  order.includes(name) ? order.indexOf(name) : order.length
const by = (order: readonly string[]) => (a: Job, b: Job) => indexIn(order, a) - indexIn(order, b)

const done: Done[] = []
try {
  await compile()
  const jobs = all().filter(({ name }) => isWhole || names!.some((word) => name.includes(word)))
  const isAlone = ({ name }: Job) => EXCLUSIVE.includes(name)
  const waiting = jobs.filter((job) => !isAlone(job)).toSorted(by(SLOWEST_FIRST))
  // Only Parley is killed, not PostgreSQL or the machine, so fsync is not needed; without it, more is written.
  await withPostgres(['-c', 'fsync=off'], (url) =>
    Promise.all(Array.from({ length: PARALLEL }, () => runAll(waiting, url))),
  )
  await withPostgres([], (url) => runAll(jobs.filter(isAlone), url))
} finally {
  rmSync(folder, { recursive: true })
}

const rows = done.toSorted(by(ORDER)).flatMap((each) => each.rows)
const missed = rows.filter(({ isMet }) => !isMet)
console.log(`\n${tortureTable(rows)}\n`)
console.log(`${rows.length - missed.length} met, ${missed.length} not, in ${minutes().toFixed(1)} min`)
if (isWhole) writeReport(rows, minutes())
process.exit(done.every(({ isDone }) => isDone) ? 0 : 1)

/** Every file on every engine. */
function all(): Job[] {
  const files = [...new Bun.Glob('*.test.ts').scanSync(import.meta.dir)].map((file) => file.replace('.test.ts', ''))
  const engines: Engine[] = ['sqlite', 'postgres']
  return files
    .toSorted()
    .flatMap((name) => engines.map((engine) => ({ name, engine })))
    .filter(({ name, engine }) => (ONLY[name] ?? engine) === engine)
}

/** Compiles the executable, since it starts faster and is started hundreds of times. */
async function compile() {
  const compiler = Bun.spawn([process.execPath, 'scripts/compile.ts', executable], { stdout: 'ignore' })
  if ((await compiler.exited) !== 0) throw new Error('The executable could not be compiled.')
}

async function withPostgres(flags: string[], work: (url: string) => Promise<unknown>) {
  const postgres = await startPostgres(flags)
  try {
    await work(postgres.url)
  } finally {
    await postgres.destroy()
  }
}

async function runAll(waiting: Job[], postgresUrl: string) {
  for (let job = waiting.shift(); job; job = waiting.shift()) done.push(await torture(job, postgresUrl))
}

/** Runs one file, and prints its output if it fails. */
async function torture({ name, engine }: Job, postgresUrl: string): Promise<Done> {
  console.log(`── ${name} on ${engine} …`)
  const report = join(folder, `${engine}-${name}.jsonl`)
  const began = performance.now()
  const child = Bun.spawn([process.execPath, 'test', '--timeout', '1200000', `./test/torture/${name}.test.ts`], {
    env: {
      ...process.env,
      PARLEY_TEST_ENGINE: engine,
      PARLEY_TEST_POSTGRES: postgresUrl,
      PARLEY_TORTURE: 'long',
      PARLEY_TORTURE_EXECUTABLE: executable,
      PARLEY_TORTURE_REPORT: report,
      ...(isMillion && { PARLEY_TORTURE_REQUESTS: '1000000' }),
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [printed, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  const isDone = (await child.exited) === 0
  const seconds = Math.round((performance.now() - began) / 1000)
  if (!isDone) console.log(printed, errors)
  console.log(`   ${name} on ${engine}: ${isDone ? 'done' : 'FAILED'} in ${seconds} s`)
  const whole = { question: `Does all of ${name}.test.ts hold?`, goal: 'every test passes', engine }
  const failure: Row[] = isDone ? [] : [{ ...whole, figure: 'failed', isMet: false }]
  return { name, engine, isDone, rows: [...figuresIn(report), ...failure] }
}

function figuresIn(report: string): Row[] {
  if (!existsSync(report)) return []
  return readFileSync(report, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}
