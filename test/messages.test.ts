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
import { type Person, world } from './world'

afterEach(() => time.unfreeze())

/** A thread with ada, bob, vic and gus. */
async function worldWithThread() {
  const everyone = await world()
  const { ada, bob, vic, gus } = everyone
  const thread = await ada.threads.create({ title: 'Lunch', member_ids: [bob.id, vic.id, gus.id] })
  const write = (content_markdown: string, parent_id?: string) => {
    time.advance(5)
    return ada.messages.create({ thread_id: thread.id, content_markdown, parent_id })
  }
  return {
    ...everyone,
    thread_id: thread.id,
    write,
    /** The events after the thread was created. */
    since: async () => (await everyone.events()).slice(1),
  }
}

describe('messages.create', () => {
  test('sends a message to a thread', async () => {
    const { ada, bob, thread_id, since } = await worldWithThread()
    time.advance(1000)
    const message = await bob.messages.create({ thread_id, content_markdown: 'At *noon*.' })

    expect(message).toEqual({
      id: idOf('msg'),
      content: '<p>At <em>noon</em>.</p>',
      created_at: timestamp,
      updated_at: message.created_at,
      parent_id: null,
      thread_id,
      author: author(bob, 'Bob Moore'),
    })
    expect(await ada.messages.get({ id: message.id })).toEqual(message)
    expect(await ada.threads.get({ id: thread_id })).toMatchObject({
      messages_count: 1,
      updated_at: message.created_at,
      last_activity_at: message.created_at,
      last_message_at: message.created_at,
    })
    expect(await since()).toEqual(['message.created'])
  })

  test('replies to a message, or to a reply', async () => {
    const { write } = await worldWithThread()
    const first = await write('When?')
    const second = await write('Noon.', first.id)
    expect(second.parent_id).toBe(first.id)
    expect((await write('Fine.', second.id)).parent_id).toBe(second.id)
    expect((await write('Well?', '')).parent_id).toBeNull()
  })

  test('the parent must be in the same thread', async () => {
    const { ada, bob, write, since } = await worldWithThread()
    const other = await ada.threads.create({ member_ids: [bob.id] })
    const elsewhere = await ada.messages.create({ thread_id: other.id, content_markdown: 'Hi' })
    await expectInvalid(write('Noon.', elsewhere.id), 'parent_id')
    await expectInvalid(write('Noon.', 'msg_nowhere'), 'parent_id')
    await expectInvalid(write('  '), 'content_markdown')
    await expectInvalid(ada.messages.create({ thread_id: other.id } as never), 'content_markdown')
    expect(await since()).toEqual(['thread.created', 'message.created'])
  })

  test('requires write access and taking part in the thread', async () => {
    const everyone = await worldWithThread()
    const { thread_id, gus } = everyone
    const write = (who: Pick<Person, 'messages'>) => who.messages.create({ thread_id, content_markdown: 'Noon.' })
    await expectRefusals(everyone, write, {
      vic: 'forbidden',
      root: 'not_found',
      bot: 'not_found',
      zed: 'not_found',
      reader: 'insufficient_scope',
    })
    expect((await write(gus)).author.id).toBe(gus.id)
  })
})

describe('messages.createDirect', () => {
  test('creates a thread on first use, and both members use the same one', async () => {
    const { ada, bob, root, events } = await world()
    const first = await ada.messages.createDirect({ member_id: bob.id, content_markdown: 'Hi' })
    const second = await bob.messages.createDirect({ member_id: ada.id, content_markdown: 'Ho' })
    const third = await ada.messages.createDirect({ member_id: bob.id, content_markdown: 'Ha', parent_id: second.id })

    expect(second.thread_id).toBe(first.thread_id)
    expect(third).toMatchObject({ thread_id: first.thread_id, parent_id: second.id })
    const thread = await bob.threads.get({ id: first.thread_id })
    expect(thread).toMatchObject({ is_direct: true, title: 'Ada Lovelace, Bob Moore', messages_count: 3 })
    expect(ids(thread.members).sort()).toEqual([ada.id, bob.id].sort())
    expect((await ada.threads.list()).total_count).toBe(1)
    await expectRefused(root.threads.get({ id: thread.id }), 'not_found')
    expect(await events()).toEqual(['thread.created', 'message.created', 'message.created', 'message.created'])
  })

  test('an ordinary thread between the same two is not used for direct messages', async () => {
    const { ada, bob } = await world()
    const thread = await ada.threads.create({ member_ids: [bob.id] })
    const direct = await ada.messages.createDirect({ member_id: bob.id, content_markdown: 'Hi' })
    expect(direct.thread_id).not.toBe(thread.id)
  })

  test('apps can send direct messages, and members can send them to themselves', async () => {
    const { ada, bot } = await world()
    const built = await bot.messages.createDirect({ member_id: ada.id, content_markdown: 'Built.' })
    expect((await ada.messages.get({ id: built.id })).author).toEqual(author(bot, 'Bot', 'app'))
    const note = await ada.messages.createDirect({ member_id: ada.id, content_markdown: 'Milk' })
    expect((await ada.threads.get({ id: note.thread_id })).members).toEqual([author(ada, 'Ada Lovelace')])
  })

  test('concurrent direct messages create one thread', async () => {
    const { ada, bob } = await world()
    const messages = await Promise.all(
      [ada, bob, ada, bob].map((who) =>
        who.messages.createDirect({ member_id: who === ada ? bob.id : ada.id, content_markdown: 'Hi' }),
      ),
    )
    expect(new Set(messages.map(({ thread_id }) => thread_id)).size).toBe(1)
  })

  test('the recipient must be visible and active', async () => {
    const everyone = await world()
    const { root, ada, bob, bot, events } = everyone
    const write = (who: Pick<Person, 'messages'>) =>
      who.messages.createDirect({ member_id: bob.id, content_markdown: 'Hi' })
    await expectRefusals(everyone, write, {
      vic: 'forbidden',
      gus: 'not_found',
      zed: 'not_found',
      reader: 'insufficient_scope',
    })
    await expectRefused(ada.messages.createDirect({ member_id: 'mem_nowhere', content_markdown: 'Hi' }), 'not_found')
    await expectRefused(ada.messages.createDirect({ member_id: bot.id, content_markdown: 'Hi' }), 'not_found')
    await root.members.update({ id: bob.id, is_deactivated: true })
    await expect(write(ada)).rejects.toMatchObject({ code: 'member_deactivated', status: 409 })
    expect(await events()).toEqual(['token.created', 'member.deactivated'])
  })

  test('an invalid message creates no thread', async () => {
    const { ada, bob, events } = await world()
    await expectInvalid(ada.messages.createDirect({ member_id: bob.id, content_markdown: '' }), 'content_markdown')
    const sent = { member_id: bob.id, content_markdown: 'Hi', parent_id: 'msg_nowhere' }
    await expectInvalid(ada.messages.createDirect(sent), 'parent_id')
    expect((await ada.threads.list()).total_count).toBe(0)
    expect(await events()).toEqual([])
  })
})

describe('messages.get', () => {
  test('only participants of the thread are allowed', async () => {
    const everyone = await worldWithThread()
    const { id } = await everyone.write('Noon.')
    await expectRefusals(everyone, (who) => who.messages.get({ id }), {
      root: 'not_found',
      bot: 'not_found',
      zed: 'not_found',
    })
    expect((await everyone.vic.messages.get({ id })).id).toBe(id)
  })

  test('returns the source as Markdown', async () => {
    const { ada, write, raw } = await worldWithThread()
    const { id } = await write('At *noon*.')
    const response = await raw(ada, `/v2/messages/${id}`, { headers: { Accept: 'text/markdown' } })
    expect(response.headers.get('Content-Type')).toBe('text/markdown; charset=utf-8')
    expect(await response.text()).toBe('At *noon*.')
  })
})

describe('messages.update', () => {
  test('changes the text and the time of the update', async () => {
    const { ada, write, thread_id, since } = await worldWithThread()
    const message = await write('Noon.')
    time.advance(1000)
    const changed = await ada.messages.update({ id: message.id, content_markdown: '**One.**' })
    expect(changed).toEqual({ ...message, content: '<p><strong>One.</strong></p>', updated_at: timestamp })
    expect(changed.updated_at > message.updated_at).toBe(true)
    expect(await ada.messages.get({ id: message.id })).toEqual(changed)
    expect((await ada.threads.get({ id: thread_id })).last_activity_at).toBe(message.created_at)
    expect(await since()).toEqual(['message.created', 'message.updated'])
  })

  test('only the author is allowed, and admins who take part', async () => {
    const everyone = await worldWithThread()
    const { root, bob, write, thread_id } = everyone
    const { id } = await write('Noon.')
    const update = (who: Pick<Person, 'messages'>) => who.messages.update({ id, content_markdown: 'One.' })
    await expectRefusals(everyone, update, {
      bob: 'forbidden',
      vic: 'forbidden',
      gus: 'forbidden',
      root: 'not_found',
      bot: 'not_found',
      zed: 'not_found',
      reader: 'insufficient_scope',
    })
    await expectInvalid(everyone.ada.messages.update({ id, content_markdown: ' ' }), 'content_markdown')
    await root.members.update({ id: bob.id, role: 'admin' })
    expect(await update(bob)).toMatchObject({ content: '<p>One.</p>', thread_id })
  })
})

describe('messages.delete', () => {
  test('deletes the message; its replies stay', async () => {
    const { ada, write, thread_id, since } = await worldWithThread()
    const message = await write('When?')
    const answer = await write('Noon.', message.id)
    expect(await ada.messages.delete({ id: message.id })).toBeUndefined()

    await expectRefused(ada.messages.get({ id: message.id }), 'not_found')
    await expectRefused(ada.messages.delete({ id: message.id }), 'not_found')
    const page = await ada.messages.list({ thread_id })
    expect(page).toMatchObject({ data: [{ ...answer, parent_id: null }], total_count: 1 })
    expect(await ada.threads.get({ id: thread_id })).toMatchObject({
      messages_count: 1,
      last_activity_at: answer.created_at,
    })
    expect(await since()).toEqual(['message.created', 'message.created', 'message.deleted'])
  })

  test('the last message of the thread is then the one before it, if there is one', async () => {
    const { ada, write, thread_id } = await worldWithThread()
    const [first, second] = [await write('One'), await write('Two')]
    time.advance(5)
    await ada.messages.delete({ id: second!.id })
    const thread = await ada.threads.get({ id: thread_id })
    expect(thread.last_message_at).toBe(first!.created_at)
    expect(thread.updated_at > second!.created_at).toBe(true)
    await ada.messages.delete({ id: first!.id })
    expect((await ada.threads.get({ id: thread_id })).last_message_at).toBeNull()
  })

  test('only the author is allowed, and admins who take part', async () => {
    const everyone = await worldWithThread()
    const { id } = await everyone.write('Noon.')
    await expectRefusals(everyone, (who) => who.messages.delete({ id }), {
      bob: 'forbidden',
      vic: 'forbidden',
      gus: 'forbidden',
      root: 'not_found',
      bot: 'not_found',
      zed: 'not_found',
      reader: 'insufficient_scope',
    })
    await everyone.root.members.update({ id: everyone.bob.id, role: 'admin' })
    await everyone.bob.messages.delete({ id })
    await expectRefused(everyone.ada.messages.get({ id }), 'not_found')
  })
})

describe('messages.list', () => {
  test('lists the newest first by default', async () => {
    const { vic, thread_id, write } = await worldWithThread()
    const messages = []
    for (const text of ['a', 'b', 'c', 'd', 'e']) messages.push(await write(text))
    const newest = messages.toReversed()

    expect(await vic.messages.list({ thread_id })).toEqual({
      data: newest,
      total_count: 5,
      next_cursor: null,
      prev_cursor: null,
    })
    await expectPages((page) => vic.messages.list({ thread_id, ...page }), newest)
    await expectPages((page) => vic.messages.list({ thread_id, direction: 'asc', ...page }), messages, 3)
  })

  test('messages with the same time are sorted by id', async () => {
    const { ada, thread_id } = await worldWithThread()
    time.freeze()
    const messages = await Promise.all(
      ['a', 'b', 'c', 'd'].map((content_markdown) => ada.messages.create({ thread_id, content_markdown })),
    )
    await expectPages((page) => ada.messages.list({ thread_id, ...page }), inOrder(messages, -1))
  })

  test('only participants of the thread are allowed', async () => {
    const everyone = await worldWithThread()
    await expectRefusals(everyone, (who) => who.messages.list({ thread_id: everyone.thread_id }), {
      root: 'not_found',
      bot: 'not_found',
      zed: 'not_found',
    })
    await expectInvalid(everyone.ada.messages.list({ thread_id: everyone.thread_id, sort: 'id' } as never), 'sort')
    await expectInvalid(
      everyone.ada.messages.list({ thread_id: everyone.thread_id, parent_id: 'x' } as never),
      'parent_id',
    )
  })

  test('a write takes few statements', async () => {
    const everyone = await worldWithThread()
    const { ada, thread_id } = everyone
    const content_markdown = 'Hm'
    const changed = await listStatements(everyone, ada, (who) => who.messages.create({ thread_id, content_markdown }))
    const attention = ['insert into read_positions', 'update inbox_entries']
    const writes = ['insert into messages', 'update threads', 'update thread_members', ...attention]
    const events = ['update workspaces', 'insert into events']
    expect(changed).toEqual(['select from workspaces', 'select from threads', ...writes, ...events])

    const { id } = (await ada.messages.list({ thread_id })).data[0]!
    const updated = await listStatements(everyone, ada, (who) => who.messages.update({ id, content_markdown: 'Ah' }))
    expect(updated).toEqual(['select from workspaces', 'select from messages', 'update messages', ...events])
  })

  test('the number of statements does not depend on the page size', async () => {
    const everyone = await worldWithThread()
    const { ada, thread_id, write } = everyone
    const cost = () => countReads(everyone, ada, (who) => who.messages.list({ thread_id }))
    await write('One')
    const few = await cost()
    await Promise.all(Array.from({ length: 55 }, () => write('More')))
    expect(await cost()).toBe(few)
    expect(few).toBeLessThanOrEqual(4)
    expect(await ada.messages.list({ thread_id })).toMatchObject({ total_count: 56 })
  })
})

describe('messages.list around a message', () => {
  test('has it in the middle, or as near to it as the ends allow, with the cursors of any page', async () => {
    const { bob, thread_id, write } = await worldWithThread()
    time.freeze()
    const messages = []
    // Some have the same time.
    for (let at = 0; at < 7; at++) {
      time.advance(at % 3 === 0 ? 1 : 0)
      messages.push(await bob.messages.create({ thread_id, content_markdown: `${at}` }))
    }
    time.unfreeze()
    const oldest = ids(inOrder(messages))
    for (const direction of ['asc', 'desc'] as const)
      for (const limit of [1, 2, 3, 4, 6, 7, 50])
        for (const [at, around] of (direction === 'asc' ? oldest : oldest.toReversed()).entries()) {
          const all = direction === 'asc' ? oldest : oldest.toReversed()
          const size = Math.min(limit, all.length)
          const start = Math.min(Math.max(0, at - Math.floor((limit - 1) / 2)), all.length - size)
          const list = (page: object) => bob.messages.list({ thread_id, limit, ...page })
          const page = await list({ direction, around })
          expect(ids(page.data)).toEqual(all.slice(start, start + size))
          expect(page.total_count).toBe(7)
          expect([page.prev_cursor !== null, page.next_cursor !== null]).toEqual([start > 0, start + size < 7])
          if (page.next_cursor)
            expect(ids((await list({ after: page.next_cursor })).data)).toEqual(
              all.slice(start + size, start + 2 * size),
            )
          if (page.prev_cursor)
            expect(ids((await list({ after: page.prev_cursor })).data)).toEqual(
              all.slice(Math.max(0, start - size), start),
            )
        }
    expect(ids((await bob.messages.list({ thread_id, around: (await write('Now')).id })).data)).toHaveLength(8)
  })

  test('is refused with `after`, and not found unless it is a message of this thread', async () => {
    const everyone = await worldWithThread()
    const { ada, bob, root, zed, thread_id, write } = everyone
    const message = await write('Here')
    const gone = await write('Gone')
    await ada.messages.delete({ id: gone.id })
    const other = await bob.messages.createDirect({ member_id: ada.id, content_markdown: 'Elsewhere' })
    const hidden = await root.messages.createDirect({ member_id: bob.id, content_markdown: 'Hidden' })
    await expectInvalid(ada.messages.list({ thread_id, around: message.id, after: message.id }), 'around')
    for (const around of [gone.id, other.id, hidden.id, ada.id, 'msg_01h455vb4pex5vsknk084sn02q', 'x'])
      await expectRefused(ada.messages.list({ thread_id, around }), 'not_found')
    for (const who of [root, zed])
      await expectRefused(who.messages.list({ thread_id, around: message.id }), 'not_found')
  })

  test('links to its neighbours without `around`', async () => {
    const { ada, raw, thread_id, write } = await worldWithThread()
    const messages = [await write('One'), await write('Two'), await write('Three')]
    const response = await raw(ada, `/v2/threads/${thread_id}/messages?around=${messages[1]!.id}&limit=1`)
    const links = response.headers.get('link')!
    expect(links).toContain('rel="next"')
    expect(links).toContain('rel="prev"')
    expect(links).not.toContain('around')
  })
})
