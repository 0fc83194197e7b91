import { copyDataset, type Dataset } from './lib/dataset'
import { grouped, median, micros } from './lib/figures'
import { type Cost, measure, medianCost, shareOfBare, startGenerator } from './lib/measure'
import { addResult, addSection } from './lib/results'
import { type Server, startBare, startParley } from './lib/servers'
import { engines, size } from './lib/settings'
import { getText } from './lib/urls'

const WRITES_PER_SECOND = 50
const URL = '/v2/posts'
const cases = [
  'First page of 50 posts',
  'First page, matching ETag',
  `First page, ${WRITES_PER_SECOND} writes/s`,
] as const

/** The page that is requested most, by everyone, again and again; both engines and the bare server in turn. */
export async function benchRepeated() {
  const generator = await startGenerator()
  const data = [await copyDataset('medium', 'SQLite'), await copyDataset('medium', 'PostgreSQL')] as const
  const servers = [await startParley(data[0]), await startParley(data[1])] as const
  try {
    const rows: string[][] = []
    for (const name of cases) {
      const isEtag = name === cases[1]
      const body = await getText(servers[0].port, data[0].token, URL)
      const bare = await startBare(isEtag ? [] : [body])
      const stops = name === cases[2] ? data.map((each, at) => startWriting(servers[at]!, each)) : []
      const costs: Cost[][] = [[], [], []]
      for (let round = 0; round <= size.rounds; round++)
        for (const [at, server] of [...servers, bare].entries()) {
          const { token } = data[at % 2]!
          const header = isEtag && server !== bare ? `If-None-Match: ${await getEtag(server, token)}` : undefined
          const cost = await measure(generator, server, { token, urls: [URL], seconds: size.seconds, header })
          // The first round warms up.
          if (round > 0) costs[at]!.push(cost)
        }
      for (const stop of stops) await stop()
      await bare.stop()
      rows.push(...report(name, costs))
    }
    addSection(
      'The first page, requested repeatedly',
      `All of it in turn, in rounds of ${size.seconds} s. CPU time of the server process for each request; with writes, theirs included.`,
      ['read', 'server', 'CPU', 'share', 'database', 'req/s', 'p99'],
      rows,
    )
  } finally {
    for (const server of servers) await server.stop()
    for (const each of data) await each.remove()
    await generator.stop()
  }
}

function report(name: (typeof cases)[number], costs: Cost[][]): string[][] {
  const bare = costs[2]!
  for (const [at, engine] of engines.entries()) {
    const share = shareOfBare(bare, costs[at]!)
    const isFirst = name === cases[0]
    addResult({
      name: `${name}, requested repeatedly: share of a bare server`,
      engine,
      value: share,
      goal: isFirst && at === 0 ? { min: 0.65 } : undefined,
      isHeadline: isFirst,
    })
  }
  if (name === cases[0]) {
    const rates = costs.map((rounds) => rounds.map(({ requestsPerSecond }) => requestsPerSecond))
    const value = median(rates[1]!.map((rate, round) => rate / rates[0]![round]!))
    const name = 'First page of 50 posts: requests/s relative to SQLite'
    addResult({ name, engine: 'PostgreSQL', value, goal: { min: 0.5 }, isHeadline: true })
  }
  return [...engines, 'bare'].map((server, at) => {
    const { cpu, databaseCpu, requestsPerSecond, p99 } = medianCost(costs[at]!)
    const share = server === 'bare' ? '1' : shareOfBare(bare, costs[at]!).toFixed(2)
    const database = server === 'PostgreSQL' ? micros(databaseCpu) : ''
    return [name, server, micros(cpu), share, database, grouped(requestsPerSecond), `${p99.toFixed(1)} ms`]
  })
}

/** Writes comments until it is stopped. */
function startWriting({ port }: Server, { token, fixtures }: Dataset): () => Promise<void> {
  let last: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    last = fetch(`http://127.0.0.1:${port}/v2/posts/${fixtures.post}/comments`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ content_markdown: 'Meanwhile' }),
    })
  }, 1_000 / WRITES_PER_SECOND)
  return async () => {
    clearInterval(timer)
    await last
  }
}

async function getEtag({ port }: Server, token: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${URL}`, { headers: { Authorization: `Bearer ${token}` } })
  await response.arrayBuffer()
  return response.headers.get('etag')!
}
