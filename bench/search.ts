import { type Dataset, getDataset } from './lib/dataset'
import { grouped } from './lib/figures'
import { addResult, addSection } from './lib/results'
import { measureSearchIndex } from './lib/search-index'
import { makeSearchQueries, type SearchQuery } from './lib/search-queries'
import { type Server, startParley } from './lib/servers'
import { type Engine, engines, isQuick, size } from './lib/settings'
import { getText } from './lib/urls'

const PASSES = isQuick ? 1 : 3
/** In each process: the first is asked while the process is fresh, the second warms up further, the others are measured. */
const ROUNDS = isQuick ? 3 : 5
const WARM_FROM = 2
const MAX_RATIO = 1.5
const MAX_P99 = 10

/** CPU milliseconds of each query of a kind. */
interface Times {
  fresh: number[]
  warm: number[]
}

/** Full-text search in a small and in a large workspace: what each kind of query costs. */
export async function benchSearch() {
  for (const engine of engines) {
    const isSqlite = engine === 'SQLite'
    const posts = isSqlite ? size.large : size.searchedOnPostgres
    const [small, large] = [
      await getDataset('small', engine),
      await getDataset(isSqlite ? 'large' : 'searched', engine),
    ]
    compare(engine, posts, await measureQueries(small), await measureQueries(large))
    await measureSearchIndex(large, posts)
  }
}

function compare(engine: Engine, posts: number, small: Map<string, Times>, large: Map<string, Times>) {
  const title = `Search at ${grouped(posts)} posts`
  const rows: string[][] = []
  for (const [kind, { fresh, warm }] of large) {
    const before = small.get(kind)!
    const ratio = mean(warm) / mean(before.warm)
    const goal = { ratio: { max: MAX_RATIO }, p99: { max: MAX_P99 } }
    addResult({ name: `${title} relative to ${grouped(size.small)}: ${kind}`, engine, value: ratio, goal: goal.ratio })
    addResult({ name: `${title}, p99: ${kind}`, engine, value: p99(warm), unit: 'ms', goal: goal.p99 })
    rows.push([
      kind,
      ...[mean(before.warm), mean(warm)].map((time) => time.toFixed(2)),
      ratio.toFixed(2),
      ...[p99(warm), mean(before.fresh), mean(fresh)].map((time) => time.toFixed(2)),
    ])
  }
  addSection(
    `${title}, ${engine}`,
    `CPU time of one search in milliseconds, that of PostgreSQL included. No address is requested twice. Each query in ${PASSES}
processes, the least of them. **Fresh**: the first searches of a process.`,
    ['query', grouped(size.small), grouped(posts), 'ratio', 'p99', `fresh, ${grouped(size.small)}`, 'fresh'],
    rows,
  )
}

async function measureQueries(data: Dataset): Promise<Map<string, Times>> {
  const least = new Map<string, number>()
  const rounds = Array.from({ length: ROUNDS }, (_, round) => makeSearchQueries(data, round))
  for (let pass = 0; pass < PASSES; pass++) {
    const server = await startParley(data)
    for (const query of rounds.flat()) {
      const key = `${query.kind} ${query.url}`
      least.set(key, Math.min(least.get(key) ?? Number.POSITIVE_INFINITY, await timeOf(server, query)))
    }
    await server.stop()
  }
  const timesOf = (kind: string, some: SearchQuery[][]) =>
    some.flat().flatMap((query) => (query.kind === kind ? least.get(`${kind} ${query.url}`)! : []))
  const kinds = [...new Set(rounds[0]!.map(({ kind }) => kind))]
  return new Map(
    kinds.map((kind) => [
      kind,
      { fresh: timesOf(kind, rounds.slice(0, 1)), warm: timesOf(kind, rounds.slice(WARM_FROM)) },
    ]),
  )
}

async function timeOf(server: Server, { token, url }: SearchQuery): Promise<number> {
  const cpu = () => server.cpu() + server.databaseCpu()
  const spent = cpu()
  await getText(server.port, token, url)
  return (cpu() - spent) * 1_000
}

const mean = (times: readonly number[]) => times.reduce((sum, time) => sum + time, 0) / times.length
const p99 = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1]!
