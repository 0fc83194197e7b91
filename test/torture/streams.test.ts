import { afterAll, describe, expect, test } from 'bun:test'
import type { Running } from '../../src/server'
import { type Client, createClient } from '../client'
import { newRandom } from '../random-writes'
import { engineUnderTest, newMigratedDatabase, startTestServer } from '../server'
import { type World, world } from '../world'
import { readWithCuts } from './cut-reader'
import { reported } from './report'

/** PARLEY_TORTURE=long: twenty-five thousand events, two hundred cuts. */
const isLong = process.env.PARLEY_TORTURE === 'long'
const EVENTS = isLong ? 25_000 : 2_000
const CUTS = isLong ? 200 : 40
const WRITERS = 32

const endings: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const end of endings.reverse()) await end()
})

async function nodes(count: number): Promise<Running[]> {
  const database = await newMigratedDatabase()
  endings.push(database.drop)
  const running: Running[] = []
  for (let node = 0; node < count; node++)
    running.push(await startTestServer({ DATABASE_URL: database.url }, { checkAnswers: false }))
  endings.push(...running.map((node) => () => node.stop()))
  return running
}

/** Writes concurrently on all nodes until there are enough events. */
async function writeMuch(urls: readonly string[], { ada, general }: World, events: number) {
  let left = events
  const write = async (client: Client) => {
    while (left-- > 0) await client.posts.create({ channel_id: general.id, content_markdown: `Post ${left}` })
  }
  const clients = urls.map((baseUrl) => createClient({ baseUrl, token: ada.token }))
  await Promise.all(Array.from({ length: WRITERS }, (_, number) => write(clients[number % clients.length]!)))
}

/** The ids of all events in the database. */
async function logOf(cast: World, after: string): Promise<string[]> {
  const ids: string[] = []
  for (let at = after, more = true; more; ) {
    const page = await cast.ada.events.list({ after: at })
    ids.push(...page.data.map(({ id }) => id))
    at = page.next_cursor
    more = page.has_more
  }
  return ids
}

async function expectExactlyOnce(servers: Running[], readers: number, events: number): Promise<string> {
  const cast = await world(servers[0])
  const urls = servers.map(({ url }) => url)
  const after = (await cast.ada.events.list({ types: ['channel.deleted'] })).next_cursor
  const reading = Array.from({ length: readers }, (_, number) =>
    readWithCuts({ urls, token: cast.ada.token, after, events, cuts: CUTS, random: newRandom(number) }),
  )
  await writeMuch(urls, cast, events)
  const log = await logOf(cast, after)
  expect(log).toHaveLength(events)
  for (const { ids, cuts } of await Promise.all(reading)) {
    expect(ids).toEqual(log)
    expect(cuts).toBe(CUTS)
  }
  return `${events} events, each once and in order, to ${readers} readers that were cut ${CUTS} times each`
}

describe('a reader whose connection is cut at random gets each event exactly once, in order', () => {
  const goal = 'each event exactly once, in order'

  test(
    'from one process',
    reported('What does a live stream give that is cut at random, while much is written?', goal, async () =>
      expectExactlyOnce(await nodes(1), 2, EVENTS / 5),
    ),
    3_600_000,
  )

  test(
    `from two on one database (${engineUnderTest}), with writers on both, hopping between them`,
    reported('And hopping between two processes, with writers on both?', goal, async () =>
      expectExactlyOnce(await nodes(2), 2, EVENTS),
    ),
    3_600_000,
  )
})
