import { afterAll, describe, expect, test } from 'bun:test'
import { eventId, type Position, positionOf } from '../../src/domain/events/positions'
import { type ApiError, createClient } from '../client'
import { waitUntil } from '../expectations'
import { startTestServer } from '../server'
import { type Person, type World, world } from '../world'
import { allEvents, endOfLog } from './log'

const post = (who: Person, { general }: World, content_markdown: string) =>
  who.posts.create({ channel_id: general.id, content_markdown })

const positionNow = async (cast: World): Promise<Position> => {
  const { workspace_id } = (await allEvents(cast.root))[0]!
  return positionOf(workspace_id, await endOfLog(cast.root))!
}

/** What restoring an older backup does to a workspace, seen from a server that keeps running: what came later never was. */
async function rewind({ server: { parley }, workspaceKey }: World, { revision, nonce }: Position) {
  await parley.engine.write(async (db) => {
    await db.updateTable('workspaces').set({ revision, nonce }).where('key', '=', workspaceKey).execute()
    const later = await db
      .deleteFrom('events')
      .where('workspace_key', '=', workspaceKey)
      .where('revision', '>', revision)
      .returning('data')
      .execute()
    const ids = later.map(({ data }) => (JSON.parse(data) as { id: string }).id)
    await db.deleteFrom('posts').where('workspace_key', '=', workspaceKey).where('id', 'in', ids).execute()
  })
}

/** Rewinding leaves counters behind, which other tests count. */
const server = await startTestServer()
afterAll(() => server.stop())

/** A workspace in which a consumer has read an event that another history has since taken the place of. */
async function restored() {
  const cast = await world(server)
  await post(cast.ada, cast, 'Before')
  const backup = await positionNow(cast)
  await post(cast.ada, cast, 'Lost one')
  await post(cast.ada, cast, 'Lost two')
  const cursor = await endOfLog(cast.ada)
  return { ...cast, cursor, restore: () => rewind(cast, backup) }
}

const refusalOf = (call: Promise<unknown>): Promise<ApiError> =>
  call.then(
    () => Promise.reject(new Error('It was answered.')),
    (error) => error,
  )

describe('after an older backup is restored', () => {
  test('a cursor after the end of the log is 410, with the event to continue after', async () => {
    const cast = await restored()
    await cast.restore()
    const error = await refusalOf(cast.ada.events.list({ after: cast.cursor }))
    expect([error.status, error.code, error.resumeAfter]).toEqual([410, 'history_changed', await endOfLog(cast.ada)])
    await post(cast.ada, cast, 'New')
    const { data } = await cast.ada.events.list({ after: error.resumeAfter })
    expect(data.map(({ type }) => type)).toEqual(['post.created'])
  })

  test('a cursor whose revision was issued again is 410', async () => {
    const cast = await restored()
    await cast.restore()
    for (const text of ['New one', 'New two', 'New three']) await post(cast.ada, cast, text)
    const error = await refusalOf(cast.ada.events.list({ after: cast.cursor }))
    expect([error.code, error.resumeAfter]).toEqual(['history_changed', await endOfLog(cast.ada)])
    const headers = { Accept: 'text/event-stream', 'Last-Event-ID': cast.cursor }
    expect((await cast.raw(cast.ada, '/v2/events', { headers })).status).toBe(410)
    const hook = await cast.root.webhooks.create({ url: 'http://127.0.0.1:9/' })
    const replay = await refusalOf(cast.root.webhooks.replay({ id: hook.id, after: cast.cursor }))
    expect([replay.code, replay.resumeAfter]).toEqual(['history_changed', undefined])
  })

  test('a cursor from before the backup stays valid', async () => {
    const cast = await restored()
    const [before] = (await cast.ada.events.list({ types: ['post.created'] })).data
    await cast.restore()
    await post(cast.ada, cast, 'New')
    const { data } = await cast.ada.events.list({ after: before!.id })
    expect(data.map(({ type }) => type)).toEqual(['post.created'])
  })

  test('no id is issued twice', async () => {
    const cast = await restored()
    const before = await allEvents(cast.root)
    await cast.restore()
    for (const text of ['New one', 'New two']) await post(cast.ada, cast, text)
    const after = (await allEvents(cast.root)).map(({ id }) => id)
    expect(after).toHaveLength(before.length)
    expect(before.slice(-2).filter(({ id }) => after.includes(id))).toEqual([])
  })

  test('an ETag of lost content does not match', async () => {
    const cast = await restored()
    const ask = (etag?: string) =>
      cast.raw(cast.ada, '/v2/posts', { headers: etag ? { 'If-None-Match': etag } : undefined })
    // Twice, so that it is remembered.
    await ask()
    const etag = (await ask()).headers.get('etag')!
    expect((await ask(etag)).status).toBe(304)
    await cast.restore()
    for (const text of ['New one', 'New two']) await post(cast.ada, cast, text)
    const answer = await ask(etag)
    expect(answer.status).toBe(200)
    const { data } = (await answer.json()) as { data: { title: string }[] }
    expect(data.map(({ title }) => title)).toEqual(['New two', 'New one', 'Before'])
  })

  test('records and members that were cached before a restore are not used after it', async () => {
    const cast = await restored()
    const { ada } = cast
    const lost = (await ada.posts.list()).data[0]!
    await ada.posts.get({ id: lost.id })
    for (let turn = 0; turn < 3; turn++) await ada.members.list({ q: 'ada' })
    await cast.restore()
    for (const text of ['New one', 'New two']) await post(ada, cast, text)
    await expect(ada.posts.get({ id: lost.id })).rejects.toMatchObject({ code: 'not_found' })
    expect((await ada.members.list({ q: 'ada' })).data.map(({ id }) => id)).toEqual([ada.id])
  })

  test('an open stream gets an error, and continues with new events', async () => {
    const cast = await restored()
    const ending = new AbortController()
    const titles: string[] = []
    let resets = 0
    const onReset = () => {
      resets += 1
    }
    const client = createClient({ baseUrl: cast.baseUrl, token: cast.ada.token })
    const stream = client.events.stream({ after: cast.cursor, onReset }, { signal: ending.signal })
    const done = (async () => {
      for await (const { data } of stream) titles.push((data as { title: string }).title)
    })()
    await post(cast.ada, cast, 'Seen')
    await waitUntil(async () => titles.includes('Seen'))
    await cast.restore()
    await post(cast.ada, cast, 'Lost to the stream')
    await waitUntil(async () => resets === 1)
    await waitUntil(async () => {
      await post(cast.ada, cast, 'After')
      return titles.includes('After')
    })
    expect([titles.includes('Before'), titles.includes('Lost one'), resets]).toEqual([false, false, 1])
    ending.abort()
    await done
  })

  test('a stream without a way to start over throws', async () => {
    const cast = await restored()
    await cast.restore()
    const next = cast.ada.events.stream({ after: cast.cursor }).next()
    await expect(next).rejects.toMatchObject({ code: 'history_changed' })
  })
})

test('an event id from before nonces still means the same event', async () => {
  const cast = await world(server)
  const { workspace_id } = (await allEvents(cast.root))[0]!
  const { revision } = await positionNow(cast)
  await cast.server.parley.engine.write((db) =>
    db.updateTable('events').set({ nonce: 0 }).where('workspace_key', '=', cast.workspaceKey).execute(),
  )
  await post(cast.ada, cast, 'New')
  const old = eventId(workspace_id, { revision, nonce: 0 })
  expect(old).toHaveLength('evt_'.length + 26)
  expect((await cast.ada.events.list({ after: old })).data.map(({ type }) => type)).toEqual(['post.created'])
})
