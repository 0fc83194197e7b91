import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { version } from '../src/version'
import { paragraph, table } from './lib/figures'
import { describeAttempts } from './lib/missed-goals'
import { formatGoal, formatValue, getResults, getSections, isMet, type Result } from './lib/results'
import { type Engine, engines, root } from './lib/settings'

type Saved = Record<string, number>

const keyOf = ({ name, engine }: Pick<Result, 'name' | 'engine'>) => (engine ? `${name}, ${engine}` : name)
const mark = (result: Result) => ({ true: ' ✓', false: ' ✗', undefined: '' })[String(isMet(result))]!
/** The figures of the version before the read and write paths were rebuilt, measured by this same benchmark. */
const before: Saved = JSON.parse(readFileSync(join(import.meta.dir, 'before.json'), 'utf8'))

/** Writes the report: the few figures most people want, then everything. */
export function writeReport(file: string, durations: string) {
  writeFileSync(
    resolve(root, file),
    `# How fast Parley is

${paragraph(`\`npm run bench\` measures all of this and writes this page. Measured on ${new Date().toISOString().slice(0, 10)} with Parley ${version}, Bun ${Bun.version}, ${machine()}.`)}

${headlineTable()}

✓ meets the goal, ✗ does not. **Before** is version 0.1.0 before its read and write paths were
rebuilt, measured by the same benchmark while the machine had other work; elapsed times from then
are left out. A *share of a bare server* is CPU time: that of a \`Bun.serve\` which only sends the
same bytes, divided by that of Parley, both measured in turn. CPU time says more here than requests
per second, because the load generator shares the machine. *Cold* means a fresh process, each URL
requested once and no record read twice; the records are in the file cache of the operating system,
which is larger than the data.

${getSections()
  .map(({ title, text }) => `## ${title}\n\n${text}`)
  .join('\n\n')}

## All results

${resultTable()}

## Missed goals, and what was tried

${missedGoals()}

## Duration

Minutes and seconds. Datasets are made once for each version of the schema, and kept.

${durations}
`,
  )
  console.log(`\nWrote ${file}.`)
}

/** One row for each headline, with both engines beside each other. */
function headlineTable(): string {
  const headlines = getResults().filter(({ isHeadline }) => isHeadline)
  const cells = (results: Result[], engine: Engine) => {
    // What does not depend on the engine was measured on SQLite.
    const result = results.find((each) => (each.engine ?? 'SQLite') === engine)
    return result ? [formatBefore(result), formatValue(result.value, result.unit) + mark(result)] : ['', '']
  }
  return table(
    ['', 'SQLite: before', 'now', 'PostgreSQL: before', 'now', 'goal'],
    [...Map.groupBy(headlines, ({ name }) => name)].map(([name, results]) => [
      name,
      ...engines.flatMap((engine) => cells(results, engine)),
      formatGoal(results.find(({ goal }) => goal) ?? results[0]!),
    ]),
  )
}

export const resultTable = (): string =>
  table(
    ['result', 'engine', 'before', 'now', 'goal'],
    getResults().map((result) => [
      result.name,
      result.engine ?? '',
      formatBefore(result),
      formatValue(result.value, result.unit) + mark(result),
      formatGoal(result),
    ]),
  )

function formatBefore(result: Result): string {
  const value = before[keyOf(result)]
  return value === undefined ? '' : formatValue(value, result.unit)
}

function missedGoals(): string {
  const missed = getResults().filter((result) => isMet(result) === false)
  if (missed.length === 0) return 'None.'
  return missed
    .map((result) => {
      const attempts = describeAttempts(result)
      const figure = `- ${keyOf(result)}: ${formatValue(result.value, result.unit)}, goal ${formatGoal(result)}.`
      return paragraph(attempts ? `${figure} ${attempts}` : figure, '  ')
    })
    .join('\n')
}

/** Keeps the figures in a file, beside the figures of other parts that are there already. */
export function saveResults(file: string) {
  const saved: Saved = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  for (const result of getResults()) saved[keyOf(result)] = Number(result.value.toPrecision(3))
  writeFileSync(file, `${JSON.stringify(saved, null, 2)}\n`)
}

/** Some systems do not tell the model. */
const describeModel = (model = '') => (['', 'unknown'].includes(model.trim()) ? 'cores' : `× ${model.trim()}`)

export const machine = () =>
  `${cpus().length} ${describeModel(cpus()[0]?.model)}, ${Math.round(totalmem() / 2 ** 30)} GiB of memory, ${process.platform} ${process.arch}`
