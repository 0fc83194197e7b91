import { copyDataset, type Dataset } from './lib/dataset'
import { grouped, median, micros } from './lib/figures'
import { type Cost, measure, medianCost, shareOfBare, startGenerator } from './lib/measure'
import { issueTokens } from './lib/members'
import { addResult, addSection } from './lib/results'
import { type Server, startBare, startParley } from './lib/servers'
import { engines, size } from './lib/settings'
import { getText } from './lib/urls'

const WRITES_PER_SECOND = 50
const MEMBERS = 1_000
const URL = '/v2/posts'
const cases = [
  'First page of 50 posts',
  'First page, matching ETag',
  `First page, ${WRITES_PER_SECOND} writes/s`,
  `First page, ${2 * WRITES_PER_SECOND} drafts and marks/s`,
] as const
const MIN_BESIDE_PERSONAL = 0.65

/** The page that is requested most, by everyone, again and again; both engines and the bare server in turn. */
export async function benchRepeated() {
  const generator = await startGenerator()
  const data = [await copyDataset('medium', 'SQLite'), await copyDataset('medium', 'PostgreSQL')] as const
  const tokens = [await issueTokens(data[0], MEMBERS), await issueTokens(data[1], MEMBERS)] as const
  const servers = [await startParley(data[0]), await startParley(data[1])] as const
  try {
    const rows: string[][] = []
    for (const name of cases) {
      const isEtag = name === cases[1]
      const body = await getText(servers[0].port, data[0].token, URL)
      const bare = await startBare(isEtag ? [] : [body])
      const stops = servers.map((server, at) => startWriting(name, server, data[at]!, tokens[at]!))
      const costs: Cost[][] = [[], [], []]
      for (let round = 0; round <= size.rounds; round++)
        for (const [at, server] of [...servers, bare].entries()) {
          const { token } = data[at % 2]!
          const header = isEtag && server !== bare ? `If-None-Match: ${await getEtag(server, token)}` : undefined
          const cost = await measure(generator, server, { token, urls: [URL], seconds: size.seconds, header })
          // The first round warms up.
          if (round > 0) costs[at]!.push(cost)
        }
      for (const stop of stops) await stop?.()
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
      goal: name === cases[3] ? { min: MIN_BESIDE_PERSONAL } : isFirst && at === 0 ? { min: 0.65 } : undefined,
      isHeadline: isFirst || name === cases[3],
    })
  }
  if (name === cases[0]) {
    const rates = costs.map((rounds) => rounds.map(({ requestsPerSecond }) => requestsPerSecond))
    const value = median(rates[1]!.map((rate, round) => rate / rates[0]![round]!))
    const name = 'First page of 50 posts: requests/s relative to SQLite'
    addResult({ name, engine: 'PostgreSQL', value, goal: { min: 0.7 }, isHeadline: true })
  }
  return [...engines, 'bare'].map((server, at) => {
    const { cpu, databaseCpu, requestsPerSecond, p99 } = medianCost(costs[at]!)
    const share = server === 'bare' ? '1' : shareOfBare(bare, costs[at]!).toFixed(2)
    const database = server === 'PostgreSQL' ? micros(databaseCpu) : ''
    return [name, server, micros(cpu), share, database, grouped(requestsPerSecond), `${p99.toFixed(1)} ms`]
  })
}

/** Writes what a case has written meanwhile, until it is stopped. */
function startWriting(name: (typeof cases)[number], { port }: Server, data: Dataset, tokens: readonly string[]) {
  const { token, fixtures, urls } = data
  const idAt = (number: number) => urls.posts[number % urls.posts.length]!.slice('/v2/posts/'.length)
  const send = async (method: string, path: string, as: string, body?: object) => {
    const answer = await fetch(`http://127.0.0.1:${port}/v2/${path}`, {
      method,
      headers: { Authorization: `Bearer ${as}`, 'Content-Type': 'application/json' },
      body: body && JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  }
  const content_markdown = 'Meanwhile'
  if (name === cases[2])
    return repeat(() => [send('POST', `posts/${fixtures.post}/comments`, token, { content_markdown })])
  if (name !== cases[3]) return undefined
  // Another member each time, so that each save is announced, and each mark changes something.
  return repeat((number) => {
    const [as, round] = [tokens[number % tokens.length]!, Math.floor(number / tokens.length)]
    return [send('PUT', `drafts/${idAt(round)}`, as, { content_markdown }), send('DELETE', `reads/${idAt(round)}`, as)]
  })
}

function repeat(write: (number: number) => Promise<unknown>[]): () => Promise<void> {
  let last: Promise<unknown> = Promise.resolve()
  let failure: unknown
  let number = 0
  const timer = setInterval(() => {
    last = Promise.all(write(number++)).catch((error) => {
      failure ??= error
    })
  }, 1_000 / WRITES_PER_SECOND)
  return async () => {
    clearInterval(timer)
    await last
    if (failure) throw failure
  }
}

async function getEtag({ port }: Server, token: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${URL}`, { headers: { Authorization: `Bearer ${token}` } })
  await response.arrayBuffer()
  return response.headers.get('etag')!
}
