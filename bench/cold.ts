import { type Dataset, type DatasetName, fillFileCache, getDataset } from './lib/dataset'
import { grouped, median, megabytes, micros, shuffle } from './lib/figures'
import { type Cost, type Generator, measure, medianCost, shareOfBare, startGenerator } from './lib/measure'
import { addResult, addSection } from './lib/results'
import { type Server, startBare, startParley } from './lib/servers'
import { type Engine, engines, isQuick, size } from './lib/settings'
import { getText, type Urls } from './lib/urls'

interface Case {
  name: string
  dataset: DatasetName
  urls: Exclude<keyof Urls, 'cursors'>
  min: number
  isHeadline?: boolean
}

const sizes = { medium: `${grouped(size.medium)} posts`, large: `${grouped(size.large)} posts` }
const cases: Case[] = [
  ...(['medium', 'large'] as const).flatMap((dataset): Case[] => [
    { name: `Page of 50 posts, ${sizes[dataset]}`, dataset, urls: 'pages', min: 0.12, isHeadline: dataset === 'large' },
    { name: `One post, ${sizes[dataset]}`, dataset, urls: 'posts', min: 0.2, isHeadline: dataset === 'large' },
    {
      name: `Comments of a post, ${sizes[dataset]}`,
      dataset,
      urls: 'comments',
      min: 0.16,
      isHeadline: dataset === 'large',
    },
  ]),
  { name: 'Messages of a thread', dataset: 'medium', urls: 'messages', min: 0.2, isHeadline: true },
  {
    name: `Page of 50 members, ${grouped(size.manyMembers)} members`,
    dataset: 'people',
    urls: 'members',
    min: 0.2,
    isHeadline: true,
  },
]

/** The last URLs of a case are requested again and again for the warm figures. */
const WARM_URLS = 200
const SAMPLES = 32
/** Enough to keep the server busy, too few for it to reject any where the machine has other work. */
const COLD_CONNECTIONS = 8
const HEAD = ['read', 'bytes', 'bare', 'cold', 'share', 'req/s', 'database', 'warm', 'share', 'req/s']

/** What a read costs: cold, in a fresh process that is asked for each URL once, and warm. */
export async function benchCold() {
  const generator = await startGenerator()
  try {
    for (const engine of engines) {
      const rows: string[][] = []
      for (const each of isQuick ? cases.slice(-1) : cases) rows.push(await benchCase(generator, each, engine))
      addSection(
        `Reads on ${engine}`,
        `CPU time of the server process for each request, beside that of a bare server that sends the same bytes. **Cold**: a fresh
process, each URL requested once, no record read twice. **Warm**: ${WARM_URLS} URLs requested again and again. **Share**: CPU time of
the bare server ÷ that of Parley. **Database**: CPU time of PostgreSQL for each cold request.`,
        HEAD,
        rows,
      )
    }
  } finally {
    await generator.stop()
  }
}

async function benchCase(generator: Generator, { name, dataset, urls, min, isHeadline }: Case, engine: Engine) {
  const data = await getDataset(dataset, engine)
  await fillFileCache(data)
  const { cold, warm, bytes, rss } = await measureCase(generator, data, urls)
  const [coldShare, warmShare] = [shareOfBare(cold.bare, cold.parley), shareOfBare(warm.bare, warm.parley)]
  addResult({ name: `${name}, cold: share of a bare server`, engine, value: coldShare, goal: { min }, isHeadline })
  addResult({ name: `${name}, warm: share of a bare server`, engine, value: warmShare })
  if (engine === 'PostgreSQL') addTotal(name, cold.parley, maxTotals[urls])
  if (dataset === 'large' && urls === 'pages') addRss(engine, rss)
  const [first, again] = [medianCost(cold.parley), medianCost(warm.parley)]
  const row = [
    name,
    grouped(bytes),
    micros(medianCost(cold.bare).cpu),
    micros(first.cpu),
    coldShare.toFixed(2),
    grouped(first.requestsPerSecond),
    engine === 'SQLite' ? '' : micros(first.databaseCpu),
    micros(again.cpu),
    warmShare.toFixed(2),
    grouped(again.requestsPerSecond),
  ]
  console.error(engine, row.join(' | '))
  return row
}

/** Milliseconds of CPU time that a cold request may take on PostgreSQL, server and database together. */
const maxTotals: Partial<Record<Case['urls'], number>> = { pages: 1.2, posts: 0.3 }

function addTotal(name: string, rounds: readonly Cost[], max: number | undefined) {
  const value = median(rounds.map(({ cpu, databaseCpu }) => cpu + databaseCpu)) / 1000
  const goal = max === undefined ? undefined : { max }
  addResult({ name: `${name}, cold: CPU time of server and database`, engine: 'PostgreSQL', value, unit: 'ms', goal })
}

async function measureCase(generator: Generator, data: Dataset, which: Case['urls']) {
  const urls = shuffle(data.urls[which])
  const token = which === 'messages' ? data.memberToken : data.token
  const server = await startParley(data)
  const bodies: string[] = []
  for (const url of urls.slice(0, SAMPLES)) bodies.push(await getText(server.port, token, url))
  const bareServer = await startBare(bodies)
  const both = { generator, server, bareServer, token }
  try {
    const cold = await measureCold(both, urls)
    const rss = server.rss()
    const warm = await measureWarm(both, urls.slice(-WARM_URLS))
    const bytes = bodies.reduce((sum, body) => sum + Buffer.byteLength(body), 0) / bodies.length
    return { cold, warm, bytes, rss }
  } finally {
    await bareServer.stop()
    await server.stop()
  }
}

interface Both {
  generator: Generator
  server: Server
  bareServer: Server
  token: string
}

/** The rounds of Parley and of the bare server, which were measured in turn. */
interface Rounds {
  parley: Cost[]
  bare: Cost[]
}

/** Every URL once, in rounds. A tenth of them warms up the compiler of both servers and is not measured. */
async function measureCold({ generator, server, bareServer, token }: Both, urls: string[]): Promise<Rounds> {
  const rounds: Rounds = { parley: [], bare: [] }
  const load = { token, urls, connections: COLD_CONNECTIONS }
  let from = Math.ceil(urls.length / 10)
  await measure(generator, bareServer, { ...load, seconds: size.seconds })
  await measure(generator, server, { ...load, from: SAMPLES, requests: Math.max(1, from - SAMPLES) })
  const requests = Math.max(1, Math.floor((urls.length - from) / size.rounds))
  for (let round = 0; round < size.rounds; round++, from += requests) {
    rounds.bare.push(await measure(generator, bareServer, { ...load, requests: requests * 2 }))
    rounds.parley.push(await measure(generator, server, { ...load, from, requests }))
  }
  return rounds
}

async function measureWarm({ generator, server, bareServer, token }: Both, urls: string[]): Promise<Rounds> {
  const rounds: Rounds = { parley: [], bare: [] }
  const load = { token, urls, seconds: size.seconds }
  for (let round = 0; round <= size.rounds; round++) {
    const bare = await measure(generator, bareServer, load)
    const parley = await measure(generator, server, load)
    // The first round fills what is cached.
    if (round === 0) continue
    rounds.bare.push(bare)
    rounds.parley.push(parley)
  }
  return rounds
}

function addRss(engine: Engine, rss: number) {
  const name = `Memory of the server after reading ${grouped(size.postsRead)} posts`
  addResult({ name, engine, value: rss / 1e6, unit: 'MB', goal: { max: 200 }, isHeadline: true })
  console.log(`${name}, ${engine}: ${megabytes(rss)}`)
}
