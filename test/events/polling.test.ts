import { afterAll, describe, expect, spyOn, test } from 'bun:test'
import type { EventType } from '../../src/contract/event-types'
import type { Running } from '../../src/server'
import { createClient } from '../client'
import { expectInvalid, waitUntil } from '../expectations'
import { startTestServer } from '../server'
import { type Person, type World, world } from '../world'
import { allEvents, endOfLog } from './log'

const post = (who: Person, { general }: World, content_markdown = 'Lunch?') =>
  who.posts.create({ channel_id: general.id, content_markdown })

const types = ({ data }: { data: { type: EventType }[] }) => data.map(({ type }) => type)

/** How long a call takes, and what it answers. */
async function timed<T>(call: Promise<T>): Promise<{ answer: T; took: number }> {
  const started = performance.now()
  return { answer: await call, took: performance.now() - started }
}

/** Sends a request that waits, and resolves once the server has begun to wait. */
async function beginToWait<T>({ parley }: Running, send: () => Promise<T>): Promise<{ waiting: Promise<T> }> {
  const reserving = spyOn(parley.streams, 'reserve')
  const waiting = send()
  await waitUntil(() => reserving.mock.calls.length > 0)
  reserving.mockRestore()
  return { waiting }
}

/** The longest `wait`, in seconds, and what is clearly less than that. */
const WAIT = 30
const SOON_MS = 20_000

const ANSWERED = /parley_requests_total\{operation="events.list",status="200"\} (\d+)/

const endings: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const end of endings) await end()
})

describe('a page of the log', () => {
  test('takes the same statements for repeated types', async () => {
    const ran = new Set<string>()
    // Other statements may be of jobs in the background, such as when someone was last seen.
    const onStatement = (sql: string) => void (/\bevents\b/.test(sql) && ran.add(sql))
    const server = await startTestServer({}, { onStatement })
    endings.push(() => server.stop())
    const cast = await world(server)
    await post(cast.ada, cast)
    const ask = (times: number) => cast.ada.events.list({ types: Array(times).fill('post.created') })
    await server.inboxFiller()!.whilePaused(async () => {
      expect(types(await ask(1))).toEqual(['post.created'])
      const before = ran.size
      expect(before).toBeGreaterThan(0)
      for (const times of [2, 3, 500]) expect(types(await ask(times))).toEqual(['post.created'])
      expect(ran.size).toBe(before)
    })
  })

  test('starts at the oldest event, and continues after the last page', async () => {
    const cast = await world()
    for (let turn = 0; turn < 5; turn++) await post(cast.ada, cast, `Post ${turn}`)
    const all = await allEvents(cast.root)
    const walked: string[] = []
    let page = await cast.root.events.list({ limit: 3 })
    for (; page.has_more; page = await cast.root.events.list({ limit: 3, after: page.next_cursor })) {
      expect(page.data).toHaveLength(3)
      expect(page.next_cursor).toBe(page.data.at(-1)!.id)
      walked.push(...page.data.map(({ id }) => id))
    }
    walked.push(...page.data.map(({ id }) => id))
    expect(walked).toEqual(all.map(({ id }) => id))
  })

  test('at the end of the log is empty, with a cursor for later events', async () => {
    const cast = await world()
    const end = await endOfLog(cast.ada)
    expect(await cast.ada.events.list({ after: end })).toEqual({ data: [], next_cursor: end, has_more: false })
    await post(cast.ada, cast)
    expect(types(await cast.ada.events.list({ after: end }))).toEqual(['post.created'])
  })

  test('after now is empty, with the same cursor', async () => {
    const cast = await world()
    await post(cast.ada, cast)
    const end = await endOfLog(cast.ada)
    const page = { data: [], next_cursor: end, has_more: false }
    expect(await cast.ada.events.list({ after: 'now' })).toEqual(page)
    expect(await cast.ada.events.list({ after: 'now', wait: 30 })).toEqual(page)
  })

  test('that ends exactly at the end of the log has no more', async () => {
    const cast = await world()
    const after = await endOfLog(cast.ada)
    for (let turn = 0; turn < 2; turn++) await post(cast.ada, cast)
    const page = await cast.ada.events.list({ after, limit: 2 })
    expect([page.data.length, page.has_more]).toEqual([2, false])
  })

  test('can be limited to types, with a cursor after the others', async () => {
    const cast = await world()
    const { ada, root, raw } = cast
    const after = await endOfLog(ada)
    const { id } = await post(ada, cast)
    await ada.comments.create({ post_id: id, content_markdown: 'Noon' })
    await ada.posts.resolve({ post_id: id })
    const page = await ada.events.list({ after, types: ['post.created', 'post.resolved'] })
    expect(types(page)).toEqual(['post.created', 'post.resolved'])
    const none = await ada.events.list({ after, types: ['channel.deleted'] })
    expect([none.data, none.next_cursor]).toEqual([[], await endOfLog(root)])
    const repeated = await raw(ada, `/v2/events?after=${after}&types=comment.created&types=post.resolved`)
    expect(types((await repeated.json()) as never)).toEqual(['comment.created', 'post.resolved'])
  })

  test('is refused for invalid parameters', async () => {
    const { ada, zed, raw } = await world()
    const away = await endOfLog(zed)
    await expectInvalid(ada.events.list({ after: 'nonsense' }), 'after')
    await expectInvalid(ada.events.list({ after: away }), 'after')
    await expectInvalid(ada.events.list({ types: ['post.eaten' as EventType] }), 'types[0]')
    for (const limit of [0, 51]) await expectInvalid(ada.events.list({ limit }), 'limit')
    for (const wait of [-1, 31]) await expectInvalid(ada.events.list({ wait }), 'wait')
    for (const query of ['wait=soon', 'since=1', 'limit=1.5'])
      expect((await raw(ada, `/v2/events?${query}`)).status).toBe(422)
    expect((await raw(undefined, '/v2/events?wait=5')).status).toBe(401)
  })

  test('requires the read scope', async () => {
    const { as, raw } = await world()
    await expect(as('parley_unknown').events.list({ wait: 1 })).rejects.toMatchObject({ code: 'unauthenticated' })
    const headers = { Accept: 'text/event-stream', Authorization: 'Bearer parley_unknown' }
    expect((await raw(undefined, '/v2/events', { headers })).status).toBe(401)
  })

  test('has no ETag, and is not cached', async () => {
    const { ada, raw } = await world()
    const response = await raw(ada, '/v2/events')
    expect([response.headers.get('etag'), response.headers.get('cache-control')]).toEqual([null, 'no-store'])
    await response.body?.cancel()
  })

  test('advances over events that are not visible', async () => {
    const cast = await world()
    const { root, gus, server, workspaceKey } = cast
    const hidden = 12_000
    await server.parley.engine.write(async (db) => {
      const { revision } = await db
        .updateTable('workspaces')
        .set((eb) => ({ revision: eb('revision', '+', hidden), nonce: 7 }))
        .where('key', '=', workspaceKey)
        .returning('revision')
        .executeTakeFirstOrThrow()
      for (let at = revision - hidden + 1; at <= revision; at++)
        await db
          .insertInto('events')
          .values({
            ...{ workspace_key: workspaceKey, revision: at, type: 'workspace.created', actor_key: 0, data: '{}' },
            ...{ channel_key: 0, thread_key: 0, created_at: Date.now(), nonce: 7, subject_id: '', is_redacted: false },
            ...{ recipients: '', named: '', named_groups: '' },
          })
          .execute()
    })
    const first = await gus.events.list()
    expect([first.data, first.has_more]).toEqual([[], true])
    const second = await gus.events.list({ after: first.next_cursor })
    expect([second.data, second.has_more, second.next_cursor]).toEqual([[], false, await endOfLog(root)])
    // There is more to look at, so there is nothing to wait for.
    const { answer, took } = await timed(gus.events.list({ wait: WAIT }))
    expect(answer).toEqual(first)
    expect(took).toBeLessThan(SOON_MS)
  })
})

describe('a page with `wait`', () => {
  test('returns at once if there are events', async () => {
    const cast = await world()
    const after = await endOfLog(cast.ada)
    await post(cast.ada, cast)
    const { answer, took } = await timed(cast.ada.events.list({ after, wait: WAIT }))
    expect(types(answer)).toEqual(['post.created'])
    expect(took).toBeLessThan(SOON_MS)
  })

  test('returns as soon as there is an event', async () => {
    const cast = await world()
    const waiting = timed(cast.ada.events.list({ after: await endOfLog(cast.ada), wait: WAIT }))
    await Bun.sleep(200)
    await post(cast.bob, cast)
    const { answer, took } = await waiting
    expect(types(answer)).toEqual(['post.created'])
    expect(took).toBeLessThan(SOON_MS)
  })

  test('returns an empty page after the time, and not before', async () => {
    const { ada } = await world()
    const after = await endOfLog(ada)
    const { answer, took } = await timed(ada.events.list({ after, wait: 1 }))
    expect(answer).toEqual({ data: [], next_cursor: after, has_more: false })
    expect(took).toBeGreaterThan(950)
    expect(took).toBeLessThan(SOON_MS)
  })

  test('is not ended by events that are not visible or not wanted', async () => {
    const cast = await world()
    const { root, ada } = cast
    const after = await endOfLog(ada)
    // Long enough for both writes.
    const waiting = timed(ada.events.list({ after, wait: 5, types: ['post.resolved'] }))
    await root.channels.create({ name: 'secret', private: true })
    await post(root, cast)
    const { answer, took } = await waiting
    expect([answer.data, answer.next_cursor]).toEqual([[], await endOfLog(root)])
    expect(took).toBeGreaterThan(4_950)
  })

  test('counts as one request', async () => {
    const server = await startTestServer({ RATE_LIMIT: '2' })
    endings.push(() => server.stop())
    const cast = await world(server)
    const { ada, tokenFor } = cast
    const reader = await tokenFor(ada.id, ['read'])
    const after = (await cast.root.events.list({ limit: 1, types: ['channel.deleted'] })).next_cursor
    const waiting = reader.events.list({ after, wait: 2, types: ['channel.deleted'] })
    for (let turn = 0; turn < 20; turn++) {
      const { parley } = server
      parley.changes.notify(cast.workspaceKey)
      await Bun.sleep(20)
    }
    expect((await waiting).data).toEqual([])
  })

  test('ends with 401 if the token is revoked', async () => {
    const cast = await world()
    const { id, token } = await cast.ada.tokens.createMine({ scopes: ['read'] })
    const reader = cast.as(token)
    const waiting = timed(reader.events.list({ after: await endOfLog(cast.ada), wait: WAIT }).catch((error) => error))
    await Bun.sleep(100)
    await cast.ada.tokens.delete({ id })
    const { answer, took } = await waiting
    expect(answer).toMatchObject({ code: 'unauthenticated' })
    expect(took).toBeLessThan(SOON_MS)
  })

  test('ends when the client disconnects', async () => {
    const { ada, baseUrl, server } = await world()
    const answered = async () => (await (await fetch(`${baseUrl}/metrics`)).text()).match(ANSWERED)?.[1]
    const after = await endOfLog(ada)
    const before = await answered()
    const gone = new AbortController()
    const { waiting } = await beginToWait(server, () =>
      ada.events.list({ after, wait: WAIT }, { signal: gone.signal }).catch((error) => error.name),
    )
    expect(await answered()).toBe(before)
    gone.abort()
    expect(await waiting).toBe('AbortError')
    await waitUntil(async () => (await answered()) !== before)
  })

  test('does not delay the stop of the server', async () => {
    const server = await startTestServer()
    const cast = await world(server)
    const after = await endOfLog(cast.ada)
    const { waiting } = await beginToWait(server, () => cast.ada.events.list({ after, wait: WAIT }))
    const { took } = await timed(server.stop())
    // After 10 s it would stop in any case.
    expect(took).toBeLessThan(9_000)
    expect(await waiting).toEqual({ data: [], next_cursor: after, has_more: false })
  })

  test('returns as soon as another process makes a change', async () => {
    const here = await startTestServer()
    const there = await startTestServer({ DATABASE_URL: here.config.databaseUrl })
    endings.push(
      () => here.stop(),
      () => there.stop(),
    )
    const cast = await world(here)
    const after = await endOfLog(cast.ada)
    const elsewhere = createClient({ baseUrl: there.url, token: cast.ada.token })
    const waiting = timed(elsewhere.events.list({ after, wait: WAIT }))
    await Bun.sleep(300)
    await post(cast.ada, cast)
    const { answer, took } = await waiting
    expect(types(answer)).toEqual(['post.created'])
    expect(took).toBeLessThan(SOON_MS)
  })
})
