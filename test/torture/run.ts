import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../postgres'
import type { Figure } from './report'

/**
 * What `npm run torture` does: the long run of every file here, on each engine, then one table.
 * Arguments are parts of file names; `--million` sends a million requests where the default is fewer.
 */
const [flags, names] = [true, false].map((isFlag) => process.argv.slice(2).filter((a) => a.startsWith('--') === isFlag))
const isMillion = flags!.includes('--million')
const folder = mkdtempSync(join(tmpdir(), 'parley-torture-'))
const started = performance.now()

type Row = Figure & { engine: string }

/** Runs one file by itself, so that it has the memory and the cores for itself. */
async function torture(file: string, engine: 'sqlite' | 'postgres', env: Record<string, string> = {}): Promise<Row[]> {
  console.log(`\n── ${file} on ${engine}`)
  const report = join(folder, `${engine}-${file}.jsonl`)
  const began = performance.now()
  const child = Bun.spawn([process.execPath, 'test', '--timeout', '1200000', `./test/torture/${file}`], {
    env: {
      ...process.env,
      ...env,
      PARLEY_TEST_ENGINE: engine,
      PARLEY_TORTURE: 'long',
      PARLEY_TORTURE_REPORT: report,
      ...(isMillion && { PARLEY_TORTURE_REQUESTS: '1000000' }),
    },
    stdout: 'inherit',
    stderr: 'inherit',
  })
  const isDone = (await child.exited) === 0
  if (!isDone) process.exitCode = 1
  const seconds = (performance.now() - began) / 1000
  console.log(`   ${isDone ? 'done' : 'FAILED'} in ${seconds.toFixed(1)} s`)

  const whole = { question: `Does all of ${file} hold?`, goal: 'every test passes', engine, isMet: isDone }
  return [...figuresIn(report), { ...whole, figure: `${isDone ? 'passed' : 'failed'} in ${seconds.toFixed(0)} s` }]
}

const figuresIn = (report: string): Row[] =>
  existsSync(report)
    ? readFileSync(report, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    : []

function table(rows: readonly Row[]): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
  const lines = rows.map(({ question, goal, figure, isMet, engine }) =>
    [`${question} (${engine})`, goal, figure, isMet ? 'yes' : '**no**'].map(cell).join(' | '),
  )
  return ['question | goal | figure | met', '--- | --- | --- | ---', ...lines].map((line) => `| ${line} |`).join('\n')
}

const all = [...new Bun.Glob('*.test.ts').scanSync(import.meta.dir)].sort()
const files = all.filter((file) => names!.length === 0 || names!.some((name) => file.includes(name)))
const rows: Row[] = []
for (const file of files) rows.push(...(await torture(file, 'sqlite')))
const postgres = await startPostgres()
try {
  for (const file of files) rows.push(...(await torture(file, 'postgres', { PARLEY_TEST_POSTGRES: postgres.url })))
} finally {
  await postgres.destroy()
  rmSync(folder, { recursive: true })
}

const missed = rows.filter(({ isMet }) => !isMet).length
console.log(`\n${table(rows)}`)
console.log(
  `\n${rows.length - missed} met, ${missed} not, in ${((performance.now() - started) / 60_000).toFixed(1)} min`,
)
process.exit(process.exitCode ?? 0)
