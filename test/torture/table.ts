import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { paragraph } from '../../bench/lib/figures'
import { machine } from '../../bench/report'
import { version } from '../../src/version'
import type { Figure } from './report'

export type Row = Figure & { engine: string }

/** One line for each question and engine, grouped by question. */
export function tortureTable(rows: readonly Row[]): string {
  const questions = [...new Set(rows.map(({ question }) => question))]
  const inOrder = questions.flatMap((question) => rows.filter((row) => row.question === question))
  const lines = [['question', 'engine', 'goal', 'figure', 'met'], Array(5).fill('---'), ...inOrder.map(cells)]
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n')
}

function cells({ question, engine, goal, figure, isMet, tried }: Row): string[] {
  const met = isMet ? 'yes' : `**no**${tried ? `; tried: ${tried}` : ''}`
  return [question, engine, goal, figure, met].map((text) => text.replaceAll('|', '\\|').replaceAll('\n', ' '))
}

/** Writes the results of a full run to docs/torture.md. */
export function writeReport(rows: readonly Row[], minutes: number) {
  writeFileSync(
    join(import.meta.dir, '../../docs/torture.md'),
    `# What Parley withstands

\`npm run torture\` kills it, breaks its database under it, floods it and lies to it, on SQLite and on
PostgreSQL, and writes this page. \`npm test\` does a little of each. Goals that are missed stay in
the table, with what was tried.

${paragraph(`This run, on ${new Date().toISOString().slice(0, 10)}, took ${minutes.toFixed(1)} minutes, with Parley ${version} on Bun ${Bun.version}, ${machine()}.`)}

${tortureTable(rows)}
`,
  )
}
