import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { fillInboxes } from '../../src/jobs/inbox'
import type { Running } from '../../src/server'
import { listLaggingInboxes } from '../../src/store/attention/inbox-events'
import { listEvents } from '../../src/store/log/events'
import { newMigratedDatabase, startTestServer } from '../server'
import { type World, world } from '../world'
import { publish } from './entries'
import { addFollowers } from './followers'

const FOLLOWERS = 1_000

let url: string
let node: Running
let other: Running

beforeAll(async () => {
  url = (await newMigratedDatabase()).url
  node = await startTestServer({ DATABASE_URL: url })
  other = await startTestServer({ DATABASE_URL: url })
})
afterAll(async () => {
  await Promise.all([node.stop(), other.stop()])
})

/** The keys of members who follow the channel of a world. */
const addFollowersTo = async ({ server, general }: World): Promise<number[]> =>
  (await server.parley.engine.write((db) => addFollowers(db, general.id, FOLLOWERS))).map(({ key }) => key)

/** The recipients of each `inbox.updated` that a job has announced, in order. */
async function announced({ server, workspaceKey }: World): Promise<number[][]> {
  const log = await server.parley.engine.read((db) => listEvents(db, workspaceKey, 0, 100_000))
  const rows = log.filter(({ type, actor_key }) => type === 'inbox.updated' && actor_key === 0)
  return rows.map(({ recipients }) => recipients.split(',').filter(Boolean).map(Number))
}

/** Expects each of these members to have been told of each of the posts exactly once. */
async function expectOnce(cast: World, keys: readonly number[], posts: number) {
  const batches = await announced(cast)
  expect(Math.max(...batches.map((batch) => batch.length))).toBeLessThanOrEqual(200)
  const times = new Map<number, number>()
  for (const key of batches.flat()) times.set(key, (times.get(key) ?? 0) + 1)
  expect([...times].sort(([a], [b]) => a - b)).toEqual(keys.map((key) => [key, posts]))
  const [entries] = await cast.server.parley.engine.read((db) =>
    db
      .selectFrom('inbox_entries')
      .where('workspace_key', '=', cast.workspaceKey)
      .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.count<number>('id').distinct().as('ids')])
      .execute(),
  )
  expect([Number(entries!.count), Number(entries!.ids)]).toEqual([posts * keys.length, posts * keys.length])
}

describe('many recipients', () => {
  test('are told in batches, each once, by two nodes at the same time', async () => {
    const cast = await world(node)
    const keys = await addFollowersTo(cast)
    for (let number = 0; number < 3; number++) await publish(cast.ada, cast.general, 'Lunch')
    // Both try every step at once.
    const steps = async () => {
      for (let hasMore = true; hasMore; ) {
        const lagging = await node.parley.engine.read(listLaggingInboxes)
        const own = lagging.find(({ workspace_key }) => workspace_key === cast.workspaceKey)
        if (!own) return
        const more = await Promise.all([fillInboxes(node.parley, own), fillInboxes(other.parley, own)])
        hasMore = more.some((filled) => filled.hasMore)
      }
    }
    await Promise.all([steps(), cast.fillInboxes(), other.inboxFiller()!.tick()])
    await expectOnce(cast, keys, 3)
  })

  test('are told of the rest after a restart between two batches', async () => {
    const first = await startTestServer({ DATABASE_URL: url })
    const cast = await world(first)
    const keys = await addFollowersTo(cast)
    await Promise.all([node.inboxFiller()!.close(), other.inboxFiller()!.close(), first.inboxFiller()!.close()])
    await publish(cast.ada, cast.general, 'Lunch')
    const lagging = await first.parley.engine.read(listLaggingInboxes)
    const own = lagging.find(({ workspace_key }) => workspace_key === cast.workspaceKey)!
    expect(await fillInboxes(first.parley, own)).toEqual({ hasMore: true, hasEntries: true })
    expect(await announced(cast)).toEqual([keys.slice(0, 200)])
    await first.stop()

    const next = await startTestServer({ DATABASE_URL: url })
    await next.inboxFiller()!.tick()
    await expectOnce({ ...cast, server: next }, keys, 1)
    await next.stop()
  })
})
