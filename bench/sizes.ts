import { bodyOf, shuffled, walk } from './lib/addresses'
import { dataset } from './lib/dataset'
import { grouped, option, table } from './lib/figures'
import type { Generator } from './lib/generator'
import { type Server, startParley } from './lib/servers'

const small = option('small', 1_000)
const large = option('large', 1_000_000)
const ROUNDS = 3

/** What a deep page costs in a small and in a large workspace: it should be the same. */
export async function benchSizes(
  generator: Generator,
  { connections, seconds }: { connections: number; seconds: number },
) {
  const [few, many] = [await opened(small), await opened(large)]
  const rows: string[][] = []
  try {
    for (const sort of ['published_at', 'last_activity_at'])
      for (const inChannel of [false, true]) {
        const costs = { few: [] as number[], many: [] as number[] }
        const targets = { few: await targetsOf(few, sort, inChannel), many: await targetsOf(many, sort, inChannel) }
        for (let round = 0; round <= ROUNDS; round++)
          for (const who of ['few', 'many'] as const) {
            const { parley, token } = who === 'few' ? few : many
            const load = { port: parley.port, connections, seconds, token, method: 'GET' as const, from: 0 }
            const spent = parley.cpu()
            const { answers, seconds: took } = await generator.run({ ...load, targets: targets[who] })
            const cost = parley.cpu() - spent || took
            if (round > 0) costs[who].push((cost / answers) * 1e6)
          }
        const [cheap, dear] = [median(costs.few), median(costs.many)]
        const what = `${sort}${inChannel ? ', one channel' : ''}`
        rows.push([what, `${Math.round(cheap)} µs`, `${Math.round(dear)} µs`, (dear / cheap).toFixed(2)])
      }
  } finally {
    await few.parley.stop()
    await many.parley.stop()
  }
  console.log(`\n## A deep page of 50, ${grouped(small)} against ${grouped(large)} posts, processor time\n`)
  console.log(table(['order', grouped(small), grouped(large), 'ratio'], rows))
}

async function opened(posts: number) {
  const { database, token } = await dataset(posts)
  return { token, parley: await startParley(database) }
}

interface Opened {
  token: string
  parley: Server
}

/** Addresses that no cache of answers can hold: every cursor, with its parameters in every order. */
async function targetsOf({ parley, token }: Opened, sort: string, inChannel: boolean): Promise<string[]> {
  const channel = inChannel ? await busiestChannel(parley, token) : undefined
  const fixed = [`sort=${sort}`, 'direction=desc', ...(channel ? [`channel_id=${channel}`] : [])]
  const total = await totalOf(parley, token, fixed)
  const { cursors } = await walk(parley, token, `&${fixed.join('&')}`, total > 10_000 ? 50 : 1)
  const orders = cursors.length > 5_000 ? 1 : Math.ceil(5_000 / cursors.length)
  const targets = cursors.flatMap((cursor) =>
    permutations([`after=${cursor}`, 'limit=50', ...fixed])
      .slice(0, orders)
      .map((parameters) => `/v2/posts?${parameters.join('&')}`),
  )
  return shuffled(targets)
}

async function busiestChannel(parley: Server, token: string): Promise<string> {
  const { data } = JSON.parse(await bodyOf(parley, token, '/v2/channels?limit=50')) as { data: { id: string }[] }
  const totals = await Promise.all(data.map(({ id }) => totalOf(parley, token, [`channel_id=${id}`])))
  return data[totals.indexOf(Math.max(...totals))]!.id
}

const totalOf = async (parley: Server, token: string, parameters: readonly string[]): Promise<number> =>
  JSON.parse(await bodyOf(parley, token, `/v2/posts?limit=1&${parameters.join('&')}`)).total_count

function permutations<T>(all: readonly T[]): T[][] {
  if (all.length <= 1) return [[...all]]
  return all.flatMap((first, at) => permutations(all.toSpliced(at, 1)).map((rest) => [first, ...rest]))
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!
