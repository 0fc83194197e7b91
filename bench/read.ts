import { bodyOf, shuffled, walk } from './lib/addresses'
import { coresNote } from './lib/cores'
import { dataset } from './lib/dataset'
import { figureOf, flag, grouped, option, shown, table } from './lib/figures'
import { type Generator, startGenerator } from './lib/generator'
import { type Server, startBare, startParley } from './lib/servers'
import { benchSizes } from './sizes'

const posts = option('posts', 100_000)
const connections = option('connections', 32)
const seconds = option('seconds', 2)
const rounds = option('rounds', 5)
/** Long enough for every target to have been asked for once: what is measured is a server that has been up for a while. */
const warmUp = option('warm-up', 8)

interface Case {
  name: string
  targets: string[]
  floor: number
}

/** How many answers a second Parley gives, as a part of what a server gives that only sends the same bytes. */
export async function benchRead() {
  const { database, token } = await dataset(posts)
  const parley = await startParley(database)
  const generator = await startGenerator()
  try {
    const cases = await casesOf(parley, token)
    console.log(`\n## Reads, ${grouped(posts)} posts, ${connections} connections\n`)
    console.log(
      `${coresNote} ${warmUp} s to warm up, then ${rounds} rounds of ${seconds} s each, in turn; median and half the spread.`,
    )
    console.log(
      'A spread above some 10 % means the machine had other work: then neither ratio is a result, run it again.\n',
    )
    const rows: string[][] = []
    for (const each of cases) rows.push(await measured(generator, parley, token, each))
    console.log(
      table(
        [
          'answer',
          'bytes',
          'bare, req/s',
          'Parley, req/s',
          'ratio',
          'CPU an answer',
          'floor',
          'p50 / p99',
          'generator',
        ],
        rows,
      ),
    )
    if (flag('sizes')) await benchSizes(generator, { connections, seconds })
  } finally {
    await generator.stop()
    await parley.stop()
  }
}

async function casesOf(parley: Server, token: string): Promise<Case[]> {
  console.error('Collecting cursors and ids …')
  const { cursors, ids } = await walk(parley, token, '', 5)
  return [
    { name: 'first page of 50 posts', floor: 0.25, targets: ['/v2/posts'] },
    {
      name: 'random deep pages of 50',
      floor: 0.12,
      targets: shuffled(cursors).map((cursor) => `/v2/posts?after=${cursor}`),
    },
    { name: 'one post, random', floor: 0.35, targets: shuffled(ids).map((id) => `/v2/posts/${id}`) },
  ]
}

async function measured(generator: Generator, parley: Server, token: string, { name, targets, floor }: Case) {
  const samples = await Promise.all(targets.slice(0, 64).map((target) => bodyOf(parley, token, target)))
  const bare = await startBare(samples, flag('bare-text') ? 'text' : 'bytes')
  const from = { bare: 0, parley: samples.length }
  const rates = { bare: [] as number[], parley: [] as number[] }
  const costs = { bare: [] as number[], parley: [] as number[] }
  let busy = 0
  let latency = [0, 0]
  try {
    for (let round = 0; round <= rounds; round++)
      for (const who of ['bare', 'parley'] as const) {
        const server = who === 'bare' ? bare : parley
        const spent = server.cpu()
        const load = { port: server.port, connections, token, targets, method: 'GET' as const, from: from[who] }
        const outcome = await generator.run({ ...load, seconds: round === 0 ? warmUp : seconds })
        from[who] = outcome.next % targets.length
        // The first round warms up.
        if (round === 0) continue
        rates[who].push(outcome.answers / outcome.seconds)
        costs[who].push(((server.cpu() - spent) / outcome.answers) * 1e6)
        busy = Math.max(busy, outcome.busy)
        if (who === 'parley') latency = outcome.latency
      }
  } finally {
    await bare.stop()
  }
  const ratio = figureOf(rates.parley.map((rate, at) => rate / rates.bare[at]!))
  const [cheap, dear] = [figureOf(costs.bare).median, figureOf(costs.parley).median]
  const bytes = samples.reduce((sum, body) => sum + Buffer.byteLength(body), 0) / samples.length
  return [
    name,
    grouped(bytes),
    shown(figureOf(rates.bare)),
    shown(figureOf(rates.parley)),
    ratio.median.toFixed(3),
    `${cheap.toFixed(1)} / ${dear.toFixed(1)} µs = ${(cheap / dear).toFixed(3)}`,
    `${floor} ${ratio.median >= floor ? 'met' : '**not met**'}`,
    `${latency.map((wait) => wait.toFixed(1)).join(' / ')} ms`,
    `${Math.round(busy * 100)} % busy`,
  ]
}
