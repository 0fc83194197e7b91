import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { coresNote } from './lib/cores'
import { type Dataset, dataset } from './lib/dataset'
import { commitTime, type Disk, slowDisk, thisDisk } from './lib/disk'
import { option, shown, summarize, table } from './lib/figures'
import { type Generator, startGenerator } from './lib/generator'
import type { Outcome } from './lib/load'
import { addResult } from './lib/results'
import { type Server, scratch, settings, startProgram } from './lib/servers'
import { walk } from './lib/urls'

const seconds = option('seconds', 2)
const rounds = option('rounds', 3)
const flush = option('flush', 2)

const body = JSON.stringify({
  content_markdown: 'I can take this one. The **first** part is done, the rest by Friday.',
})

/** How many comments a second are written, and how many would be with a commit for each of them. */
export async function benchWrite() {
  const data = await dataset(1_000)
  const slow = slowDisk(flush)
  const generator = await startGenerator()
  const rows: string[][] = []
  try {
    for (const disk of typeof slow === 'string' ? [thisDisk] : [thisDisk, slow])
      rows.push(...(await measured(generator, data, disk)))
  } finally {
    await generator.stop()
  }
  console.log('\n## Writes: comments on SQLite, synchronous=FULL\n')
  console.log(`${coresNote} ${rounds} rounds of ${seconds} s each, in turn; median and half the spread.`)
  if (typeof slow === 'string') console.log(slow)
  console.log()
  console.log(table(['disk', 'one commit', 'connections', 'commits', 'writes/s', 'ratio', 'p50 / p99'], rows))
}

/** Ways to write: with a commit for each write, sharing commits, one after the other. */
const ways = [
  { name: 'one for each write', group: 1, connections: 32 },
  { name: 'shared', group: 0, connections: 32 },
  { name: 'one for each write', group: 1, connections: 64 },
  { name: 'shared', group: 0, connections: 64 },
  { name: 'shared', group: 0, connections: 1 },
]
/** Each way is held against a commit for each write with as many connections. */
const yardsticks = [0, 0, 2, 2, 0]

async function measured(generator: Generator, data: Dataset, disk: Disk): Promise<string[][]> {
  const folder = mkdtempSync(join(scratch, 'write-'))
  const servers: Server[] = []
  try {
    for (const [at, { group }] of ways.entries())
      servers.push(await startWriter(copyOf(data.database, join(folder, `${at}.db`)), group, disk))
    const targets = (await walk(servers[0]!, data.token)).ids.map((id) => `/v2/posts/${id}/comments`)
    const outcomes = ways.map((): Outcome[] => [])
    for (let round = 0; round <= rounds; round++)
      for (const [at, way] of ways.entries()) {
        const load = {
          port: servers[at]!.port,
          connections: way.connections,
          seconds,
          targets,
          body,
          from: round * 100,
        }
        const outcome = await generator.run({ ...load, method: 'POST', token: data.token })
        // The first round warms up.
        if (round > 0) outcomes[at]!.push(outcome)
      }
    const commit = `${commitTime(disk).toFixed(2)} ms`
    const rates = outcomes.map((all) => summarize(all.map(({ answers, seconds: took }) => answers / took)))
    const ratios = rates.map(({ median }, at) => median / rates[yardsticks[at]!]!.median)
    addResult({
      question: `Writes: 64 connections over one commit a write, ${disk.name}`,
      goal: { at: 'least', value: 8 },
      value: ratios[3]!,
      note: `one commit takes ${commit}`,
    })
    return ways.map((way, at) => [
      disk.name,
      commit,
      String(way.connections),
      way.name,
      shown(rates[at]!),
      ratios[at]!.toFixed(2),
      `${outcomes[at]!.at(-1)!
        .latency.map((wait) => wait.toFixed(1))
        .join(' / ')} ms`,
    ])
  } finally {
    for (const server of servers) await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function copyOf(database: string, copy: string): string {
  copyFileSync(database, copy)
  if (existsSync(`${database}-wal`)) copyFileSync(`${database}-wal`, `${copy}-wal`)
  return copy
}

const startWriter = (database: string, group: number, disk: Disk): Promise<Server> =>
  startProgram([process.execPath, `${import.meta.dir}/lib/write-server.ts`, String(group)], {
    DATABASE_URL: `sqlite:${database}`,
    ...settings,
    ...disk.env,
  })
