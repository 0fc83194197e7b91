import { afterEach, describe, expect, test } from 'bun:test'
import { startTestServer, time } from '../server'
import { world } from '../world'
import { find } from './found'

afterEach(() => time.unfreeze())

const iso = (at: number) => new Date(at).toISOString()

/** Two channels with a post and a comment each, and two threads with a message each; all say zebra. */
async function zebras() {
  const cast = await world()
  const { root, ada, bob, general } = cast
  const plans = await root.channels.create({ name: 'plans' })
  const newPost = async (channel_id: string) =>
    (await ada.posts.create({ channel_id, title: 'Zebra', content_markdown: 'A zebra' })).id
  const newComment = async (post_id: string) =>
    (await bob.comments.create({ post_id, content_markdown: 'That zebra' })).id
  const [first, second] = [await newPost(general.id), await newPost(plans.id)]
  const [onFirst, onSecond] = [await newComment(first), await newComment(second)]
  const toBob = await ada.messages.createDirect({ member_id: bob.id, content_markdown: 'My zebra' })
  const toRoot = await ada.messages.createDirect({ member_id: root.id, content_markdown: 'Your zebra' })
  return { ...cast, plans, first, second, onFirst, onSecond, toBob, toRoot }
}

describe('a search can be narrowed down', () => {
  test('by types', async () => {
    const { ada, raw, first, second, onFirst, onSecond, toBob, toRoot } = await zebras()
    expect(await find(ada, { q: 'zebra', types: ['post'] })).toEqual([second, first])
    expect(await find(ada, { q: 'zebra', types: ['comment'] })).toEqual([onSecond, onFirst])
    expect(await find(ada, { types: ['message'] })).toEqual([toRoot.id, toBob.id])
    expect(await find(ada, { types: ['post', 'comment'] })).toEqual([onSecond, onFirst, second, first])
    expect(await find(ada, { q: 'is:post', types: ['comment'] })).toEqual([])
    expect(await find(ada, { q: 'is:comment zebra', types: ['comment', 'post'] })).toEqual([onSecond, onFirst])
    const answer = (await (await raw(ada, '/v2/search?types=post,message')).json()) as { total_count: number }
    expect(answer.total_count).toBe(4)
  })

  test('to a channel', async () => {
    const { ada, general, plans, first, second, onFirst, onSecond } = await zebras()
    expect(await find(ada, { q: 'zebra', channel_id: general.id })).toEqual([first, onFirst])
    expect(await find(ada, { channel_id: plans.id, types: ['post'] })).toEqual([second])
    expect(await find(ada, { channel_id: plans.id, types: ['message'] })).toEqual([])
    expect(await find(ada, { q: 'in:general', channel_id: plans.id })).toEqual([])
    expect(await find(ada, { q: 'in:plans in:general', channel_id: plans.id })).toEqual([onSecond, second])
    expect(await find(ada, { q: '-in:plans', channel_id: plans.id })).toEqual([])
  })

  test('to a thread', async () => {
    const { ada, bob, general, toBob } = await zebras()
    for (const who of [ada, bob]) {
      expect(await find(who, { q: 'zebra', thread_id: toBob.thread_id })).toEqual([toBob.id])
      expect(await find(who, { thread_id: toBob.thread_id })).toEqual([toBob.id])
    }
    expect(await find(ada, { thread_id: toBob.thread_id, types: ['post'] })).toEqual([])
    expect(await find(ada, { thread_id: toBob.thread_id, channel_id: general.id })).toEqual([])
  })

  test('to an author', async () => {
    const { ada, bob, vic, bot, first, second, onFirst, onSecond, toBob } = await zebras()
    expect(await find(bob, { q: 'zebra', author_id: ada.id })).toEqual([second, first, toBob.id])
    expect(await find(ada, { author_id: bob.id })).toEqual([onSecond, onFirst])
    expect(await find(ada, { author_id: bot.id })).toEqual([])
    expect(await find(vic, { author_id: ada.id })).toEqual([second, first])
    expect(await find(ada, { q: 'from:ada', author_id: bob.id })).toEqual([])
    expect(await find(ada, { q: '-from:bob', author_id: bob.id })).toEqual([])
  })

  test('to resolved or open posts', async () => {
    const { ada, general, first, second, onFirst, onSecond } = await zebras()
    await ada.posts.resolve({ post_id: first })
    expect(await find(ada, { q: 'zebra', resolved: true })).toEqual([first, onFirst])
    expect(await find(ada, { resolved: false })).toEqual([onSecond, second])
    expect(await find(ada, { resolved: false, channel_id: general.id })).toEqual([])
    expect(await find(ada, { resolved: true, types: ['comment'] })).toEqual([onFirst])
    expect(await find(ada, { q: 'is:open', resolved: true })).toEqual([])
    expect(await find(ada, { q: 'is:resolved', resolved: true })).toEqual([onFirst, first])
  })

  test('by time, also if a clock was set back', async () => {
    const { ada, general } = await world()
    const newPost = async () => (await ada.posts.create({ channel_id: general.id, content_markdown: 'Zebra' })).id
    time.freeze()
    const begin = new Date(time.now()).toISOString()
    time.advance(5_000)
    const first = await newPost()
    time.advance(-4_000)
    const second = await newPost()
    time.advance(10_000)
    const end = new Date(time.now()).toISOString()

    expect(await find(ada, { q: 'zebra', created_after: begin })).toEqual([second, first])
    expect(await find(ada, { q: 'zebra', created_before: end })).toEqual([second, first])
  })

  test('by time, whatever the clock was when it was written', async () => {
    // Other files turn the clock of the shared server.
    const server = await startTestServer()
    const { ada, general } = await world(server)
    const newPost = async () => (await ada.posts.create({ channel_id: general.id, content_markdown: 'Zebra' })).id
    time.freeze()
    const now = time.now()
    const days = (count: number) => count * 24 * 60 * 60 * 1000
    const writtenAt = async (at: number) => {
      time.advance(at - time.now())
      return newPost()
    }
    // Many more than one on both sides, so that looking for a time in the middle of them meets all of these.
    const ids: string[] = []
    const times: number[] = []
    for (const at of [-60, -50, -40, 0, -30, 0.1, 0.2, 90, 0.3, 0.4, -45, 0.5, 0.6]) {
      times.push(now + days(at))
      ids.push(await writtenAt(now + days(at)))
    }
    const between = (after: number, before: number) =>
      ids.filter((_, at) => times[at]! >= after && times[at]! < before).reverse()
    for (const after of [-100, -45, -30, -10, 0.35, 90])
      for (const before of [-44, -30, -10, 0.35, 91]) {
        const period = { created_after: iso(now + days(after)), created_before: iso(now + days(before)) }
        const expected = between(now + days(after), now + days(before))
        expect(await find(ada, { q: 'zebra', ...period })).toEqual(expected)
      }
    expect(await find(ada, { q: 'zebra', created_before: iso(now - days(20)) })).toEqual(between(0, now - days(20)))
    expect(await find(ada, { q: 'zebra', created_after: iso(now + days(20)) })).toEqual([ids[7]!])
    expect(
      await find(ada, `zebra after:${iso(now - days(31)).slice(0, 10)} before:${iso(now - days(29)).slice(0, 10)}`),
    ).toEqual([ids[4]!])
    await server.stop()
  }, 60_000)

  test('by all of it at once', async () => {
    const { ada, bob, general, onFirst } = await zebras()
    const { created_at } = await ada.comments.get({ id: onFirst })
    const all = { types: ['comment' as const], channel_id: general.id, author_id: bob.id, resolved: false }
    const until = new Date(Date.parse(created_at) + 1).toISOString()
    expect(await find(ada, { q: 'zebra', ...all, created_after: created_at, created_before: until })).toEqual([onFirst])
    expect(await find(ada, { q: 'zebra', ...all, created_before: created_at })).toEqual([])
    expect(await find(ada, { q: 'horse', ...all })).toEqual([])
  })
})
