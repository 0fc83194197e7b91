import { copyDataset } from './lib/dataset'
import { grouped, median, micros } from './lib/figures'
import { type Cost, measure, medianCost, startGenerator } from './lib/measure'
import { addResult, addSection } from './lib/results'
import { startParley } from './lib/servers'
import { engines, size } from './lib/settings'

/** By the number of connections: how many comments a second SQLite should at least take. */
const minWrites = new Map([
  [1, 700],
  [32, 2_000],
  [64, 2_400],
])
const body = JSON.stringify({
  content_markdown: 'I can take this one. The **first** part is done, the rest by Friday.',
})

/** Comments written at once, on both engines in turn. Every write is on disk before it is acknowledged. */
export async function benchWrites() {
  const generator = await startGenerator()
  const data = [await copyDataset('small', 'SQLite'), await copyDataset('small', 'PostgreSQL')] as const
  const servers = [await startParley(data[0]), await startParley(data[1])] as const
  const rows: string[][] = []
  try {
    for (const connections of minWrites.keys()) {
      const costs: Cost[][] = [[], []]
      for (let round = 0; round <= size.rounds; round++)
        for (const [at, server] of servers.entries()) {
          const { token, urls } = data[at]!
          const load = { token, urls: urls.posts.map((url) => `${url}/comments`), body, method: 'POST' as const }
          const cost = await measure(generator, server, { ...load, connections, seconds: 2 * size.seconds })
          // The first round warms up.
          if (round > 0) costs[at]!.push(cost)
        }
      rows.push(...report(connections, costs))
    }
  } finally {
    for (const server of servers) await server.stop()
    for (const each of data) await each.remove()
    await generator.stop()
  }
  addSection(
    'Writes',
    `Comments on ${grouped(size.small)} posts: \`synchronous=FULL\` on SQLite, \`fsync=on\` on PostgreSQL, which runs on the same machine.`,
    ['connections', 'engine', 'writes/s', 'relative', 'CPU', 'database', 'p99'],
    rows,
  )
}

function report(connections: number, costs: Cost[][]): string[][] {
  const relative = median(costs[1]!.map((cost, round) => cost.requestsPerSecond / costs[0]![round]!.requestsPerSecond))
  const isGoal = connections === 32
  addResult({
    name: `Comments written by ${connections} connections: writes/s`,
    engine: 'SQLite',
    value: medianCost(costs[0]!).requestsPerSecond,
    goal: { min: minWrites.get(connections)! },
    isHeadline: isGoal,
  })
  addResult({
    name: `Comments written by ${connections} connections: writes/s relative to SQLite`,
    engine: 'PostgreSQL',
    value: relative,
    goal: isGoal ? { min: 0.7 } : undefined,
    isHeadline: isGoal,
  })
  return engines.map((engine, at) => {
    const { cpu, databaseCpu, requestsPerSecond, p99 } = medianCost(costs[at]!)
    return [
      String(connections),
      engine,
      grouped(requestsPerSecond),
      engine === 'SQLite' ? '1' : relative.toFixed(2),
      micros(cpu),
      engine === 'SQLite' ? '' : micros(databaseCpu),
      `${p99.toFixed(1)} ms`,
    ]
  })
}
