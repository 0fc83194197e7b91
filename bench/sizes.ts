import { statSync } from 'node:fs'
import { type Dataset, getDataset } from './lib/dataset'
import { grouped, megabytes, micros, shuffle } from './lib/figures'
import { checkComplete, type List, listAll } from './lib/lists'
import { type Generator, measure, startGenerator } from './lib/measure'
import { getDatabaseBytes } from './lib/postgres'
import { addResult, addSection } from './lib/results'
import { type Server, startParley } from './lib/servers'
import { type Engine, engines, size } from './lib/settings'

const MAX_RATIO = 1.25
const PAGE_SIZE = 50

type Pair<T> = [small: T, large: T]

/** What a page of each list costs in a large workspace, relative to a small one, with default settings. */
export async function benchSizes() {
  const generator = await startGenerator()
  try {
    for (const engine of engines) await benchEngine(generator, engine)
  } finally {
    await generator.stop()
  }
}

async function benchEngine(generator: Generator, engine: Engine) {
  const data: Pair<Dataset> = [await getDataset('small', engine), await getDataset('large', engine)]
  const lists: Pair<List[]> = [listAll(data[0].fixtures), listAll(data[1].fixtures)]
  checkComplete(lists[0])
  const servers: Pair<Server> = [await startParley(data[0]), await startParley(data[1])]
  const title = `A page at ${grouped(size.large)} posts relative to ${grouped(size.small)}`
  try {
    // Warms up the compiler with pages that are not measured.
    for (const [at, server] of servers.entries())
      await measure(generator, server, {
        token: data[at]!.token,
        urls: data[at]!.urls.posts,
        seconds: 2 * size.seconds,
      })
    const ratios: number[] = []
    const rows: string[][] = []
    for (const [at, { name }] of lists[0].entries()) {
      const [small, large] = await measureList(generator, data, servers, [lists[0][at]!, lists[1][at]!])
      const ratio = large / small
      console.error(engine, name, ratio.toFixed(2))
      rows.push([name, micros(small), micros(large), ratio.toFixed(2)])
      ratios.push(ratio)
      addResult({ name: `${title}: ${name}`, engine, value: ratio, goal: { max: MAX_RATIO } })
    }
    addSection(
      `${title}, ${engine}`,
      `CPU time of a page, that of PostgreSQL included, with default settings: pages anywhere in the list, each URL requested once
where a list has that many. The least of several rounds, because other work on the machine only adds to it.`,
      ['list', grouped(size.small), grouped(size.large), 'ratio'],
      rows,
    )
    const value = Math.max(...ratios)
    addResult({
      name: `${title}: worst list`,
      engine,
      value,
      goal: { max: MAX_RATIO },
      isHeadline: true,
    })
    const bytes =
      engine === 'SQLite' ? statSync(data[1].url.slice('sqlite:'.length)).size : await getDatabaseBytes(data[1].url)
    addResult({ name: `Disk for ${grouped(size.large)} posts`, engine, value: bytes / 1e6, unit: 'MB' })
    console.log(`\nDisk for ${grouped(size.large)} posts on ${engine}: ${megabytes(bytes)}`)
  } finally {
    for (const server of servers) await server.stop()
  }
}

/** CPU time of a page in both workspaces, in turn. */
async function measureList(generator: Generator, data: Pair<Dataset>, servers: Pair<Server>, lists: Pair<List>) {
  const urls = makeUrls(lists, [data[0].urls.cursors[lists[0].name]!, data[1].urls.cursors[lists[1].name]!])
  const requests = Math.floor(size.pagesPerList / (size.rounds + 1))
  const least: Pair<number> = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round <= size.rounds; round++)
    for (const [at, server] of servers.entries()) {
      const token = lists[at]!.isForMembers ? data[at]!.memberToken : data[at]!.token
      const load = { token, urls: urls[at]!, from: round * requests, requests, connections: 8 }
      const { cpu, databaseCpu } = await measure(generator, server, load)
      // The first round warms up.
      if (round > 0) least[at] = Math.min(least[at]!, cpu + databaseCpu)
    }
  return least
}

/** As many URLs of a list in each workspace. Where the small one has few pages, both are requested with several limits. */
function makeUrls(lists: Pair<List>, cursors: Pair<string[]>): Pair<string[]> {
  const places = Math.min(cursors[0].length, cursors[1].length)
  const limits = places === 0 ? PAGE_SIZE : Math.min(PAGE_SIZE, Math.ceil(size.pagesPerList / places))
  const makeAll = ({ path, query }: List, all: string[]) => {
    const urls: string[] = []
    for (let less = 0; less < limits; less++) {
      const base = `${path}?${query && `${query}&`}limit=${PAGE_SIZE - less}`
      if (places === 0) urls.push(base)
      for (let place = 0; place < places; place++)
        urls.push(`${base}&after=${all[Math.floor((place * all.length) / places)]}`)
    }
    return shuffle(urls)
  }
  return [makeAll(lists[0], cursors[0]), makeAll(lists[1], cursors[1])]
}
