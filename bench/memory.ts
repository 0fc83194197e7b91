import { openEngine } from '../src/store/open'
import { findBuildState, restartBuild } from '../src/store/search/build'
import { copyDataset } from './lib/dataset'
import { grouped, megabytes } from './lib/figures'
import { addResult, addSection } from './lib/results'
import { type Server, startParley } from './lib/servers'
import { engines, isQuick, size } from './lib/settings'

const SETTLE_MS = isQuick ? 200 : 15_000
/** The index need not be complete: each step of building it is like the others. */
const BUILD_MS = isQuick ? 500 : 60_000
const SAMPLE_MS = 100
const MAX_IDLE = 100
const MAX_BUILDING = 180

/** The memory of a server with nothing to do, and while it builds the search index. */
export async function benchMemory() {
  const rows: string[][] = []
  for (const engine of engines) {
    const data = await copyDataset('searched', engine)
    try {
      const idle = await withServer(data, async (server) => {
        await Bun.sleep(SETTLE_MS)
        return server.rss()
      })
      await clearIndex(data.url)
      const building = await withServer(data, (server) => findPeak(server, data.url))
      const isGoal = engine === 'SQLite'
      const add = (name: string, bytes: number, max: number) =>
        addResult({
          name,
          engine,
          value: bytes / 1e6,
          unit: 'MB',
          goal: isGoal ? { max } : undefined,
          isHeadline: isGoal,
        })
      add('Memory of an idle server', idle, MAX_IDLE)
      add('Memory while the search index is built', building, MAX_BUILDING)
      rows.push([engine, megabytes(idle), megabytes(building)])
    } finally {
      await data.remove()
    }
  }
  addSection(
    'Memory',
    `Of the server process, with ${grouped(size.searchedOnPostgres)} posts: ${SETTLE_MS / 1000} s after its start, and the most of it while the search index is
built, in the first ${BUILD_MS / 1000} s.`,
    ['engine', 'idle', 'building the index'],
    rows,
  )
}

type Data = Awaited<ReturnType<typeof copyDataset>>

async function withServer<T>(data: Data, work: (server: Server) => Promise<T>): Promise<T> {
  const server = await startParley(data)
  try {
    return await work(server)
  } finally {
    await server.stop()
  }
}

async function clearIndex(url: string) {
  const engine = openEngine(url)
  // With the deadlines of a migration: it deletes much at once.
  await engine.migrate(restartBuild).finally(() => engine.close())
}

/** The most memory that the server takes until the index is built, or for as long as is measured. */
async function findPeak(server: Server, url: string): Promise<number> {
  const engine = openEngine(url)
  let peak = 0
  try {
    for (const until = performance.now() + BUILD_MS; performance.now() < until; await Bun.sleep(SAMPLE_MS)) {
      peak = Math.max(peak, server.rss())
      if ((await engine.read(findBuildState)).isBuilt) break
    }
  } finally {
    await engine.close()
  }
  return peak
}
