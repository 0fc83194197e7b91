import { afterAll, describe, expect, test } from 'bun:test'
import type { Event } from '../../src/contract/events'
import { ApiError, type Client, createClient } from '../client'
import { findFaults } from '../consistency'
import { ownTime } from '../cpu-time'
import { waitForMetrics } from '../metrics'
import { freePort } from '../postgres'
import { engineUnderTest, newMigratedDatabase } from '../server'
import { openReceiver } from '../webhooks/receiver'
import { type Child, inDatabase, patiently, startChild, waitUntil } from './child'
import { expectNothingLost, expectOnlyUnavailable } from './load'
import { reported } from './report'

/** PARLEY_TORTURE=long: twenty times. */
const ROUNDS = process.env.PARLEY_TORTURE === 'long' ? 20 : 2
const WRITERS = 8
const STREAMS = 16

const env = {
  SECRET_KEY: 'a key of the test servers, of no use elsewhere',
  WEBHOOK_NETWORKS: '127.0.0.0/8',
  WEBHOOK_TIMEOUT_SECONDS: '10',
}

const children: Child[] = []
afterAll(() => Promise.all(children.map((child) => child.kill())))

async function start(database: string, args?: string[], port?: number): Promise<Child> {
  const child = await startChild(database, { ...env, ...(port && { PORT: String(port) }) }, [], args)
  children.push(child)
  await waitUntil(child.isReady)
  return child
}

const ids = (events: readonly Event[]) => events.map(({ id }) => id)

/** Reads the stream until stopped. */
function follow(client: Client, after?: string) {
  const ending = new AbortController()
  const events: Event[] = []
  const done = (async () => {
    for await (const event of client.events.stream({ after }, { signal: ending.signal })) events.push(event)
  })()
  return {
    events,
    async stop() {
      ending.abort()
      await done
    },
  }
}

async function readWholeLog(client: Client, after: string): Promise<Event[]> {
  const page = await client.events.list({ after })
  return page.has_more ? [...page.data, ...(await readWholeLog(client, page.next_cursor))] : page.data
}

const lastEventId = async (client: Client): Promise<string> => {
  let page = await client.events.list()
  while (page.has_more) page = await client.events.list({ after: page.next_cursor })
  return page.next_cursor
}

describe('several processes on one port', () => {
  test('send every event to every stream of every process', async () => {
    const database = await newMigratedDatabase()
    const child = await start(database.url, ['--workers', '2'])
    // On a busy machine 200 writes at once are too many.
    const client = createClient({ baseUrl: child.url, token: await child.firstToken(), retries: 20 })
    const channel = (await client.channels.list()).data[0]!
    const after = await lastEventId(client)
    const streams = Array.from({ length: STREAMS }, () => follow(client, after))
    await waitForMetrics(child.url, new RegExp(`^parley_open_streams ${STREAMS}$`, 'm'))

    await Promise.all(
      Array.from({ length: 200 }, (_, turn) =>
        client.posts.create({ channel_id: channel.id, content_markdown: `Post ${turn}` }),
      ),
    )
    const log = ids(await readWholeLog(client, after))
    expect(log).toHaveLength(200)
    await waitUntil(() => streams.every(({ events }) => events.length >= 200))
    for (const stream of streams) {
      await stream.stop()
      expect(ids(stream.events)).toEqual(log)
    }
    await child.stop()
    await database.drop()
  }, 300_000)
})

describe('a node that is killed at any time', () => {
  test(
    'loses nothing: no write, no event, no delivery',
    reported(
      'Is anything lost when one of two nodes is killed, again and again?',
      'no write, no event, no delivery',
      async () => {
        const database = await newMigratedDatabase()
        const ports = [await freePort(), await freePort()]
        const urls = ports.map((port) => `http://127.0.0.1:${port}`)
        const nodes = [await start(database.url, [], ports[0]), await start(database.url, [], ports[1])]
        const token = await nodes[0]!.firstToken()
        const clients = urls.map((baseUrl) => createClient({ baseUrl, token, fetch: patiently }))
        const channel_id = (await clients[0]!.channels.list()).data[0]!.id
        const receiver = openReceiver(() => Bun.sleep(5).then(() => new Response()))
        const hook = await clients[0]!.webhooks.create({ url: receiver.url, types: ['post.created'] })
        const after = await lastEventId(clients[0]!)
        const reader = follow(clientOfAllNodes(urls, token), after)
        const acknowledged: string[] = []

        for (let round = 0; round < ROUNDS; round++) {
          const load = { isOver: false }
          const before = acknowledged.length
          const writing = clients.flatMap((client) =>
            Array.from({ length: WRITERS }, () => write(client, channel_id, acknowledged, load)),
          )
          await waitUntil(() => acknowledged.length > before)
          await Bun.sleep(300 + Math.random() * 500)
          const victim = round % 2
          await nodes[victim]!.kill()
          await Bun.sleep(200)
          load.isOver = true
          await Promise.all(writing)
          nodes[victim] = await start(database.url, [], ports[victim])
        }

        const client = clients[0]!
        const log = await readWholeLog(client, after)
        const posts = log.filter(({ type }) => type === 'post.created')
        // This can take long after many writes; it must only make progress.
        const pending = async () => (await client.webhooks.deliveries({ id: hook.id, status: 'pending' })).total_count
        for (let left = await pending(); left > 0; left = await pending())
          await waitUntil(async () => (await pending()) < left)
        await waitUntil(() => reader.events.length >= log.length)
        await reader.stop()

        expect(ids(reader.events)).toEqual(ids(log))
        const announced = new Set(posts.map(({ data }) => (data as { id: string }).id))
        expect(acknowledged.length).toBeGreaterThan(0)
        expect(acknowledged.filter((id) => !announced.has(id))).toEqual([])
        const arrived = new Set(receiver.received.map(({ event }) => event.id))
        expect([...arrived].toSorted()).toEqual(ids(posts))

        for (const node of nodes) await node.stop()
        const found = await inDatabase<{ wrong: string[]; posts: string[] }>(database.url, async (db) => ({
          wrong: await findFaults(db),
          posts: (await db.selectFrom('posts').select('id').orderBy('id').execute()).map(({ id }) => id),
        }))
        expect(found.wrong).toEqual([])
        const before = found.posts.filter((id) => !announced.has(id))
        // The welcome posts.
        expect(before).toHaveLength(2)
        receiver.stop()
        await database.drop()
        return `nothing in ${ROUNDS} rounds: ${acknowledged.length} acknowledged writes, ${log.length} events, ${arrived.size} deliveries`
      },
    ),
    600_000,
  )

  /** A client that alternates between the nodes. */
  function clientOfAllNodes(urls: readonly string[], token: string): Client {
    let asked = 0
    const alternate = (input: string, init?: RequestInit) =>
      fetch(input.replace('http://any', urls[asked++ % 2]!), init)
    return createClient({ baseUrl: 'http://any', token, fetch: alternate as typeof fetch })
  }

  async function write(client: Client, channel_id: string, acknowledged: string[], load: { isOver: boolean }) {
    try {
      for (let turn = 0; !load.isOver; turn++)
        acknowledged.push((await client.posts.create({ channel_id, content_markdown: `Post ${turn}` })).id)
    } catch (error) {
      // The connection broke, so the outcome is unknown. A refusal would be a bug.
      expect(error).not.toHaveProperty('status')
    }
  }
})

/** Writes until stopped, and notes when each was acknowledged. */
function writeSteadily(client: Client, channel_id: string) {
  const state = { isOver: false, done: [] as { id: string; at: number }[], refused: [] as ApiError[] }
  const worker = async () => {
    while (!state.isOver)
      try {
        const { id } = await client.posts.create({ channel_id, content_markdown: 'Under load' })
        state.done.push({ id, at: ownTime() })
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError)
        state.refused.push(error as ApiError)
        await Bun.sleep(20)
      }
  }
  const workers = Array.from({ length: WRITERS }, worker)
  return {
    ...state,
    async stop() {
      state.isOver = true
      await Promise.all(workers)
    },
  }
}

/** The transactions that wait for their node. */
const listWaiting = (url: string) =>
  inDatabase<unknown[]>(url, (db) =>
    db
      .selectFrom('pg_stat_activity' as never)
      .where('datname' as never, '=', new URL(url).pathname.slice(1) as never)
      .where('state' as never, '=', 'idle in transaction' as never)
      .select('pid' as never)
      .execute(),
  )

if (engineUnderTest === 'postgres')
  test(
    'a node that is frozen in the middle of writes stops the others for less than 10 s, and continues later',
    reported(
      'How long does a frozen node stop the writes of the others?',
      'less than 10 s, and nothing is lost',
      async () => {
        const database = await newMigratedDatabase()
        const nodes = [await start(database.url), await start(database.url)]
        const [frozen, other] = nodes as [Child, Child]
        const token = await frozen.firstToken()
        const clients = nodes.map(({ url }) => createClient({ baseUrl: url, token }))
        const channel_id = (await clients[0]!.channels.list()).data[0]!.id
        const works = clients.map((client) => writeSteadily(client, channel_id))
        const [frozenWork, work] = works as [(typeof works)[0], (typeof works)[0]]
        await waitUntil(() => works.every(({ done }) => done.length > 50))

        // With a transaction open, which then keeps the workspace locked: nothing is acknowledged any more.
        let before = 0
        const isLocked = async () => {
          process.kill(frozen.pid, 'SIGSTOP')
          await Bun.sleep(200)
          before = work.done.length
          await Bun.sleep(800)
          if (work.done.length === before && (await listWaiting(database.url)).length > 0) return true
          process.kill(frozen.pid, 'SIGCONT')
          await Bun.sleep(Math.random() * 200)
          return false
        }
        await waitUntil(isLocked)
        await waitUntil(() => work.done.length > before + 50)
        const times = work.done.slice(before - 1).map(({ at }) => at)
        const seconds = Math.max(...times.slice(1).map((at, index) => at - times[index]!)) / 1000

        process.kill(frozen.pid, 'SIGCONT')
        const resumed = frozenWork.done.length
        await waitUntil(() => frozenWork.done.length > resumed + 50)
        for (const each of works) await each.stop()
        expectOnlyUnavailable(frozen, frozenWork.refused)
        expectOnlyUnavailable(other, work.refused)
        const done = works.flatMap((each) => each.done.map(({ id }) => id))
        await expectNothingLost(database.url, done)
        expect(seconds).toBeLessThan(10)
        for (const node of nodes) await node.stop()
        await database.drop()
        return `${seconds.toFixed(1)} s; 0 of ${done.length} acknowledged writes lost`
      },
    ),
    300_000,
  )
