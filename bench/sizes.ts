import { startPostgres } from '../test/postgres'
import { copyToPostgres, QUICK_TO_FILL, sizeOf } from './lib/copy'
import { type Dataset, dataset } from './lib/dataset'
import { grouped, option, table } from './lib/figures'
import { type Fixtures, getFixtures } from './lib/fixtures'
import { type Generator, startGenerator } from './lib/generator'
import { checkComplete, type List, listsOf } from './lib/lists'
import { addResult } from './lib/results'
import { type Server, startParley } from './lib/servers'
import { getPostgresCpuSeconds } from './lib/usage'

const small = option('small', 1_000)
const large = option('large', 1_000_000)
/** Enough to keep a server busy: what counts is what a page costs, not how many there are. */
const CONNECTIONS = 8
const rounds = option('rounds', 5)
const roundSeconds = option('seconds', 0.4)
const WARM_UP = 3
const PAGES = 5_000

const sizes = ['few', 'many'] as const
type Both<T> = Record<(typeof sizes)[number], T>
type Workspace = Dataset & { has: Fixtures }

/** What a page of each list costs among many posts, over what it costs among few. */
export async function benchSizes() {
  const both = { few: await withFixtures(small), many: await withFixtures(large) }
  const generator = await startGenerator()
  try {
    tell('SQLite', await growthsOf(generator, both))
    tell('PostgreSQL', await onPostgres(generator, both))
  } finally {
    await generator.stop()
  }
}

async function withFixtures(posts: number): Promise<Workspace> {
  const set = await dataset(posts)
  return { ...set, has: await getFixtures(set) }
}

async function onPostgres(generator: Generator, { few, many }: Both<Workspace>): Promise<Growth[]> {
  const postgres = await startPostgres(QUICK_TO_FILL)
  try {
    const both = {
      few: { ...few, url: await copyToPostgres(few.database, postgres, 'few') },
      many: { ...many, url: await copyToPostgres(many.database, postgres, 'many') },
    }
    const bytes = await sizeOf(both.many.url)
    addResult({
      question: `PostgreSQL: disk for ${grouped(large)} posts`,
      value: bytes,
      shown: `${grouped(bytes / 1e6)} MB`,
    })
    return await growthsOf(generator, both, () => getPostgresCpuSeconds(postgres.data))
  } finally {
    await postgres.destroy()
  }
}

interface Growth {
  name: string
  /** Nothing is remembered, unless it says what is. */
  memory?: string
  costs: Both<number>
  ratio: number
}

/**
 * Every list with nothing remembered, so that the costs are those of finding and writing a page. And posts as servers are
 * set by default: they remember all records of a small workspace, and a part of those of a large one.
 */
async function growthsOf(generator: Generator, both: Both<Workspace>, besides = () => 0): Promise<Growth[]> {
  const all = { few: listsOf(both.few.has), many: listsOf(both.many.has) }
  checkComplete(all.few)
  const unremembered = await measured(generator, both, all, { CACHE_MB: '0' }, besides)
  const someOf = (lists: List[]) => lists.filter(({ operation, which }) => operation === 'posts.list' && !which)
  const usual = await measured(generator, both, { few: someOf(all.few), many: someOf(all.many) }, {}, besides)
  return [...unremembered, ...usual.map((growth) => ({ ...growth, memory: 'default memory' }))]
}

async function measured(
  generator: Generator,
  both: Both<Workspace>,
  lists: Both<List[]>,
  env: Record<string, string>,
  besides: () => number,
): Promise<Growth[]> {
  const servers = { few: await startParley(both.few.url, env), many: await startParley(both.many.url, env) }
  try {
    for (const who of sizes) await costOf(generator, servers[who], both[who].token, lists[who][0]!, besides, WARM_UP)
    const growths: Growth[] = []
    for (const [at, { name }] of lists.few.entries()) {
      const costs = { few: [] as number[], many: [] as number[] }
      for (let round = 0; round <= rounds; round++)
        for (const who of sizes) {
          const cost = await costOf(generator, servers[who], both[who].token, lists[who][at]!, besides)
          // The first round warms up.
          if (round > 0) costs[who].push(cost)
        }
      // Whatever else the machine does can only add to a cost, so the least is the nearest to it.
      const least = { few: Math.min(...costs.few), many: Math.min(...costs.many) }
      const ratio = least.many / least.few
      growths.push({ name, costs: least, ratio })
      console.error(`${name}: ${ratio.toFixed(2)}`)
    }
    return growths
  } finally {
    for (const who of sizes) await servers[who].stop()
  }
}

/** Processor time for a page, in microseconds; where nobody counts it, time. */
async function costOf(
  generator: Generator,
  server: Server,
  token: string,
  list: List,
  besides: () => number,
  time = roundSeconds,
) {
  const targets = await list.pages(server, token, PAGES)
  const cpu = () => server.cpu() + besides()
  const spent = cpu()
  const load = { port: server.port, connections: CONNECTIONS, seconds: time, token, method: 'GET' as const, from: 0 }
  const { answers, seconds } = await generator.run({ ...load, targets })
  return ((cpu() - spent || seconds) / answers) * 1e6
}

function tell(engine: string, growths: readonly Growth[]) {
  console.log(`\n## A page anywhere in a list, ${grouped(small)} against ${grouped(large)} posts, ${engine}\n`)
  const time = (microseconds: number) => `${Math.round(microseconds)} µs`
  console.log(
    table(
      ['list', grouped(small), grouped(large), 'ratio'],
      growths.map(({ name, memory, costs, ratio }) => [
        [name, memory].filter(Boolean).join(', '),
        time(costs.few),
        time(costs.many),
        ratio.toFixed(2),
      ]),
    ),
  )
  for (const { name, memory, ratio } of growths) {
    const which = memory ? `, ${memory}` : ''
    const group = `${engine}: a page at ${grouped(large)} posts over ${grouped(small)}${which}`
    addResult({ question: `${group}, ${name}`, group, goal: { at: 'most', value: 1.25 }, value: ratio })
  }
}
