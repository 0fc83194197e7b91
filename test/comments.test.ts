import { afterEach, describe, expect, test } from 'bun:test'
import {
  author,
  countReads,
  expectInvalid,
  expectPages,
  expectRefusals,
  expectRefused,
  idOf,
  ids,
  inOrder,
  listStatements,
  timestamp,
} from './expectations'
import { time } from './server'
import { world } from './world'

afterEach(() => time.unfreeze())

async function worldWithPost() {
  const everyone = await world()
  const { ada, general } = everyone
  const { id: post_id } = await ada.posts.create({ channel_id: general.id, content_markdown: 'Lunch?' })
  const write = (content_markdown: string, parent_id?: string) => {
    time.advance(5)
    return ada.comments.create({ post_id, content_markdown, parent_id })
  }
  return {
    ...everyone,
    post_id,
    write,
    /** The events after the post was created. */
    since: async () => (await everyone.events()).slice(1),
    count: async () => (await ada.posts.get({ id: post_id })).comments_count,
  }
}

describe('comments.create', () => {
  test('comments on a post', async () => {
    const { bob, post_id, since, count } = await worldWithPost()
    const comment = await bob.comments.create({ post_id, content_markdown: 'At *noon*.' })

    expect(comment).toEqual({
      id: idOf('cmt'),
      content: '<p>At <em>noon</em>.</p>',
      created_at: timestamp,
      replies_count: 0,
      parent_id: null,
      subject_id: post_id,
      subject_type: 'post',
      author: author(bob, 'Bob Moore'),
    })
    expect(await bob.comments.get({ id: comment.id })).toEqual(comment)
    expect(await count()).toBe(1)
    expect(await since()).toEqual(['comment.created'])
  })

  test('replies to a comment', async () => {
    const { ada, write, count, since } = await worldWithPost()
    const comment = await write('When?')
    const reply = await write('Noon.', comment.id)
    expect(reply.parent_id).toBe(comment.id)
    expect(await ada.comments.get({ id: comment.id })).toEqual({ ...comment, replies_count: 1 })
    expect(await count()).toBe(2)
    expect(await since()).toEqual(['comment.created', 'comment.created'])
  })

  test('an empty parent_id means no parent', async () => {
    const { ada, post_id, write } = await worldWithPost()
    expect((await write('When?', '')).parent_id).toBeNull()
    const sent = { post_id, content_markdown: 'When?', parent_id: null as unknown as string }
    expect((await ada.comments.create(sent)).parent_id).toBeNull()
  })

  test('only top-level comments of the same post can be replied to', async () => {
    const { ada, general, write, events } = await worldWithPost()
    const comment = await write('When?')
    const reply = await write('Noon.', comment.id)
    const other = await ada.posts.create({ channel_id: general.id, content_markdown: 'Dinner?' })
    const elsewhere = await ada.comments.create({ post_id: other.id, content_markdown: 'Eight.' })
    await ada.comments.delete({ id: comment.id })
    const before = await events()

    await expectInvalid(write('Sure?', reply.id), 'parent_id')
    await expectInvalid(write('Sure?', elsewhere.id), 'parent_id')
    await expectInvalid(write('Sure?', comment.id), 'parent_id')
    await expectInvalid(write('Sure?', 'cmt_nowhere'), 'parent_id')
    expect(await events()).toEqual(before)
  })

  test('content is required', async () => {
    const { ada, post_id, write, since } = await worldWithPost()
    await expectInvalid(write(' '), 'content_markdown')
    await expectInvalid(ada.comments.create({ post_id } as never), 'content_markdown')
    await expectInvalid(ada.comments.create({ post_id, content_markdown: 'x', author_id: 'y' } as never), 'author_id')
    expect(await since()).toEqual([])
  })

  test('requires write access and a visible post', async () => {
    const everyone = await worldWithPost()
    const { root, gus, general, post_id } = everyone
    const write = (who: typeof gus) => who.comments.create({ post_id, content_markdown: 'Noon.' })
    await expectRefusals(everyone, (who) => write(who as typeof gus), {
      vic: 'forbidden',
      gus: 'not_found',
      zed: 'not_found',
      reader: 'insufficient_scope',
    })
    await root.channels.addMember({ channel_id: general.id, member_id: gus.id })
    expect((await write(gus)).author.id).toBe(gus.id)
  })
})

describe('comments.get', () => {
  test('everyone who can see the post can read its comments, nobody else', async () => {
    const everyone = await worldWithPost()
    const { id } = await everyone.write('Noon.')
    await expectRefusals(everyone, (who) => who.comments.get({ id }), { gus: 'not_found', zed: 'not_found' })
    expect((await everyone.vic.comments.get({ id })).id).toBe(id)
  })

  test('returns the source as Markdown', async () => {
    const { ada, write, raw } = await worldWithPost()
    const { id } = await write('At *noon*.')
    const response = await raw(ada, `/v2/comments/${id}`, { headers: { Accept: 'text/markdown' } })
    expect(response.headers.get('Content-Type')).toBe('text/markdown; charset=utf-8')
    expect(await response.text()).toBe('At *noon*.')
  })
})

describe('comments.update', () => {
  test('changes the text', async () => {
    const { ada, write, since } = await worldWithPost()
    const comment = await write('Noon.')
    const changed = await ada.comments.update({ id: comment.id, content_markdown: '**One.**' })
    expect(changed).toEqual({ ...comment, content: '<p><strong>One.</strong></p>' })
    expect(await ada.comments.get({ id: comment.id })).toEqual(changed)
    expect(await since()).toEqual(['comment.created', 'comment.updated'])
  })

  test('content is required', async () => {
    const { ada, write, since } = await worldWithPost()
    const { id } = await write('Noon.')
    await expectInvalid(ada.comments.update({ id, content_markdown: '' }), 'content_markdown')
    await expectInvalid(ada.comments.update({ id } as never), 'content_markdown')
    expect(await since()).toEqual(['comment.created'])
  })

  test('only the author and admins are allowed', async () => {
    const everyone = await worldWithPost()
    const { id } = await everyone.write('Noon.')
    const update = (who: { comments: typeof everyone.ada.comments }) =>
      who.comments.update({ id, content_markdown: 'One.' })
    await expectRefusals(everyone, update, {
      bob: 'forbidden',
      bot: 'forbidden',
      vic: 'forbidden',
      gus: 'not_found',
      zed: 'not_found',
      reader: 'insufficient_scope',
    })
    expect((await update(everyone.root)).author.id).toBe(everyone.ada.id)
  })
})

describe('comments.delete', () => {
  test('deletes the comment', async () => {
    const { ada, post_id, write, count, since } = await worldWithPost()
    const { id } = await write('Noon.')
    expect(await ada.comments.delete({ id })).toBeUndefined()
    await expectRefused(ada.comments.get({ id }), 'not_found')
    await expectRefused(ada.comments.delete({ id }), 'not_found')
    expect(await ada.comments.list({ post_id })).toMatchObject({ data: [], total_count: 0 })
    expect(await count()).toBe(0)
    expect(await since()).toEqual(['comment.created', 'comment.deleted'])
  })

  test('a comment with replies stays without content until its last reply is deleted', async () => {
    const { ada, post_id, write, count, since } = await worldWithPost()
    const comment = await write('When?')
    const first = await write('Noon.', comment.id)
    const second = await write('One.', comment.id)
    const listed = async () => ids((await ada.comments.list({ post_id })).data)

    await ada.comments.delete({ id: comment.id })
    expect(await ada.comments.get({ id: comment.id })).toEqual({ ...comment, content: '', replies_count: 2 })
    expect(await listed()).toEqual(ids([comment, first, second]))
    expect(await count()).toBe(3)
    await expectRefused(ada.comments.delete({ id: comment.id }), 'not_found')
    await expectRefused(ada.comments.update({ id: comment.id, content_markdown: 'Back.' }), 'not_found')

    await ada.comments.delete({ id: first.id })
    expect(await listed()).toEqual(ids([comment, second]))
    expect(await count()).toBe(2)

    await ada.comments.delete({ id: second.id })
    expect(await listed()).toEqual([])
    expect(await count()).toBe(0)
    expect((await ada.comments.list({ post_id, parent_id: 'root' })).total_count).toBe(0)
    // The last reply, and then its deleted parent.
    expect((await since()).slice(3)).toEqual(Array(4).fill('comment.deleted'))
  })

  test('the Markdown of a deleted comment is deleted too', async () => {
    const { ada, write, raw } = await worldWithPost()
    const { id } = await write('Secret')
    await write('Noon.', id)
    await ada.comments.delete({ id })
    const response = await raw(ada, `/v2/comments/${id}`, { headers: { Accept: 'text/markdown' } })
    expect(await response.text()).toBe('')
  })

  test('only the author and admins are allowed', async () => {
    const everyone = await worldWithPost()
    const { id } = await everyone.write('Noon.')
    await expectRefusals(everyone, (who) => who.comments.delete({ id }), {
      bob: 'forbidden',
      bot: 'forbidden',
      vic: 'forbidden',
      gus: 'not_found',
      zed: 'not_found',
      reader: 'insufficient_scope',
    })
    await everyone.root.comments.delete({ id })
    await expectRefused(everyone.ada.comments.get({ id }), 'not_found')
  })
})

describe('comments.list', () => {
  test('lists the comments of a post, oldest first by default', async () => {
    const { ada, post_id, write } = await worldWithPost()
    const [one, two] = [await write('One'), await write('Two')]
    const comments = [{ ...one, replies_count: 1 }, two, await write('Reply', one.id), await write('Three')]

    expect(await ada.comments.list({ post_id })).toEqual({
      data: comments,
      total_count: 4,
      next_cursor: null,
      prev_cursor: null,
    })
    await expectPages((page) => ada.comments.list({ post_id, ...page }), comments, 3)
    await expectPages((page) => ada.comments.list({ post_id, direction: 'desc', ...page }), comments.toReversed())
  })

  test('filters by parent, or top-level comments only', async () => {
    const { ada, post_id, write } = await worldWithPost()
    const one = await write('One')
    const replies = [await write('a', one.id), await write('b', one.id), await write('c', one.id)]
    const roots = [{ ...one, replies_count: 3 }, await write('Two'), await write('Three')]

    await expectPages((page) => ada.comments.list({ post_id, parent_id: one.id, ...page }), replies)
    await expectPages((page) => ada.comments.list({ post_id, parent_id: 'root', ...page }), roots)
    expect((await ada.comments.list({ post_id, parent_id: roots[1]!.id })).total_count).toBe(0)
    expect((await ada.comments.list({ post_id, parent_id: '' })).total_count).toBe(6)
  })

  test('comments with the same time are sorted by id', async () => {
    const { ada, post_id, write } = await worldWithPost()
    time.freeze()
    const at = time.frozenAt!
    const comments = []
    for (const text of ['a', 'b', 'c', 'd']) {
      comments.push(await write(text))
      time.frozenAt = at
    }
    await expectPages((page) => ada.comments.list({ post_id, ...page }), inOrder(comments))
  })

  test('comments of an invisible post are not found', async () => {
    const everyone = await worldWithPost()
    const { ada, general, post_id, write } = everyone
    const other = await ada.posts.create({ channel_id: general.id, content_markdown: 'Dinner?' })
    const { id: parent_id } = await write('One')
    await expectRefused(ada.comments.list({ post_id: 'post_nowhere' }), 'not_found')
    await expectRefused(ada.comments.list({ post_id, parent_id: 'cmt_nowhere' }), 'not_found')
    await expectRefused(ada.comments.list({ post_id: other.id, parent_id }), 'not_found')
    await expectRefusals(everyone, (who) => who.comments.list({ post_id }), { gus: 'not_found', zed: 'not_found' })
    expect((await everyone.vic.comments.list({ post_id })).total_count).toBe(1)
  })

  test('refuses unknown parameters and cursors of other lists', async () => {
    const { ada, post_id, write } = await worldWithPost()
    await write('One')
    await write('Two')
    await expectInvalid(ada.comments.list({ post_id, sort: 'author' } as never), 'sort')
    await expectInvalid(ada.comments.list({ post_id, limit: 51 }), 'limit')
    const after = (await ada.comments.list({ post_id, limit: 1 })).next_cursor!
    await expectRefused(ada.comments.list({ post_id, after, parent_id: 'root' }), 'invalid_cursor')
  })

  test('a write takes few statements', async () => {
    const everyone = await worldWithPost()
    const { ada, post_id } = everyone
    const content_markdown = 'Hm'
    const changed = await listStatements(everyone, ada, (who) => who.comments.create({ post_id, content_markdown }))
    const attention = ['insert into read_positions', 'update inbox_entries', 'insert into follows']
    const writes = ['insert into comments', 'update post_activity', ...attention]
    const events = ['update workspaces', 'insert into events']
    expect(changed).toEqual(['select from workspaces', 'select from posts', ...writes, ...events])

    const { id } = (await ada.comments.list({ post_id })).data[0]!
    const updated = await listStatements(everyone, ada, (who) => who.comments.update({ id, content_markdown: 'Ah' }))
    const reads = ['select from workspaces', 'select from comments']
    expect(updated).toEqual([...reads, 'update comments', 'update workspaces', 'insert into events'])
  })

  test('the number of statements does not depend on the page size', async () => {
    const everyone = await worldWithPost()
    const { ada, post_id, write } = everyone
    const costs = async () => [
      await countReads(everyone, ada, (who) => who.comments.list({ post_id })),
      await countReads(everyone, ada, (who) => who.comments.list({ post_id, parent_id: 'root', direction: 'desc' })),
    ]
    await write('One')
    const few = await costs()
    await Promise.all(Array.from({ length: 55 }, () => write('More')))
    // Revision, visible channels, post, ids of the comments, and comments.
    for (const cost of [...few, ...(await costs())]) expect(cost).toBeLessThanOrEqual(5)
    expect((await ada.comments.list({ post_id })).data).toHaveLength(50)
  })
})
