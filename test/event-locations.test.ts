import { describe, expect, test } from 'bun:test'
import { world } from './world'

/** Visibility of an event depends on its channel or thread, so every event must record it. */
describe('the location of an event', () => {
  test('is the channel for what happens in a channel', async () => {
    const { root, ada, general, eventRows } = await world()
    const { id: post_id } = await ada.posts.create({ channel_id: general.id, content_markdown: 'Lunch?' })
    const { id } = await ada.comments.create({ post_id, content_markdown: 'Noon.' })
    await ada.comments.update({ id, content_markdown: 'One.' })
    await ada.posts.resolve({ post_id })
    await ada.posts.unresolve({ post_id })
    await ada.posts.update({ id: post_id, title: 'Dinner' })
    await ada.comments.delete({ id })
    await ada.posts.delete({ id: post_id })
    await root.channels.removeMember({ channel_id: general.id, member_id: ada.id })
    await root.channels.addMember({ channel_id: general.id, member_id: ada.id })
    await root.channels.update({ id: general.id, name: 'lobby' })
    await root.channels.delete({ id: general.id })

    const rows = await eventRows()
    expect(rows).toHaveLength(12)
    expect(new Set(rows.map(({ channel_key }) => channel_key)).size).toBe(1)
    expect(rows.filter(({ thread_key }) => thread_key !== 0)).toEqual([])
    expect(rows[0]!.channel_key).toBeGreaterThan(0)
  })

  test('is the thread for what happens in a thread', async () => {
    const { ada, bob, eventRows } = await world()
    const { id } = await ada.messages.createDirect({ member_id: bob.id, content_markdown: 'Hi' })
    await ada.messages.update({ id, content_markdown: 'Ho' })
    await ada.messages.delete({ id })

    const rows = await eventRows()
    expect(rows.map(({ type }) => type)).toEqual([
      'thread.created',
      'message.created',
      'message.updated',
      'message.deleted',
    ])
    expect(new Set(rows.map(({ thread_key }) => thread_key)).size).toBe(1)
    expect(rows[0]!.thread_key).toBeGreaterThan(0)
  })

  test('events are numbered without gaps, and stored in the shape of the API', async () => {
    const { ada, bob, general, eventRows } = await world()
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Lunch?' })
    await ada.posts.unresolve({ post_id: post.id })
    const message = await ada.messages.createDirect({ member_id: bob.id, content_markdown: 'Hi' })
    const rows = await eventRows()

    const first = rows[0]!.revision
    expect(rows.map(({ revision }) => revision - first)).toEqual([0, 1, 2])
    expect(JSON.parse(rows[0]!.data)).toEqual(post)
    expect(JSON.parse(rows[2]!.data)).toEqual(message)
  })
})
