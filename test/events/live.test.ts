import { afterAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { openStreams } from '../../src/gate/live/changes'
import { openSseConnection } from '../../src/http/live/sse-connection'
import { seedWorkspace } from '../../src/seed'
import { findWorkspace } from '../../src/store/people/workspaces'
import { waitUntil } from '../expectations'
import { startTestServer, time } from '../server'
import { type Person, type World, world } from '../world'
import { followLog } from './following'
import { allEvents, endOfLog } from './log'

const post = (who: Person, { general }: World, content_markdown = 'Lunch?') =>
  who.posts.create({ channel_id: general.id, content_markdown })

const endings: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const end of endings) await end()
})

describe('the live stream', () => {
  test('has the right headers and streams new events', async () => {
    const cast = await world()
    await post(cast.ada, cast, 'Before')
    const position = await endOfLog(cast.ada)
    const stream = await followLog(cast.ada)
    const { headers } = stream.response
    expect(stream.response.status).toBe(200)
    expect(headers.get('content-type')).toBe('text/event-stream')
    expect(headers.get('x-accel-buffering')).toBe('no')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-request-id')).toMatch(/^req_/)
    await post(cast.ada, cast, 'After\n\ndata: a second paragraph')
    const [event] = await stream.count(1)
    expect(event).toEqual((await allEvents(cast.ada)).at(-1)!)
    expect(stream.text()).toStartWith(`retry: 1000\n: after ${position}\nid: ${position}\n\n`)
    stream.close()
  })

  test('after now begins at the end of the log', async () => {
    const cast = await world()
    await post(cast.ada, cast, 'Before')
    const position = await endOfLog(cast.ada)
    const stream = await followLog(cast.ada, { query: '?after=now' })
    const { id } = await post(cast.ada, cast, 'After')
    expect(await stream.count(1)).toMatchObject([{ type: 'post.created', data: { id } }])
    expect(stream.text()).toContain(`: after ${position}`)
    stream.close()
  })

  test('resumes after Last-Event-ID without gaps or duplicates', async () => {
    const cast = await world()
    const first = await followLog(cast.ada)
    for (let turn = 0; turn < 3; turn++) await post(cast.ada, cast, `${turn}`)
    const seen = (await first.count(3)).slice(0, 2)
    first.close()
    for (let turn = 3; turn < 6; turn++) await post(cast.ada, cast, `${turn}`)
    const second = await followLog(cast.ada, { lastEventId: seen.at(-1)!.id })
    await post(cast.ada, cast, 'last')
    await second.count(5)
    const all = (await allEvents(cast.ada)).slice(-7)
    expect([...seen, ...second.events]).toEqual(all)
    second.close()
  })

  test('prefers Last-Event-ID to `after`', async () => {
    const cast = await world()
    const after = await endOfLog(cast.ada)
    for (let turn = 0; turn < 3; turn++) await post(cast.ada, cast, `${turn}`)
    const all = (await allEvents(cast.ada, after)).map(({ id }) => id)
    const begun = await followLog(cast.ada, { query: `?after=${after}` })
    expect((await begun.count(3)).map(({ id }) => id)).toEqual(all)
    const resumed = await followLog(cast.ada, { query: `?after=${after}`, lastEventId: all[1] })
    expect((await resumed.count(1)).map(({ id }) => id)).toEqual(all.slice(2))
    for (const stream of [begun, resumed]) stream.close()
  })

  test('can be limited to types', async () => {
    const cast = await world()
    const stream = await followLog(cast.ada, { query: '?types=comment.created' })
    const { id } = await post(cast.ada, cast)
    await cast.ada.comments.create({ post_id: id, content_markdown: 'Noon' })
    await stream.count(1)
    expect(stream.events.map(({ type }) => type)).toEqual(['comment.created'])
    stream.close()
  })

  test('refuses invalid parameters', async () => {
    const { ada, zed } = await world()
    const away = await endOfLog(zed)
    const statuses = await Promise.all([
      followLog(ada, { lastEventId: away }),
      followLog(ada, { query: '?types=nonsense' }),
      followLog({ ...ada, token: 'parley_unknown' }),
    ])
    expect(statuses.map(({ response }) => response.status)).toEqual([422, 422, 401])
  })

  test('catches up from far behind', async () => {
    const cast = await world()
    const after = await endOfLog(cast.ada)
    await Promise.all(Array.from({ length: 1_300 }, (_, turn) => post(cast.ada, cast, `${turn}`)))
    const stream = await followLog(cast.ada, { lastEventId: after })
    await stream.count(1_300)
    const all = await allEvents(cast.ada, after)
    expect(stream.events.map(({ id }) => id)).toEqual(all.map(({ id }) => id))
    stream.close()
  })

  test('includes seeded channels', async () => {
    const cast = await world()
    const stream = await followLog(cast.ada)
    const home = await cast.server.parley.engine.read(async (db) => (await findWorkspace(db, cast.slug))!)
    const wishes = { posts: 3, channels: 2, members: 3, commentsEvery: 2, threads: 1, seed: 1, until: Date.now() }
    await seedWorkspace(cast.server.parley, home, wishes)
    const filled = (await cast.root.channels.list()).data.find(({ id }) => id !== cast.general.id)!
    await cast.root.posts.create({ channel_id: filled.id, content_markdown: 'Hello' })
    await waitUntil(() => stream.events.some(({ type }) => type === 'post.created'))
    expect(new Set(stream.events.map(({ type }) => type))).toEqual(
      new Set(['workspace.seeded', 'channel.member_added', 'post.created']),
    )
    stream.close()
  })

  test('can be opened by hundreds at once with few database connections', async () => {
    const cast = await world()
    const filesOpen = () => (process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0)
    const streams = await Promise.all(Array.from({ length: 200 }, () => followLog(cast.ada)))
    const before = filesOpen()
    await cast.root.channels.update({ id: cast.general.id, private: true })
    await cast.root.channels.update({ id: cast.general.id, private: false })
    await post(cast.ada, cast)
    for (const stream of streams) await stream.until(({ type }) => type === 'post.created')
    expect(filesOpen() - before).toBeLessThan(100)
    for (const stream of streams) {
      // A stream that looks only after both changes sees both: the channel is public again at that moment.
      const types = stream.events.map(({ type }) => type).join(' ')
      expect(types).toMatch(/^(access\.lost |channel\.updated )?channel\.updated post\.created$/)
      stream.close()
    }
  })

  test('is not opened by HEAD', async () => {
    const cast = await world(await startTestServer())
    const headers = { Accept: 'text/event-stream' }
    const response = await cast.raw(cast.ada, '/v2/events', { method: 'HEAD', headers })
    expect(response.status).toBe(200)
    await waitUntil(async () => cast.server.parley.streams.count() === 0)
  })

  test('ends when the client disconnects', async () => {
    const cast = await world(await startTestServer())
    const { streams } = cast.server.parley
    const stream = await followLog(cast.ada)
    expect(streams.count()).toBe(1)
    expect(await (await fetch(`${cast.baseUrl}/metrics`)).text()).toContain('parley_open_streams 1\n')
    stream.close()
    await waitUntil(async () => streams.count() === 0)
  })

  test('ends when the server stops, without delaying it', async () => {
    const server = await startTestServer()
    const cast = await world(server)
    const streams = await Promise.all(Array.from({ length: 5 }, () => followLog(cast.ada)))
    const started = performance.now()
    await server.stop()
    // After 10 s it would stop in any case.
    expect(performance.now() - started).toBeLessThan(9_000)
    for (const stream of streams) await stream.ended
  })
})

/** A second, and what a busy machine adds. */
const MAX_END_MS = 10_000

describe('a stream ends within a second', () => {
  /** How long it takes from the deed to the end. */
  async function endsBy(who: { token: string; baseUrl: string }, deed: () => Promise<unknown>) {
    const stream = await followLog(who)
    await Bun.sleep(50)
    await deed()
    const started = performance.now()
    await stream.ended
    expect(performance.now() - started).toBeLessThan(MAX_END_MS)
    return stream
  }

  test('after its token is revoked', async () => {
    const { ada, baseUrl } = await world()
    const { id, token } = await ada.tokens.createMine({ scopes: ['read'] })
    await endsBy({ token, baseUrl }, () => ada.tokens.delete({ id }))
  })

  test('after its member is deactivated', async () => {
    const { ada, root } = await world()
    await endsBy(ada, () => root.members.update({ id: ada.id, is_deactivated: true }))
  })

  test('after its app is deleted', async () => {
    const { bot, root } = await world()
    await endsBy(bot, () => root.apps.delete({ id: bot.id }))
  })

  test('after its token expires', async () => {
    const { ada, tokenFor } = await world()
    const reader = await tokenFor(ada.id, ['read'], new Date(time.now() + 60_000).toISOString())
    await endsBy(reader, async () => time.advance(61_000))
    time.offset = 0
  })

  test('also if another process made the change', async () => {
    const here = await startTestServer()
    const there = await startTestServer({ DATABASE_URL: here.config.databaseUrl })
    endings.push(
      () => here.stop(),
      () => there.stop(),
    )
    const { ada, root } = await world(here)
    await Bun.sleep(200)
    await endsBy({ ...ada, baseUrl: there.url }, () => root.members.update({ id: ada.id, is_deactivated: true }))
  })

  test('and contains no later events', async () => {
    const cast = await world()
    const stream = await endsBy(cast.ada, async () => {
      await cast.root.members.update({ id: cast.ada.id, is_deactivated: true })
      await post(cast.root, cast, 'Without Ada')
    })
    expect(stream.events.map(({ type }) => type)).not.toContain('post.created')
  })
})

describe('a heartbeat', () => {
  test('is sent every 30 checks', async () => {
    const streams = openStreams(undefined, 5)
    const connection = openSseConnection(streams, { isExpired: () => false, onEnd: () => {}, position: () => 'evt_1' })
    const started = performance.now()
    const reader = connection.readable.pipeThrough(new TextDecoderStream() as never).getReader()
    let text = ''
    while ((text.match(/^: after evt_1$/gm) ?? []).length < 3) text += (await reader.read()).value
    expect(text).toBe(
      'retry: 1000\n: after evt_1\nid: evt_1\n\n: after evt_1\nid: evt_1\n\n: after evt_1\nid: evt_1\n\n',
    )
    expect(performance.now() - started).toBeGreaterThan(5 * 50)
    streams.close()
    expect((await reader.read()).done).toBe(true)
  })
})
