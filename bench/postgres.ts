import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../src/config'
import { startServer } from '../src/server'
import { startPostgres } from '../test/postgres'
import { copyToPostgres, QUICK_TO_FILL } from './lib/copy'
import { onCore } from './lib/cores'
import { dataset } from './lib/dataset'
import { grouped, option, shown, summarize, table } from './lib/figures'
import { startGenerator } from './lib/generator'
import type { Statement } from './lib/raw-queries'
import { addResult } from './lib/results'
import { type Server, scratch, settings, startParley } from './lib/servers'
import { shuffle, walk } from './lib/urls'

const posts = option('postgres-posts', 100_000)
const connections = option('connections', 32)
const seconds = option('seconds', 2)
const rounds = option('rounds', 5)
const POOL = 10
const SAMPLES = 1_000

/**
 * How many deep pages a second Parley gives on PostgreSQL, over how often `pg` alone runs the queries of a page: those of a
 * server that remembers nothing, which reads whom the token stands for, which posts are on the page, and the posts.
 */
export async function benchPostgres() {
  const { database, token } = await dataset(posts)
  const postgres = await startPostgres(QUICK_TO_FILL)
  const file = join(scratch, `statements-${process.pid}.json`)
  const generator = await startGenerator()
  let parley: Server | undefined
  try {
    const url = await copyToPostgres(database, postgres, 'bench')
    const env = { DATABASE_POOL: String(POOL) }
    parley = await startParley(url, env)
    const { cursors } = await walk(parley, token)
    const targets = shuffle(cursors).map((cursor) => `/v2/posts?after=${cursor}`)
    mkdirSync(scratch, { recursive: true })
    writeFileSync(
      file,
      JSON.stringify(
        await statementsOf({ ...settings, ...env, DATABASE_URL: url, CACHE_MB: '0' }, token, targets.slice(0, SAMPLES)),
      ),
    )

    const rates: Both = { raw: [], parley: [] }
    const costs: Both = { raw: [], parley: [] }
    for (let round = 0, from = 0; round <= rounds; round++) {
      const raw = rawRun(file, url)
      const load = { port: parley.port, connections, token, targets, method: 'GET' as const, from }
      const spent = parley.cpu()
      const outcome = await generator.run({ ...load, seconds: round === 0 ? 4 * seconds : seconds })
      from = outcome.next % targets.length
      // The first round warms up.
      if (round === 0) continue
      rates.raw.push(raw.rate)
      costs.raw.push(raw.cost)
      costs.parley.push(((parley.cpu() - spent) / outcome.answers) * 1e6)
      rates.parley.push(outcome.answers / outcome.seconds)
    }
    tell(rates, costs)
  } finally {
    await parley?.stop()
    await generator.stop()
    await postgres.destroy()
    rmSync(file, { force: true })
  }
}

interface Both {
  raw: number[]
  parley: number[]
}

function tell(rates: Both, costs: Both) {
  const ratio = summarize(rates.parley.map((rate, at) => rate / rates.raw[at]!))
  console.log(`\n## PostgreSQL: random deep pages of 50, ${grouped(posts)} posts\n`)
  console.log(
    table(
      ['who', 'pages/s', 'ratio', 'processor time a page, without the database'],
      [
        ['`pg` with the same queries', shown(summarize(rates.raw)), '1', `${shown(summarize(costs.raw))} µs`],
        ['Parley', shown(summarize(rates.parley)), ratio.median.toFixed(2), `${shown(summarize(costs.parley))} µs`],
      ],
    ),
  )
  addResult({
    question: 'PostgreSQL: deep pages over the same queries by pg alone',
    goal: { at: 'least', value: 0.6 },
    value: ratio.median,
  })
}

/** What the database is asked for each of these pages. */
async function statementsOf(env: Record<string, string>, token: string, targets: string[]): Promise<Statement[][]> {
  let asked: Statement[] = []
  const server = startServer(readConfig(env), {
    onStatement: (text, values) => {
      if (/^select/i.test(text) && /posts|tokens/.test(text)) asked.push({ text, values: [...values] })
    },
  })
  await server.ready
  const ask = async (target: string) => {
    asked = []
    const answer = await fetch(server.url + target, { headers: { Authorization: `Bearer ${token}` } })
    if (!answer.ok) throw new Error(await answer.text())
    await answer.arrayBuffer()
    return asked
  }
  // Where the caller may look is asked once.
  await ask('/v2/posts')
  const pages: Statement[][] = []
  for (const target of targets) pages.push(await ask(target))
  await server.stop()
  return pages
}

/** Pages a second, and microseconds of processor time for each, by `pg` alone. */
function rawRun(file: string, url: string): { rate: number; cost: number } {
  const command = [`${import.meta.dir}/lib/raw-queries.ts`, file, String(seconds), String(connections), String(POOL)]
  const { stdout, exitCode } = Bun.spawnSync(onCore(0, [process.execPath, ...command]), {
    env: { ...process.env, DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (exitCode !== 0) throw new Error('The queries by `pg` alone failed.')
  return JSON.parse(stdout.toString())
}
