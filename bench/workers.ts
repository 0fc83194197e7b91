import { freePort } from '../test/postgres'
import { dataset } from './lib/dataset'
import { option, shown, summarize, table } from './lib/figures'
import { type Generator, startGenerator } from './lib/generator'
import { addResult } from './lib/results'
import { type Server, settings, startProgram } from './lib/servers'
import { shuffle, walk } from './lib/urls'

const posts = option('posts', 100_000)
const seconds = option('seconds', 2)
const rounds = option('rounds', 5)
const CONNECTIONS = 64

/**
 * How much two processes answer, over one. Deep pages are read from the database, with nothing remembered, and asked for with
 * HEAD: the server does all the work of a page, and the generator, which shares the two cores with it, has next to none.
 */
export async function benchWorkers() {
  const { database, token } = await dataset(posts)
  const servers = { one: await start(database, 1), two: await start(database, 2) }
  const generator = await startGenerator('anywhere')
  try {
    const { cursors } = await walk(servers.one, token)
    const targets = shuffle(cursors).map((cursor) => `/v2/posts?after=${cursor}`)
    const rates = { one: [] as number[], two: [] as number[] }
    for (let round = 0; round <= rounds; round++)
      for (const who of ['one', 'two'] as const) {
        const rate = await rateOf(generator, servers[who], token, targets, round === 0 ? 2 * seconds : seconds)
        if (round > 0) rates[who].push(rate)
      }
    const [one, two] = [summarize(rates.one), summarize(rates.two)]
    const ratio = two.median / one.median
    console.log('\n## Two processes over one (`serve --workers 2`), deep pages by HEAD\n')
    console.log(
      table(
        ['processes', 'answers/s', 'ratio'],
        [
          ['1', shown(one), '1'],
          ['2', shown(two), ratio.toFixed(2)],
        ],
      ),
    )
    addResult({
      question: 'Reads: two processes over one',
      goal: { at: 'least', value: 1.7 },
      value: ratio,
      note: 'pages read from the database, on two cores that the load generator shares',
    })
  } finally {
    await generator.stop()
    for (const server of Object.values(servers)) await server.stop()
  }
}

async function rateOf(generator: Generator, { port }: Server, token: string, targets: string[], time: number) {
  const load = { port, token, targets, method: 'HEAD' as const, connections: CONNECTIONS, seconds: time, from: 0 }
  const { answers, seconds: took } = await generator.run(load)
  return answers / took
}

const start = async (database: string, workers: number): Promise<Server> =>
  startProgram(
    [process.execPath, 'src/main.ts', 'serve', '--workers', String(workers)],
    { DATABASE_URL: `sqlite:${database}`, ...settings, PORT: String(await freePort()), CACHE_MB: '0' },
    'anywhere',
  )
