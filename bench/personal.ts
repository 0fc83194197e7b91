import { copyDataset, type Dataset } from './lib/dataset'
import { grouped, median, micros } from './lib/figures'
import { type Cost, type Generator, measure, medianCost, startGenerator } from './lib/measure'
import { issueTokens } from './lib/members'
import { addResult, addSection } from './lib/results'
import { type Server, startParley } from './lib/servers'
import { engines, isQuick, size } from './lib/settings'

const READERS = isQuick ? 20 : 1_000
const READERS_AT_ONCE = 16
const MARKS = isQuick ? 20 : 300
const comment = { content_markdown: 'I can take this one. The **first** part is done, the rest by Friday.' }
const goals = { feeds: { max: 0.15 }, mark: { max: 0.4 }, wait: { max: 2 } }

/** What members do for themselves, and what everyone pays for it. */
export async function benchPersonal() {
  const generator = await startGenerator()
  const rows: string[][] = []
  try {
    for (const engine of engines) {
      const data = await copyDataset('people', engine)
      const tokens = await issueTokens(data, READERS)
      const server = await startParley(data)
      try {
        const feeds = await measureFeeds(server, data, tokens)
        const [mark, written] = await compareMarks(generator, server, data)
        const [alone, beside] = await compareWaits(generator, server, data)
        const name = (what: string) => `Personal: ${what}`
        const readers = name(`${grouped(tokens.length)} feeds read again after a comment`)
        addResult({ name: readers, engine, value: feeds, unit: 's', goal: goals.feeds, isHeadline: true })
        const relative = median(mark.map((cost, round) => totalOf(cost) / totalOf(written[round]!)))
        addResult({ name: name('a mark relative to a comment, CPU time'), engine, value: relative, goal: goals.mark })
        const wait = median(beside.map((time, round) => time / alone[round]!))
        const goal = engine === 'PostgreSQL' ? goals.wait : undefined
        addResult({
          name: name('p95 of a mark while others comment, relative to alone'),
          engine,
          value: wait,
          goal,
        })
        rows.push([
          engine,
          `${feeds.toFixed(2)} s`,
          ...[mark, written].map((costs) => micros(totalOf(medianCost(costs)))),
          ...[alone, beside].map((times) => `${median(times).toFixed(1)} ms`),
        ])
      } finally {
        await server.stop()
        await data.remove()
      }
    }
  } finally {
    await generator.stop()
  }
  addSection(
    'What members do for themselves',
    `**Feeds**: processor time until ${grouped(READERS)} members who see the same have read the first page again, after a comment. **Mark** and
**comment**: processor time of one, by 32 connections; a mark is a post marked as read or as unread. **p95**: how long a mark takes,
alone and while 32 connections comment. That of PostgreSQL is included.`,
    ['engine', 'feeds', 'mark', 'comment', 'p95 alone', 'p95 beside comments'],
    rows,
  )
}

const totalOf = ({ cpu, databaseCpu }: Cost) => cpu + databaseCpu

/** CPU seconds until all have read the first page after a comment. */
async function measureFeeds(server: Server, data: Dataset, tokens: readonly string[]): Promise<number> {
  const spent: number[] = []
  const readAll = () =>
    Promise.all(
      Array.from({ length: READERS_AT_ONCE }, async (_, first) => {
        for (let at = first; at < tokens.length; at += READERS_AT_ONCE)
          await request(server, tokens[at]!, 'GET /v2/posts')
      }),
    )
  for (let round = 0; round <= size.rounds; round++) {
    await request(server, data.token, `POST ${data.urls.posts[round]}/comments`, comment)
    const before = server.cpu() + server.databaseCpu()
    await readAll()
    // The first round warms up.
    if (round > 0) spent.push(server.cpu() + server.databaseCpu() - before)
  }
  return median(spent)
}

/** Marks all posts as unread, then as read, and so on: each request changes something. */
const marksOf = ({ urls }: Dataset): string[] => {
  const ids = urls.posts.map((url) => url.slice(url.lastIndexOf('/') + 1))
  return ['DELETE', 'PUT'].flatMap((method) => ids.map((id) => `${method} /v2/reads/${id}`))
}

async function compareMarks(generator: Generator, server: Server, data: Dataset): Promise<[Cost[], Cost[]]> {
  const costs: [Cost[], Cost[]] = [[], []]
  const seconds = 2 * size.seconds
  const marks = { token: data.memberToken, urls: marksOf(data), method: 'PUT' as const, body: '{}', seconds }
  const comments = { ...commentsOn(data), seconds }
  for (let round = 0; round <= size.rounds; round++)
    for (const [at, load] of [marks, comments].entries()) {
      const cost = await measure(generator, server, load)
      if (round > 0) costs[at]!.push(cost)
    }
  return costs
}

const commentsOn = ({ token, urls }: Dataset) => ({
  token,
  urls: urls.posts.map((url) => `${url}/comments`),
  method: 'POST' as const,
  body: JSON.stringify(comment),
})

/** The 95th percentile of marks, one after the other: alone, and while others comment. */
async function compareWaits(generator: Generator, server: Server, data: Dataset): Promise<[number[], number[]]> {
  const times: [number[], number[]] = [[], []]
  const marks = marksOf(data)
  let next = 0
  const markAll = async () => {
    const waits: number[] = []
    for (let number = 0; number < MARKS; number++) {
      const started = performance.now()
      const mark = marks[next++ % marks.length]!
      await request(server, data.memberToken, mark, mark.startsWith('PUT') ? {} : undefined)
      waits.push(performance.now() - started)
    }
    return waits.sort((a, b) => a - b)[Math.floor(MARKS * 0.95)]!
  }
  for (let round = 0; round <= size.rounds; round++) {
    const alone = await markAll()
    let isOver = false
    const writing = (async () => {
      while (!isOver) await measure(generator, server, { ...commentsOn(data), seconds: size.seconds })
    })()
    await Bun.sleep(size.seconds * 200)
    const beside = await markAll().finally(() => {
      isOver = true
    })
    await writing
    if (round === 0) continue
    times[0].push(alone)
    times[1].push(beside)
  }
  return times
}

async function request({ port }: Pick<Server, 'port'>, token: string, target: string, body?: object): Promise<void> {
  const [method, path] = target.split(' ')
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  await answer.arrayBuffer()
  // On a machine with other work it may be refused; that time counts, too.
  if (answer.status === 503) return request({ port }, token, target, body)
  if (!answer.ok) throw new Error(`${target}: ${answer.status}`)
}
