import { afterAll, describe, expect, test } from 'bun:test'
import type { StreamOptions } from '../../src/client'
import type { Event } from '../../src/contract/events'
import { cleanUp } from '../../src/jobs/clean-up'
import type { Running } from '../../src/server'
import { createClient } from '../client'
import { waitUntil } from '../expectations'
import { freePort } from '../postgres'
import { newMigratedDatabase, startTestServer, time } from '../server'
import { type Person, type World, world } from '../world'
import { allEvents, endOfLog } from './log'

const post = (who: Person, { general }: World, content_markdown = 'Lunch?') =>
  who.posts.create({ channel_id: general.id, content_markdown })

const endings: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const end of endings) await end()
})

/** Reads on in the background, into an array. */
function collect(stream: AsyncGenerator<Event>) {
  const events: Event[] = []
  const done = (async () => {
    for await (const event of stream) events.push(event)
  })()
  done.catch(() => {})
  return { events, done, count: (many: number) => waitUntil(async () => events.length >= many) }
}

/** Until the server has let the client in. */
const connected = (server: Running) => waitUntil(async () => server.parley.streams.count() > 0)

/** Until the server has noticed that all clients are gone, also the clients of earlier tests. */
const disconnected = (server: Running) => waitUntil(async () => server.parley.streams.count() === 0)

/** An address that stays the same while the server behind it changes. */
async function restartable() {
  const database = await newMigratedDatabase()
  const env = { PORT: String(await freePort()), DATABASE_URL: database.url }
  let server = await startTestServer(env)
  const cast = await world(server)
  endings.push(
    () => server.stop(),
    () => database.drop(),
  )
  return {
    ...cast,
    current: () => server,
    async restart(whileDown: () => Promise<unknown> = async () => {}) {
      await server.stop()
      await whileDown()
      server = await startTestServer(env)
    },
  }
}

const ids = (events: readonly Event[]) => events.map(({ id }) => id)

describe('events.stream', () => {
  test('yields new events, and ends when the caller stops reading', async () => {
    const cast = await world()
    await disconnected(cast.server)
    await post(cast.ada, cast, 'Before')
    const reading = (async () => {
      for await (const event of cast.ada.events.stream()) return event
    })()
    await connected(cast.server)
    const { id } = await post(cast.bob, cast, 'Now')
    expect((await reading)!.data).toMatchObject({ id })
    await disconnected(cast.server)
  })

  test('can be limited to types and resumed after an event', async () => {
    const cast = await world()
    const after = await endOfLog(cast.ada)
    const { id } = await post(cast.ada, cast)
    await cast.ada.comments.create({ post_id: id, content_markdown: 'Noon' })
    await cast.ada.posts.resolve({ post_id: id })
    const ending = new AbortController()
    const types = ['post.created', 'post.resolved'] as const
    const { events, count, done } = collect(cast.ada.events.stream({ after, types }, { signal: ending.signal }))
    await count(2)
    ending.abort()
    await done
    expect(events.map(({ type }) => type)).toEqual([...types])
  })

  test.each([
    ['in its options, as every call', (signal: AbortSignal) => [{}, { signal }]],
    ['among its parameters, as before', (signal: AbortSignal) => [{ signal }]],
    ['in both, by the one in the options', (signal: AbortSignal) => [{ signal: AbortSignal.abort() }, { signal }]],
  ] as [string, (signal: AbortSignal) => [StreamOptions, { signal: AbortSignal }?]][])(
    'takes a signal that ends it %s',
    async (_, argumentsOf) => {
      const { ada, server } = await world()
      await disconnected(server)
      const ending = new AbortController()
      const stream = collect(ada.events.stream(...argumentsOf(ending.signal)))
      await connected(server)
      ending.abort()
      await stream.done
      await disconnected(server)
    },
  )

  test('survives server restarts, with every event once and in order', async () => {
    const cast = await restartable()
    const ending = new AbortController()
    const stream = collect(cast.ada.events.stream({}, { signal: ending.signal }))
    await connected(cast.current())
    const after = await endOfLog(cast.ada)
    let posted = 0
    for (let round = 0; round < 4; round++) {
      for (let turn = 0; turn < 3; turn++, posted++) await post(cast.ada, cast, `${round}.${turn}`)
      if (round % 2) await stream.count(posted)
      await cast.restart()
    }
    await stream.count(posted)
    ending.abort()
    await stream.done
    expect(ids(stream.events)).toEqual(ids(await allEvents(cast.ada, after)))
  }, 300_000)

  test('misses no event if it is cut before the first one', async () => {
    const cast = await restartable()
    const ending = new AbortController()
    const begun = Promise.withResolvers<void>()
    // The stream begins with its position, without which the client could not know what it missed.
    const fetchAndNote = (async (...request: Parameters<typeof fetch>) => {
      const response = await fetch(...request)
      const noted = new TransformStream<Uint8Array, Uint8Array>({
        transform(piece, out) {
          out.enqueue(piece)
          begun.resolve()
        },
      })
      return new Response(response.body!.pipeThrough(noted), response)
    }) as typeof fetch
    const client = createClient({ baseUrl: cast.baseUrl, token: cast.ada.token, fetch: fetchAndNote })
    const stream = collect(client.events.stream({}, { signal: ending.signal }))
    await begun.promise
    await Bun.sleep(100)
    await cast.restart(async () => {
      // While nobody is there, someone else writes.
      const other = await startTestServer({ DATABASE_URL: cast.current().config.databaseUrl })
      await post(createClient({ baseUrl: other.url, token: cast.ada.token }) as Person, cast, 'In between')
      await other.stop()
    })
    await stream.count(1)
    ending.abort()
    await stream.done
    expect(stream.events.map(({ data }) => (data as { title: string }).title)).toEqual(['In between'])
  }, 300_000)

  test('retries on 503 and 429', async () => {
    const { ada, baseUrl, ...cast } = await world()
    const answers = [
      () => new Response('Bad gateway', { status: 502 }),
      () => Response.error() && Promise.reject(new TypeError('fetch failed')),
      () => new Response(null, { status: 503, headers: { 'Retry-After': '0' } }),
    ]
    let asked = 0
    const shaky = ((...request: Parameters<typeof fetch>) =>
      (answers[asked++] ?? (() => fetch(...request)))()) as unknown as typeof fetch
    const client = createClient({ baseUrl, token: ada.token, fetch: shaky })
    const ending = new AbortController()
    const after = await endOfLog(ada)
    const { id } = await post(ada, cast as World)
    const stream = collect(client.events.stream({ after }, { signal: ending.signal }))
    await stream.count(1)
    ending.abort()
    await stream.done
    expect([asked, stream.events[0]!.data]).toEqual([4, expect.objectContaining({ id })])
  }, 300_000)

  test('throws errors that a retry cannot fix', async () => {
    const cast = await world()
    const bad = createClient({ baseUrl: cast.baseUrl, token: 'parley_unknown' })
    await expect(bad.events.stream().next()).rejects.toMatchObject({ code: 'unauthenticated' })
    await expect(cast.ada.events.stream({ after: 'x' }).next()).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test('throws when its token is revoked', async () => {
    const cast = await world()
    await disconnected(cast.server)
    const { id, token } = await cast.ada.tokens.createMine({ scopes: ['read'] })
    const stream = collect(cast.as(token).events.stream())
    await connected(cast.server)
    await cast.ada.tokens.delete({ id })
    await expect(stream.done).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  test('throws when the event to resume after is no longer in the log', async () => {
    const cast = await world()
    time.freeze()
    const [first] = await allEvents(cast.ada)
    time.advance(31 * 24 * 60 * 60 * 1000)
    await post(cast.ada, cast)
    await cleanUp(cast.server.parley, 30)
    await expect(cast.ada.events.stream({ after: first!.id }).next()).rejects.toMatchObject({ code: 'event_gone' })
    time.unfreeze()
    time.offset = 0
  })

  test('ends at once when aborted, also while it waits to retry', async () => {
    let attempts = 0
    await using busy = Bun.serve({
      port: 0,
      fetch() {
        attempts += 1
        return new Response(null, { status: 503, headers: { 'Retry-After': '60' } })
      },
    })
    const refused = createClient({ baseUrl: busy.url.origin, token: 'x' })
    const ending = new AbortController()
    const stream = collect(refused.events.stream({}, { signal: ending.signal }))
    await waitUntil(async () => attempts > 0)
    await Bun.sleep(100)
    const started = performance.now()
    ending.abort()
    await stream.done
    expect(performance.now() - started).toBeLessThan(30_000)
  })
})
