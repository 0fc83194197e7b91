import { describe, expect, test } from 'bun:test'
import { type Person, type World, world } from '../world'
import { json, problem } from './wire'

const KEY = { 'Idempotency-Key': 'k' }

/** The same request again, with the same key. */
const twice = (cast: World, who: Person, path: string, body: object) => ({
  first: () => cast.raw(who, path, json(body, KEY)),
  again: () => cast.raw(who, path, json(body, KEY)),
})

describe('a stored response', () => {
  test('is not replayed to someone who has left the private channel', async () => {
    const cast = await world()
    const { root, ada } = cast
    const { id: channel_id } = await root.channels.create({ name: 'secret', private: true })
    await root.channels.addMember({ channel_id, member_id: ada.id })
    const { first, again } = twice(cast, ada, '/v2/posts', { channel_id, content_markdown: 'Plans' })
    expect((await first()).status).toBe(201)
    await root.channels.removeMember({ channel_id, member_id: ada.id })
    await problem(await again(), 'not_found')
    await root.channels.addMember({ channel_id, member_id: ada.id })
    const replayed = await again()
    expect([replayed.status, replayed.headers.get('idempotency-replayed')]).toEqual([201, 'true'])
  })

  test('is not replayed once the channel is archived', async () => {
    const cast = await world()
    const { root, ada, general } = cast
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Lunch?' })
    const { first, again } = twice(cast, ada, `/v2/posts/${post.id}/comments`, { content_markdown: 'Noon' })
    expect((await first()).status).toBe(201)
    await root.channels.delete({ id: general.id })
    await problem(await again(), 'not_found')
  })

  test('is not replayed to someone who may no longer write', async () => {
    const cast = await world()
    const { root, ada, general } = cast
    const { first, again } = twice(cast, ada, '/v2/posts', { channel_id: general.id, content_markdown: 'Hi' })
    expect((await first()).status).toBe(201)
    await root.members.update({ id: ada.id, role: 'viewer' })
    await problem(await again(), 'forbidden')
  })

  test('is not replayed to an admin who has become a guest', async () => {
    const cast = await world()
    const { root, ada } = cast
    await root.members.update({ id: ada.id, role: 'admin' })
    const eve = { email: 'eve@example.com', display_name: 'Eve', role: 'member' }
    const { first, again } = twice(cast, ada, '/v2/members', eve)
    expect((await first()).status).toBe(201)
    await root.members.update({ id: ada.id, role: 'guest' })
    await problem(await again(), 'forbidden')
  })

  test('is not replayed after its record was deleted', async () => {
    const cast = await world()
    const { ada, general } = cast
    const { first, again } = twice(cast, ada, '/v2/posts', { channel_id: general.id, content_markdown: 'Oops' })
    const { id } = (await (await first()).json()) as { id: string }
    await ada.posts.delete({ id })
    await problem(await again(), 'not_found')
    expect(await cast.events()).toEqual(['post.created', 'post.deleted'])
  })
})
