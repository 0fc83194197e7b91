import { describe, expect, test } from 'bun:test'
import { author, expectInvalid, expectRefusals, expectRefused, revisionOf, timestamp } from '../expectations'
import { time } from '../server'
import { world } from '../world'

async function worldWithPost() {
  const everyone = await world()
  const { ada, general } = everyone
  const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Lunch?' })
  return { ...everyone, post, post_id: post.id }
}

describe('posts.resolve', () => {
  test('resolves with a note and a comment', async () => {
    const { ada, bob, post, post_id, events } = await worldWithPost()
    time.advance(1000)
    const comment = await bob.comments.create({ post_id, content_markdown: 'Noon.' })
    time.advance(1000)
    const resolved = await ada.posts.resolve({ post_id, comment_id: comment.id, content_markdown: 'At **noon**.' })

    expect(resolved).toEqual({
      ...post,
      comments_count: 1,
      last_activity_at: resolved.resolution!.resolved_at,
      resolution: {
        resolved_at: timestamp,
        resolved_html: '<p>At <strong>noon</strong>.</p>',
        resolved_by: author(ada, 'Ada Lovelace'),
        resolved_comment: comment,
      },
    })
    expect(resolved.last_activity_at > comment.created_at).toBe(true)
    expect(await ada.posts.get({ id: post_id })).toEqual(resolved)
    expect(await events()).toEqual(['post.created', 'comment.created', 'post.resolved'])
  })

  test('resolves without a note or comment, also by others than the author', async () => {
    const { bot, post_id } = await worldWithPost()
    const { resolution } = await bot.posts.resolve({ post_id, content_markdown: '', comment_id: '' })
    expect(resolution).toEqual({
      resolved_at: timestamp,
      resolved_html: null,
      resolved_by: author(bot, 'Bot', 'app'),
      resolved_comment: null,
    })
  })

  test('the request body is optional', async () => {
    const { ada, post_id, raw } = await worldWithPost()
    expect((await raw(ada, `/v2/posts/${post_id}/resolution`, { method: 'POST' })).status).toBe(201)
  })

  test('resolving again replaces the resolution', async () => {
    const { ada, bob, post_id, events } = await worldWithPost()
    await ada.posts.resolve({ post_id, content_markdown: 'Noon.' })
    time.advance(1000)
    const { resolution } = await bob.posts.resolve({ post_id, content_markdown: 'One.' })
    expect(resolution).toMatchObject({ resolved_html: '<p>One.</p>', resolved_by: { id: bob.id } })
    expect((await ada.posts.list({ resolved: true })).total_count).toBe(1)
    expect(await events()).toEqual(['post.created', 'post.resolved', 'post.resolved'])
  })

  test('with `if_open`, an open post is resolved, and a resolution is never replaced', async () => {
    const { ada, bob, post_id, events } = await worldWithPost()
    const { resolution } = await ada.posts.resolve({ post_id, content_markdown: 'Noon.', if_open: true })
    await expectRefused(bob.posts.resolve({ post_id, content_markdown: 'One.', if_open: true }), 'already_resolved')
    expect((await bob.posts.get({ id: post_id })).resolution).toEqual(resolution)
    expect(await events()).toEqual(['post.created', 'post.resolved'])
  })

  test('the comment can be a reply', async () => {
    const { ada, post_id } = await worldWithPost()
    const comment = await ada.comments.create({ post_id, content_markdown: 'When?' })
    const reply = await ada.comments.create({ post_id, content_markdown: 'Noon.', parent_id: comment.id })
    const { resolution } = await ada.posts.resolve({ post_id, comment_id: reply.id })
    expect(resolution?.resolved_comment).toEqual(reply)
  })

  test('the comment must exist on the same post', async () => {
    const { ada, general, post_id, events } = await worldWithPost()
    const other = await ada.posts.create({ channel_id: general.id, content_markdown: 'Dinner?' })
    const elsewhere = await ada.comments.create({ post_id: other.id, content_markdown: 'Eight.' })
    const deleted = await ada.comments.create({ post_id, content_markdown: 'When?' })
    await ada.comments.create({ post_id, content_markdown: 'Noon.', parent_id: deleted.id })
    await ada.comments.delete({ id: deleted.id })
    const before = await events()

    for (const comment_id of [elsewhere.id, deleted.id, 'cmt_nowhere'])
      await expectInvalid(ada.posts.resolve({ post_id, comment_id }), 'comment_id')
    await expectInvalid(ada.posts.resolve({ post_id, content_markdown: 'x'.repeat(100_001) }), 'content_markdown')
    expect(await events()).toEqual(before)
  })

  test('requires write access and a visible post', async () => {
    const everyone = await worldWithPost()
    await expectRefusals(everyone, (who) => who.posts.resolve({ post_id: everyone.post_id }), {
      vic: 'forbidden',
      gus: 'not_found',
      zed: 'not_found',
      reader: 'insufficient_scope',
    })
  })

  test('the resolution stays when its comment is deleted', async () => {
    const { ada, post_id } = await worldWithPost()
    const comment = await ada.comments.create({ post_id, content_markdown: 'Noon.' })
    await ada.posts.resolve({ post_id, comment_id: comment.id })
    await ada.comments.delete({ id: comment.id })
    const { resolution } = await ada.posts.get({ id: post_id })
    expect(resolution).toMatchObject({ resolved_by: { id: ada.id }, resolved_comment: null })
  })

  test('a deleted comment with replies is removed from the resolution', async () => {
    const { ada, post_id } = await worldWithPost()
    const comment = await ada.comments.create({ post_id, content_markdown: 'Noon.' })
    await ada.comments.create({ post_id, content_markdown: 'Fine.', parent_id: comment.id })
    await ada.posts.resolve({ post_id, comment_id: comment.id })
    await ada.comments.delete({ id: comment.id })
    expect((await ada.posts.get({ id: post_id })).resolution?.resolved_comment).toBeNull()
    expect((await ada.posts.list()).data[0]?.resolution?.resolved_comment).toBeNull()
  })
})

describe('posts.getResolution', () => {
  test('returns the resolution of the post, or its note as Markdown', async () => {
    const { ada, bob, post_id, raw } = await worldWithPost()
    const content_markdown = `At **noon**, <@${bob.id}>.`
    const { resolution } = await ada.posts.resolve({ post_id, content_markdown })
    expect(await bob.posts.getResolution({ post_id })).toEqual(resolution!)
    const source = () => raw(bob, `/v2/posts/${post_id}/resolution`, { headers: { Accept: 'text/markdown' } })
    expect(await (await source()).text()).toBe(content_markdown)
    await ada.posts.resolve({ post_id })
    expect(await (await source()).text()).toBe('')
    await ada.posts.unresolve({ post_id })
    expect((await source()).status).toBe(404)
  })

  test('an open or invisible post is not found', async () => {
    const { ada, gus, zed, post_id } = await worldWithPost()
    await expectRefused(ada.posts.getResolution({ post_id }), 'not_found')
    await ada.posts.resolve({ post_id })
    for (const outsider of [gus, zed]) await expectRefused(outsider.posts.getResolution({ post_id }), 'not_found')
  })
})

describe('posts.unresolve', () => {
  test('reopens and returns the post', async () => {
    const { ada, bob, post, post_id, events } = await worldWithPost()
    await ada.posts.resolve({ post_id, content_markdown: 'Noon.' })
    time.advance(1000)
    const open = await bob.posts.unresolve({ post_id })

    expect(open).toEqual({ ...post, last_activity_at: timestamp })
    expect(open.last_activity_at > post.last_activity_at).toBe(true)
    expect(await ada.posts.get({ id: post_id })).toEqual(open)
    expect(await events()).toEqual(['post.created', 'post.resolved', 'post.unresolved'])
  })

  test('does nothing to an open post', async () => {
    const everyone = await worldWithPost()
    const { ada, post, post_id, events } = everyone
    const before = await revisionOf(everyone)
    time.advance(1000)

    expect(await ada.posts.unresolve({ post_id })).toEqual(post)
    expect(await events()).toEqual(['post.created'])
    expect(await revisionOf(everyone)).toBe(before)
  })

  test('requires write access and a visible post', async () => {
    const everyone = await worldWithPost()
    await everyone.ada.posts.resolve({ post_id: everyone.post_id })
    await expectRefusals(everyone, (who) => who.posts.unresolve({ post_id: everyone.post_id }), {
      vic: 'forbidden',
      gus: 'not_found',
      zed: 'not_found',
      reader: 'insufficient_scope',
    })
  })

  test('an unknown post is not found', async () => {
    const { ada } = await world()
    await expectRefused(ada.posts.unresolve({ post_id: 'post_nowhere' }), 'not_found')
  })
})

describe('the activity of a post', () => {
  test('changes with a comment, a resolution and its removal only', async () => {
    const { ada, post, post_id } = await worldWithPost()
    const activity = async () => (await ada.posts.get({ id: post_id })).last_activity_at
    const changesActivity = async (action: () => Promise<unknown>) => {
      const before = await activity()
      time.advance(1000)
      await action()
      return (await activity()) > before
    }
    const comment = await ada.comments.create({ post_id, content_markdown: 'Noon.' })
    const reply = await ada.comments.create({ post_id, content_markdown: 'One.', parent_id: comment.id })

    expect(await changesActivity(() => ada.comments.create({ post_id, content_markdown: 'Two.' }))).toBe(true)
    expect(await changesActivity(() => ada.posts.resolve({ post_id }))).toBe(true)
    expect(await changesActivity(() => ada.posts.unresolve({ post_id }))).toBe(true)
    expect(await changesActivity(() => ada.posts.unresolve({ post_id }))).toBe(false)
    expect(await changesActivity(() => ada.posts.update({ id: post.id, content_markdown: 'Dinner?' }))).toBe(false)
    expect(await changesActivity(() => ada.comments.update({ id: comment.id, content_markdown: 'Three.' }))).toBe(false)
    expect(await changesActivity(() => ada.comments.delete({ id: reply.id }))).toBe(false)
    expect(await changesActivity(() => ada.comments.delete({ id: comment.id }))).toBe(false)
  })
})
