import { getEtag, longThread, startWriting, WRITES_A_SECOND } from './lib/background-writes'
import { coresNote } from './lib/cores'
import { dataset } from './lib/dataset'
import { flag, grouped, option, shown, summarize, table } from './lib/figures'
import { type Generator, startGenerator } from './lib/generator'
import { addResult } from './lib/results'
import { type Server, startBare, startParley } from './lib/servers'
import { collectPages, getBody, shuffle, walk } from './lib/urls'

const posts = option('posts', 100_000)
const connections = option('connections', 32)
const seconds = option('seconds', 1.5)
const rounds = option('rounds', 5)
/** Long enough for every target to have been asked for once: what is measured is a server that has been up for a while. */
const warmUp = option('warm-up', 6)

interface Case {
  name: string
  targets: string[]
  goal: number
  /** A header line of every request. */
  header?: string
  /** What the bare server sends instead of the bodies. */
  bare?: 'empty'
  /** What goes on meanwhile; the answer stops it. */
  meanwhile?: () => () => Promise<void>
}

const HEAD = ['answer', 'bytes', 'bare, req/s', 'Parley, req/s', 'ratio', 'CPU an answer', 'goal']

/** How many answers a second Parley gives, as a part of what a server gives that only sends the same bytes. */
export async function benchRead() {
  const { url, token } = await dataset(posts)
  const parley = await startParley(url)
  const generator = await startGenerator()
  console.log(`\n## Reads, ${grouped(posts)} posts, ${connections} connections\n`)
  console.log(
    `${coresNote} ${warmUp} s to warm up, then ${rounds} rounds of ${seconds} s each, in turn; median and half the spread.`,
  )
  console.log(
    'A spread above some 10 % means the machine had other work: then neither ratio is a result, run it again.\n',
  )
  try {
    const rows: string[][] = []
    for (const each of await casesOf(parley, token)) {
      rows.push(await measured(generator, parley, token, each))
      console.error(rows.at(-1)!.join(' | '))
    }
    rows.push(await measuredSearch(generator))
    console.log(table([...HEAD, 'p50 / p99', 'generator'], rows))
    const bytes = parley.memory()
    addResult({
      question: 'Reads: memory of the server after all of them',
      value: bytes,
      shown: `${grouped(bytes / 1e6)} MB`,
    })
  } finally {
    await generator.stop()
    await parley.stop()
  }
}

async function casesOf(parley: Server, token: string): Promise<Case[]> {
  console.error('Collecting cursors and ids …')
  const { cursors, ids, commented } = await walk(parley, token)
  const thread = await longThread(parley, token)
  const messages = await collectPages(parley, token, thread, 5)
  const members = await collectPages(parley, token, '/v2/members', 5)
  const pages = (path: string, all: readonly string[]) => shuffle(all).map((cursor) => `${path}?after=${cursor}`)
  return [
    { name: 'first page of 50 posts', goal: 0.7, targets: ['/v2/posts'] },
    { name: 'random deep pages of 50', goal: 0.3, targets: pages('/v2/posts', cursors) },
    { name: 'one post, random', goal: 0.6, targets: shuffle(ids).map((id) => `/v2/posts/${id}`) },
    {
      name: 'an ETag that matches',
      goal: 0.85,
      targets: ['/v2/posts'],
      header: `If-None-Match: ${await getEtag(parley, token, '/v2/posts')}`,
      bare: 'empty',
    },
    {
      name: `first page, ${WRITES_A_SECOND} writes a second`,
      goal: 0.45,
      targets: ['/v2/posts'],
      meanwhile: () => startWriting(parley, token, ids[0]!),
    },
    { name: 'comments of a post, random', goal: 0.3, targets: commentsOf(commented) },
    { name: 'messages of a thread, random pages', goal: 0.3, targets: pages(thread, messages.cursors) },
    { name: 'members, random pages', goal: 0.3, targets: pages('/v2/members', members.cursors) },
  ]
}

/** Each under so many addresses that remembered answers do not help. */
const commentsOf = (ids: readonly string[]) =>
  shuffle(ids.flatMap((id) => Array.from({ length: 30 }, (_, less) => `/v2/posts/${id}/comments?limit=${50 - less}`)))

async function measuredSearch(generator: Generator) {
  const { url, token } = await dataset(1_000, 100_000)
  const parley = await startParley(url)
  try {
    const { records } = await collectPages<{ user: { display_name: string } }>(parley, token, '/v2/members', 50, 100)
    const names = [...new Set(records.map(({ user }) => user.display_name))]
    const targets = shuffle(names).map((name) => `/v2/members?q=${encodeURIComponent(name)}`)
    return await measured(generator, parley, token, { name: 'members by q among 100,000', goal: 0.3, targets })
  } finally {
    await parley.stop()
  }
}

async function measured(generator: Generator, parley: Server, token: string, asked: Case): Promise<string[]> {
  const { name, targets, goal, header, meanwhile } = asked
  const samples: string[] = []
  for (const target of targets.slice(0, 64)) samples.push(await getBody(parley, token, target))
  const bare = await startBare(samples, asked.bare ?? (flag('bare-text') ? 'text' : 'bytes'))
  const stop = meanwhile?.()
  const from = { bare: 0, parley: samples.length }
  const rates = { bare: [] as number[], parley: [] as number[] }
  const costs = { bare: [] as number[], parley: [] as number[] }
  let busy = 0
  let latency = [0, 0]
  try {
    for (let round = 0; round <= rounds; round++)
      for (const who of ['bare', 'parley'] as const) {
        const server = who === 'bare' ? bare : parley
        const isLong = who === 'parley' && targets.length > 1
        const spent = server.cpu()
        const load = { port: server.port, connections, token, targets, method: 'GET' as const, header, from: from[who] }
        const outcome = await generator.run({ ...load, seconds: round === 0 && isLong ? warmUp : seconds })
        from[who] = outcome.next % targets.length
        // The first round warms up.
        if (round === 0) continue
        rates[who].push(outcome.answers / outcome.seconds)
        costs[who].push(((server.cpu() - spent) / outcome.answers) * 1e6)
        busy = Math.max(busy, outcome.busy)
        if (who === 'parley') latency = outcome.latency
      }
  } finally {
    await stop?.()
    await bare.stop()
  }
  const ratio = summarize(rates.parley.map((rate, at) => rate / rates.bare[at]!))
  const [cheap, dear] = [summarize(costs.bare).median, summarize(costs.parley).median]
  addResult({
    question: `Reads: ${name}`,
    goal: { at: 'least', value: goal },
    value: ratio.median,
    note: 'of a bare server',
  })
  const bytes = samples.reduce((sum, body) => sum + Buffer.byteLength(body), 0) / samples.length
  return [
    name,
    grouped(bytes),
    shown(summarize(rates.bare)),
    shown(summarize(rates.parley)),
    ratio.median.toFixed(3),
    `${cheap.toFixed(1)} / ${dear.toFixed(1)} µs = ${(cheap / dear).toFixed(3)}`,
    `${goal} ${ratio.median >= goal ? 'met' : '**not met**'}`,
    `${latency.map((wait) => wait.toFixed(1)).join(' / ')} ms`,
    `${Math.round(busy * 100)} % busy`,
  ]
}
