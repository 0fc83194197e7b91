import { describe, expect, test } from 'bun:test'
import { author, expectInvalid, expectRefusals, expectRefused, idOf, timestamp } from './expectations'
import { time } from './server'
import { type Person, type World, world } from './world'

const lunch = (who: Person, { general }: World) =>
  who.posts.create({ channel_id: general.id, content_markdown: 'Lunch?' })

describe('posts.create', () => {
  test('publishes a post in a channel', async () => {
    const { ada, general, events } = await world()
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: '# Lunch\n\nAt *noon*?' })

    expect(post).toEqual({
      id: idOf('post'),
      title: 'Lunch',
      created_at: timestamp,
      last_activity_at: post.created_at,
      url: expect.stringMatching(new RegExp(`^http://.+/posts/${post.id}$`)),
      content: '<h1>Lunch</h1>\n<p>At <em>noon</em>?</p>',
      comments_count: 0,
      channel: { id: general.id, name: 'general' },
      author: author(ada, 'Ada Lovelace'),
      resolution: null,
    })
    expect(await ada.posts.get({ id: post.id })).toEqual(post)
    expect(await events()).toEqual(['post.created'])
  })

  test('an app can create a post, and is its author', async () => {
    const { bot, general } = await world()
    const post = await bot.posts.create({ channel_id: general.id, content_markdown: 'Built.' })
    expect(post.author).toEqual(author(bot, 'Bot', 'app'))
  })

  test('increments the count of its channel', async () => {
    const everyone = await world()
    await lunch(everyone.ada, everyone)
    expect(await everyone.ada.channels.get({ id: everyone.general.id })).toMatchObject({ posts_count: 1 })
  })

  test.each([
    ['Lunch\nat noon', undefined, 'Lunch'],
    ['\n\n  ## **Big** [news](https://example.com)\n', undefined, 'Big news'],
    ['Fish & "chips" < 5', undefined, 'Fish & "chips" < 5'],
    ['***', undefined, 'Untitled'],
    ['Lunch?', '  Food \n today ', 'Food today'],
    ['Lunch?', '  ', 'Lunch?'],
  ])('the title of %j, given %j, is %j', async (content_markdown, title, expected) => {
    const { ada, general } = await world()
    const post = await ada.posts.create({ channel_id: general.id, content_markdown, title })
    expect(post.title).toBe(expected)
  })

  test('needs a title or a text, but not both', async () => {
    const { ada, general, events } = await world()
    const channel_id = general.id
    for (const text of [{}, { content_markdown: '' }, { content_markdown: null }, { content_markdown: ' \n' }]) {
      const post = await ada.posts.create({ channel_id, title: 'Deployed', ...text })
      expect(post).toMatchObject({ title: 'Deployed', content: '' })
      expect(await ada.posts.get({ id: post.id })).toEqual(post)
    }
    expect(await ada.posts.create({ channel_id, title: null, content_markdown: 'Lunch?' })).toMatchObject({
      title: 'Lunch?',
      content: '<p>Lunch?</p>',
    })
    for (const nothing of [{}, { title: null }, { title: ' ', content_markdown: null }])
      await expectInvalid(ada.posts.create({ channel_id, ...nothing }), 'content_markdown')
    expect(await events()).toEqual(Array.from({ length: 5 }, () => 'post.created'))
  })

  test('a title has up to 300 characters', async () => {
    const { ada, general } = await world()
    const title = '🙂'.repeat(100) + 'x'.repeat(100)
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Hi', title })
    expect(post.title).toBe(title)
    expect((await ada.posts.update({ id: post.id, title: 'y'.repeat(300) })).title).toBe('y'.repeat(300))
  })

  test('a long first line is cut at a word', async () => {
    const { ada, general } = await world()
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'word '.repeat(60) })
    expect(post.title).toMatch(/^(word )+word…$/)
    expect(post.title.length).toBeLessThanOrEqual(120)
  })

  test('scripts are shown as text', async () => {
    const { ada, general } = await world()
    const content_markdown =
      '<img src="https://example.com/a.png" onerror="x()"> [a](javascript:x) <p onclick="x()">b</p>'
    const { content } = await ada.posts.create({ channel_id: general.id, content_markdown })
    expect(content).not.toMatch(/<img|javascript:|<p onclick/)
    expect(content).toContain('&lt;img src="https://example.com/a.png"')
  })

  test('requires write access', async () => {
    const everyone = await world()
    await expectRefusals(everyone, (who) => lunch(who as Person, everyone), {
      vic: 'forbidden',
      reader: 'insufficient_scope',
    })
  })

  test('an invisible channel is not found', async () => {
    const everyone = await world()
    const { root, ada, gus, zed, general } = everyone
    const secret = await root.channels.create({ name: 'secret', private: true })

    await expectInvalid(lunch(gus, everyone), 'channel_id')
    await expectInvalid(lunch(zed, everyone), 'channel_id')
    await expectInvalid(ada.posts.create({ channel_id: secret.id, content_markdown: 'Lunch?' }), 'channel_id')
    await expectInvalid(ada.posts.create({ channel_id: 'chan_nowhere', content_markdown: 'Lunch?' }), 'channel_id')
    await root.channels.delete({ id: general.id })
    await expectInvalid(lunch(ada, everyone), 'channel_id')
    expect(await everyone.events()).toEqual(['channel.created', 'channel.deleted'])
  })

  test('a guest can post in channels they were added to', async () => {
    const everyone = await world()
    await everyone.root.channels.addMember({ channel_id: everyone.general.id, member_id: everyone.gus.id })
    expect((await lunch(everyone.gus, everyone)).author.id).toBe(everyone.gus.id)
  })

  test('reports every invalid field', async () => {
    const { ada, general, events } = await world()
    await expectInvalid(ada.posts.create({ title: 'x'.repeat(301) } as never), 'channel_id', 'title')
    await expectInvalid(ada.posts.create({ channel_id: general.id, content_markdown: ' \n' }), 'content_markdown')
    await expectInvalid(
      ada.posts.create({ channel_id: general.id, content_markdown: 'x'.repeat(100_001) }),
      'content_markdown',
    )
    await expectInvalid(
      ada.posts.create({ channel_id: general.id, content_markdown: 'x', title: 'x'.repeat(301) }),
      'title',
    )
    await expectInvalid(
      ada.posts.create({ channel_id: general.id, content_markdown: 'x', pinned: true } as never),
      'pinned',
    )
    expect(await events()).toEqual([])
  })
})

describe('posts.get', () => {
  test('only members who can see the channel are allowed', async () => {
    const everyone = await world()
    const { id } = await lunch(everyone.ada, everyone)
    await expectRefusals(everyone, (who) => who.posts.get({ id }), { gus: 'not_found', zed: 'not_found' })
    expect((await everyone.vic.posts.get({ id })).id).toBe(id)
    await expectRefused(everyone.ada.posts.get({ id: 'post_nowhere' }), 'not_found')
  })

  test('returns the source as Markdown', async () => {
    const { ada, zed, general, raw } = await world()
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: '# Lunch\n\nAt *noon*?\n' })
    const response = await raw(ada, `/v2/posts/${post.id}`, { headers: { Accept: 'text/markdown' } })
    expect(response.headers.get('Content-Type')).toBe('text/markdown; charset=utf-8')
    expect(await response.text()).toBe('# Lunch\n\nAt *noon*?\n')
    expect((await raw(zed, `/v2/posts/${post.id}`, { headers: { Accept: 'text/markdown' } })).status).toBe(404)
  })
})

describe('posts.update', () => {
  test('changes the text or the title, and nothing else', async () => {
    const everyone = await world()
    const post = await lunch(everyone.ada, everyone)
    time.advance(1000)
    const reworded = await everyone.ada.posts.update({ id: post.id, content_markdown: 'Dinner?' })
    expect(reworded).toEqual({ ...post, content: '<p>Dinner?</p>' })
    const renamed = await everyone.ada.posts.update({ id: post.id, title: 'Food' })
    expect(renamed).toEqual({ ...reworded, title: 'Food' })
    expect(await everyone.ada.posts.get({ id: post.id })).toEqual(renamed)
    expect(await everyone.events()).toEqual(['post.created', 'post.updated', 'post.updated'])
  })

  test('an empty title is replaced by the first line', async () => {
    const { ada, general } = await world()
    const { id } = await ada.posts.create({ channel_id: general.id, content_markdown: 'Lunch?', title: 'Food' })
    expect(await ada.posts.update({ id, title: '' })).toMatchObject({ title: 'Lunch?' })
    expect(await ada.posts.update({ id, title: '', content_markdown: 'Dinner?' })).toMatchObject({ title: 'Dinner?' })
  })

  test('the text can be removed from a post with a title', async () => {
    const { ada, general } = await world()
    const { id } = await ada.posts.create({ channel_id: general.id, content_markdown: 'Lunch?', title: 'Food' })
    expect(await ada.posts.update({ id, content_markdown: null })).toMatchObject({ title: 'Food', content: '' })
    expect(await ada.posts.update({ id, title: 'Drinks' })).toMatchObject({ title: 'Drinks', content: '' })
  })

  test('does nothing if nothing changes', async () => {
    const everyone = await world()
    const post = await lunch(everyone.ada, everyone)
    expect(await everyone.ada.posts.update({ id: post.id })).toEqual(post)
    expect(await everyone.events()).toEqual(['post.created'])
  })

  test('only the author and admins are allowed', async () => {
    const everyone = await world()
    const { id } = await lunch(everyone.ada, everyone)
    await expectRefusals(everyone, (who) => who.posts.update({ id, title: 'Mine' }), {
      bob: 'forbidden',
      bot: 'forbidden',
      vic: 'forbidden',
      gus: 'not_found',
      zed: 'not_found',
      reader: 'insufficient_scope',
    })
    expect(await everyone.root.posts.update({ id, title: 'Ours' })).toMatchObject({ title: 'Ours' })
    const adminBot = await everyone.tokenFor(everyone.bot.id, ['admin'])
    expect(await adminBot.posts.update({ id, title: 'Theirs' })).toMatchObject({ title: 'Theirs' })
  })

  test('an admin needs a token with the admin scope', async () => {
    const everyone = await world()
    const { id } = await lunch(everyone.ada, everyone)
    const writer = await everyone.tokenFor(everyone.root.id, ['write'])
    await expectRefused(writer.posts.update({ id, title: 'Ours' }), 'forbidden')
  })

  test('a post keeps a title or a text', async () => {
    const everyone = await world()
    const { id } = await lunch(everyone.ada, everyone)
    for (const content_markdown of ['', null])
      await expectInvalid(everyone.ada.posts.update({ id, title: null, content_markdown }), 'content_markdown')
    await expectInvalid(everyone.ada.posts.update({ id, channel_id: everyone.general.id } as never), 'channel_id')
    expect(await everyone.events()).toEqual(['post.created'])
  })
})

describe('posts.delete', () => {
  test('deletes the post and its comments', async () => {
    const everyone = await world()
    const { ada, general } = everyone
    const { id } = await lunch(ada, everyone)
    const comment = await ada.comments.create({ post_id: id, content_markdown: 'Noon.' })
    await ada.posts.resolve({ post_id: id })
    expect(await ada.posts.delete({ id })).toBeUndefined()

    await expectRefused(ada.posts.get({ id }), 'not_found')
    await expectRefused(ada.comments.get({ id: comment.id }), 'not_found')
    await expectRefused(ada.comments.list({ post_id: id }), 'not_found')
    await expectRefused(ada.posts.delete({ id }), 'not_found')
    expect(await ada.posts.list()).toMatchObject({ data: [], total_count: 0 })
    expect(await ada.posts.list({ resolved: true })).toMatchObject({ data: [], total_count: 0 })
    expect(await ada.channels.get({ id: general.id })).toMatchObject({ posts_count: 0 })
    expect(await everyone.events()).toEqual(['post.created', 'comment.created', 'post.resolved', 'post.deleted'])
  })

  test('only the author and admins are allowed', async () => {
    const everyone = await world()
    const { id } = await lunch(everyone.ada, everyone)
    await expectRefusals(everyone, (who) => who.posts.delete({ id }), {
      bob: 'forbidden',
      bot: 'forbidden',
      vic: 'forbidden',
      gus: 'not_found',
      zed: 'not_found',
      reader: 'insufficient_scope',
    })
    await everyone.root.posts.delete({ id })
    await expectRefused(everyone.ada.posts.get({ id }), 'not_found')
  })
})
