import { startChild } from './child'
import type { Cores } from './cores'
import { median } from './figures'
import type { Load, LoadResult } from './load'
import type { Server } from './servers'

export const CONNECTIONS = 32

/** The load generator, in a process of its own. */
export async function startGenerator(cores: Cores = 1) {
  const child = await startChild<Load, LoadResult>('load.ts', cores)
  return {
    async run(load: Load): Promise<LoadResult> {
      const result = await child.run(load)
      if (Object.keys(result.failures).length > 0)
        throw new Error(`Some requests failed: ${JSON.stringify(result.failures)}`)
      return result
    },
    stop: child.stop,
  }
}

export type Generator = Awaited<ReturnType<typeof startGenerator>>

/** What one request costs. */
export interface Cost {
  /** CPU time of the server process per request, in microseconds. */
  cpu: number
  /** CPU time of PostgreSQL per request, in microseconds. */
  databaseCpu: number
  requestsPerSecond: number
  /** 99th percentile in milliseconds. */
  p99: number
}

export async function measure(
  generator: Generator,
  server: Server,
  load: Omit<Load, 'port' | 'connections' | 'method' | 'from'> & Partial<Load>,
): Promise<Cost> {
  const cpu = server.cpu()
  const databaseCpu = server.databaseCpu()
  const request = { port: server.port, connections: CONNECTIONS, method: 'GET', from: 0, ...load } as const
  const { responses, seconds, latency } = await generator.run(request)
  return {
    // Where the system does not count CPU time, elapsed time takes its place.
    cpu: ((server.cpu() - cpu || seconds) / responses) * 1e6,
    databaseCpu: ((server.databaseCpu() - databaseCpu) / responses) * 1e6,
    requestsPerSecond: responses / seconds,
    p99: latency[1],
  }
}

/** The median of each figure over several rounds. */
export const medianCost = (rounds: readonly Cost[]): Cost => ({
  cpu: median(rounds.map(({ cpu }) => cpu)),
  databaseCpu: median(rounds.map(({ databaseCpu }) => databaseCpu)),
  requestsPerSecond: median(rounds.map(({ requestsPerSecond }) => requestsPerSecond)),
  p99: median(rounds.map(({ p99 }) => p99)),
})

/** The CPU time of the bare server as a share of Parley's: the median over rounds that were measured in turn. */
export const shareOfBare = (bare: readonly Cost[], parley: readonly Cost[]): number =>
  median(parley.map(({ cpu }, round) => bare[round]!.cpu / cpu))
