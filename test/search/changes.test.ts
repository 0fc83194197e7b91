import { describe, expect, test } from 'bun:test'
import { world } from '../world'
import { find } from './found'

describe('a search finds records as they are now', () => {
  test('an edited post is found by its new words, and no longer by the old ones', async () => {
    const { ada, general } = await world()
    const { id } = await ada.posts.create({ channel_id: general.id, title: 'Horse', content_markdown: 'A zebra' })
    await ada.posts.update({ id, content_markdown: 'A giraffe' })
    expect(await find(ada, 'zebra')).toEqual([])
    expect(await find(ada, 'giraffe')).toEqual([id])
    expect(await find(ada, 'title:horse')).toEqual([id])
    await ada.posts.update({ id, title: 'Donkey' })
    expect(await find(ada, 'horse')).toEqual([])
    expect(await find(ada, 'title:donkey giraffe')).toEqual([id])
  })

  test('a post whose title gets the word comes before posts that have it in the text', async () => {
    const { ada, general } = await world()
    const create = async (title: string) =>
      (await ada.posts.create({ channel_id: general.id, title, content_markdown: 'A zebra' })).id
    const [first, second] = [await create('One'), await create('Two')]
    expect(await find(ada, 'zebra')).toEqual([second, first])
    await ada.posts.update({ id: first, title: 'A zebra, and one more' })
    expect(await find(ada, 'zebra')).toEqual([first, second])
    await ada.posts.update({ id: first, title: 'One' })
    expect(await find(ada, 'zebra')).toEqual([second, first])
  })

  test('so are edited comments and messages', async () => {
    const { ada, bob, general } = await world()
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Hello' })
    const comment = await bob.comments.create({ post_id: post.id, content_markdown: 'A zebra' })
    const message = await bob.messages.createDirect({ member_id: ada.id, content_markdown: 'A zebra' })
    await bob.comments.update({ id: comment.id, content_markdown: 'A giraffe' })
    expect(await find(ada, 'zebra')).toEqual([message.id])
    await bob.messages.update({ id: message.id, content_markdown: 'A giraffe' })
    expect(await find(ada, 'zebra')).toEqual([])
    expect(await find(ada, 'giraffe')).toEqual([message.id, comment.id])
  })

  test('an edit does not change the order', async () => {
    const { ada, general } = await world()
    const create = async () => (await ada.posts.create({ channel_id: general.id, content_markdown: 'A zebra' })).id
    const [first, second] = [await create(), await create()]
    await ada.posts.update({ id: first, content_markdown: 'An older zebra' })
    expect(await find(ada, { q: 'zebra', sort: 'created_at' })).toEqual([second, first])
  })

  test('the note of a resolution is found until the post is opened again', async () => {
    const { ada, bob, general } = await world()
    const { id } = await ada.posts.create({ channel_id: general.id, title: 'Lunch', content_markdown: 'Where?' })
    await bob.posts.resolve({ post_id: id, content_markdown: 'At the **zebra** bar.' })
    const { data } = await ada.search.list({ q: 'lunch zebra' })
    expect(data).toMatchObject([
      {
        type: 'post',
        post: { id },
        excerpts: [
          { field: 'title', text: 'Lunch', highlights: [{ start: 0, end: 5 }] },
          { field: 'resolution', text: 'At the zebra bar.', highlights: [{ start: 7, end: 12 }] },
        ],
      },
    ])
    expect(await find(ada, '"where at"')).toEqual([])

    await bob.posts.resolve({ post_id: id, content_markdown: 'At home.' })
    expect(await find(ada, 'zebra')).toEqual([])
    expect(await find(ada, 'home')).toEqual([id])
    await bob.posts.unresolve({ post_id: id })
    expect(await find(ada, 'home')).toEqual([])
    expect(await find(ada, 'lunch')).toEqual([id])
  })

  test('a deleted post takes its comments along', async () => {
    const { ada, bob, general } = await world()
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'A zebra' })
    const comment = await bob.comments.create({ post_id: post.id, content_markdown: 'That zebra' })
    await bob.comments.create({ post_id: post.id, content_markdown: 'This zebra', parent_id: comment.id })
    const message = await ada.messages.createDirect({ member_id: bob.id, content_markdown: 'My zebra' })
    expect((await bob.search.list({ q: 'zebra' })).total_count).toBe(4)
    await ada.posts.delete({ id: post.id })
    expect(await find(bob, 'zebra')).toEqual([message.id])
    await ada.messages.delete({ id: message.id })
    expect(await find(bob, 'zebra')).toEqual([])
  })

  test('a deleted comment is not found, although it keeps its place while it has replies', async () => {
    const { ada, bob, general } = await world()
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Hello' })
    const comment = await bob.comments.create({ post_id: post.id, content_markdown: 'A zebra' })
    const reply = await ada.comments.create({
      post_id: post.id,
      content_markdown: 'That zebra',
      parent_id: comment.id,
    })
    await bob.comments.delete({ id: comment.id })
    expect((await ada.comments.get({ id: comment.id })).content).toBe('')
    expect(await find(ada, 'zebra')).toEqual([reply.id])
    expect(await find(ada, { types: ['comment'] })).toEqual([reply.id])
    expect(await find(ada, { author_id: bob.id })).toEqual([])
    await ada.comments.delete({ id: reply.id })
    expect(await find(ada, 'zebra')).toEqual([])
  })

  test('a renamed channel or person is found by the new name', async () => {
    const { root, ada, general } = await world()
    const { id } = await ada.posts.create({ channel_id: general.id, content_markdown: 'A zebra' })
    await root.channels.update({ id: general.id, name: 'Savanna' })
    await ada.me.update({ display_name: 'Countess' })
    expect(await find(ada, 'zebra in:savanna from:count')).toEqual([id])
  })

  test('a write that is refused is not found', async () => {
    const { ada, vic, general } = await world()
    await vic.posts.create({ channel_id: general.id, content_markdown: 'A zebra' }).catch(() => {})
    expect(await find(ada, 'zebra')).toEqual([])
  })
})
