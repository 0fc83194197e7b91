import { freePort } from '../test/postgres'
import { type Dataset, getDataset } from './lib/dataset'
import { grouped, median, shuffle } from './lib/figures'
import { type Cost, measure, medianCost, startGenerator } from './lib/measure'
import { addResult, addSection } from './lib/results'
import { type Server, startProgram } from './lib/servers'
import { serverEnv, size } from './lib/settings'

const CONNECTIONS = 64

/**
 * Requests per second of two processes, relative to one. HEAD makes the server do all the work of a page, and leaves next to
 * none to the load generator, which shares the cores with both processes.
 */
export async function benchWorkers() {
  const data = await getDataset('large')
  const servers = [await start(data, 1), await start(data, 2)]
  const generator = await startGenerator('anywhere')
  try {
    const urls = shuffle(data.urls.pages)
    const requests = Math.floor(urls.length / (size.rounds + 1))
    const costs: Cost[][] = [[], []]
    for (let round = 0; round <= size.rounds; round++)
      for (const [at, server] of servers.entries()) {
        const load = { token: data.token, urls, from: round * requests, requests, method: 'HEAD' as const }
        const cost = await measure(generator, server, { ...load, connections: CONNECTIONS })
        // The first round warms up.
        if (round > 0) costs[at]!.push(cost)
      }
    const ratio = median(costs[1]!.map((cost, round) => cost.requestsPerSecond / costs[0]![round]!.requestsPerSecond))
    addResult({ name: 'Cold pages: two processes relative to one', engine: 'SQLite', value: ratio, goal: { min: 1.7 } })
    addSection(
      'Two processes (`serve --workers 2`)',
      `Pages of 50 posts among ${grouped(size.large)}, cold, by HEAD. The load generator shares the cores.`,
      ['processes', 'req/s', 'relative'],
      costs.map((rounds, at) => [
        String(at + 1),
        grouped(medianCost(rounds).requestsPerSecond),
        at === 0 ? '1' : ratio.toFixed(2),
      ]),
    )
  } finally {
    await generator.stop()
    for (const server of servers) await server.stop()
  }
}

async function start({ url }: Dataset, workers: number): Promise<Server> {
  const port = await freePort()
  const command = [process.execPath, 'src/start.ts', 'serve', '--workers', String(workers)]
  const server = await startProgram(
    command,
    { DATABASE_URL: url, ...serverEnv, PORT: String(port) },
    () => 0,
    'anywhere',
  )
  while (!(await fetch(`http://127.0.0.1:${port}/readyz`)).ok) await Bun.sleep(20)
  return server
}
