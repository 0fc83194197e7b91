import { afterEach, describe, expect, test } from 'bun:test'
import { cleanUp } from '../../src/jobs/clean-up'
import { RETRIES_MS } from '../../src/jobs/webhooks/dispatcher'
import { findLogGaps } from '../../src/store/checks/consistency'
import type { ApiError } from '../client'
import { time } from '../server'
import { type Person, type World, world } from '../world'
import { allEvents, endOfLog } from './log'

const DAY = 24 * 60 * 60 * 1000
const RETENTION_DAYS = 30

afterEach(() => {
  time.unfreeze()
  time.offset = 0
})

/** Time stands still but for what is said. */
async function frozenWorld() {
  const cast = await world()
  time.freeze()
  return cast
}

const forget = ({ server }: World) => cleanUp(server.parley, RETENTION_DAYS)

const post = (who: Person, { general }: World) =>
  who.posts.create({ channel_id: general.id, content_markdown: `At ${time.now()}` })

/** One post on each of so many days. */
async function dailyPosts(cast: World, days: number): Promise<string[]> {
  const ids: string[] = []
  for (let day = 0; day < days; day++) {
    await post(cast.ada, cast)
    ids.push(await endOfLog(cast.ada))
    time.advance(DAY)
  }
  return ids
}

const goneSince = (call: Promise<unknown>): Promise<ApiError> =>
  call.then(
    () => Promise.reject(new Error('It was answered.')),
    (error) => error,
  )

describe('old events are deleted', () => {
  test('exactly the events before the retention time', async () => {
    const cast = await frozenWorld()
    const ids = await dailyPosts(cast, 4)
    time.advance((RETENTION_DAYS - 2) * DAY)
    await forget(cast)
    expect((await allEvents(cast.ada)).map(({ id }) => id)).toEqual(ids.slice(2))
    await forget(cast)
    expect((await allEvents(cast.ada)).map(({ id }) => id)).toEqual(ids.slice(2))
  })

  test('and a cursor to one of them is 410, with the event to continue after', async () => {
    const cast = await frozenWorld()
    const ids = await dailyPosts(cast, 4)
    time.advance((RETENTION_DAYS - 2) * DAY)
    await forget(cast)

    const error = await goneSince(cast.ada.events.list({ after: ids[0]! }))
    expect([error.status, error.code]).toEqual([410, 'event_gone'])
    expect([error.resumeAfter, error.detail.includes(ids[3]!)]).toEqual([ids[3]!, true])
    const headers = { Accept: 'text/event-stream', 'Last-Event-ID': ids[0]! }
    const response = await cast.raw(cast.ada, '/v2/events', { headers })
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([410, 'event_gone'])
    // Nothing lies between the last that was forgotten and the first that is kept.
    expect((await cast.ada.events.list({ after: ids[1]! })).data.map(({ id }) => id)).toEqual(ids.slice(2))
  })

  test('and a webhook cannot be replayed from one of them', async () => {
    const cast = await frozenWorld()
    const ids = await dailyPosts(cast, 2)
    const { id } = await cast.root.webhooks.create({ url: 'http://127.0.0.1:9/' })
    time.advance(RETENTION_DAYS * DAY)
    await forget(cast)
    expect(await goneSince(cast.root.webhooks.replay({ id, after: ids[0]! }))).toMatchObject({ code: 'event_gone' })
  })

  test('and a workspace without events continues its revisions', async () => {
    const cast = await frozenWorld()
    await post(cast.ada, cast)
    const end = await endOfLog(cast.ada)
    time.advance(2 * RETENTION_DAYS * DAY)
    await forget(cast)
    const page = await cast.ada.events.list()
    expect(page).toEqual({ data: [], next_cursor: end, has_more: false })
    const gaps = await cast.server.parley.engine.read((db) => findLogGaps(db))
    expect(gaps.filter((gap) => gap.includes(cast.slug))).toEqual([])
    await post(cast.ada, cast)
    const news = await cast.ada.events.list({ after: end })
    expect(news.data.map(({ type }) => type)).toEqual(['post.created'])
    expect(news.data[0]!.id > end).toBe(true)
  })

  test('in several batches if there are many', async () => {
    const cast = await frozenWorld()
    const { engine } = cast.server.parley
    const many = 2_500
    await Promise.all(Array.from({ length: many }, () => post(cast.ada, cast)))
    time.advance(RETENTION_DAYS * DAY + 1)
    await post(cast.ada, cast)
    await forget(cast)
    const left = await engine.read((db) =>
      db.selectFrom('events').where('workspace_key', '=', cast.workspaceKey).select('type').execute(),
    )
    expect(left).toEqual([{ type: 'post.created' }])
  })

  test('and so are finished deliveries, with correct counts', async () => {
    const cast = await frozenWorld()
    const { root } = cast
    const { id } = await root.webhooks.create({ url: 'http://127.0.0.1:9/', types: ['post.deleted'] })
    const dispatcher = cast.server.dispatcher()!
    const old = await root.webhooks.ping({ id })
    for (const wait of [...RETRIES_MS, 0]) {
      await dispatcher.tick()
      await dispatcher.settled()
      time.advance(1.1 * wait)
    }
    expect((await root.webhooks.delivery({ id: old.id })).status).toBe('failed')
    time.advance(RETENTION_DAYS * DAY)
    const young = await root.webhooks.ping({ id })
    await forget(cast)
    const left = await root.webhooks.deliveries({ id })
    expect([left.total_count, left.data.map((each) => each.id)]).toEqual([1, [young.id]])
    expect((await root.webhooks.deliveries({ id, status: 'failed' })).total_count).toBe(0)
  })
})
