import { afterAll, describe, expect, test } from 'bun:test'
import { avatarOf } from '../src/domain/avatar'
import { newId } from '../src/domain/ids'
import { insertPeople } from '../src/store/seed'
import { expectConsistent } from './consistency'
import { expectRefused } from './expectations'
import { sharedServer, statementsOf } from './server'
import { type Person, type World, world } from './world'

afterAll(async () => expectConsistent(await sharedServer()))

/** The unread posts of a channel. */
const countIn = async (who: Person, channel: { id: string }) =>
  (await who.unread.get()).channels.find(({ id }) => id === channel.id)?.unread_count ?? 0

const stateOf = async (who: Person, post: { id: string }) => (await who.unread.posts({ ids: [post.id] })).data[0]!

const threadStateOf = async (who: Person, thread: { id: string }) =>
  (await who.unread.threads({ ids: [thread.id] })).data[0]!

const write = (who: Person, { general }: World, content_markdown = 'Hello') =>
  who.posts.create({ channel_id: general.id, content_markdown })

describe('unread.get', () => {
  test('counts the posts that others published, commented on, resolved or reopened', async () => {
    const everyone = await world()
    const { ada, bob, general } = everyone
    const post = await write(ada, everyone)
    expect([await countIn(ada, general), await countIn(bob, general)]).toEqual([0, 1])

    await bob.reads.set({ subject_id: post.id })
    expect(await countIn(bob, general)).toBe(0)
    for (const change of [
      () => ada.comments.create({ post_id: post.id, content_markdown: 'More' }),
      () => ada.posts.resolve({ post_id: post.id }),
      () => ada.posts.unresolve({ post_id: post.id }),
    ]) {
      await change()
      expect(await countIn(bob, general)).toBe(1)
      await bob.reads.set({ subject_id: post.id })
      expect(await countIn(bob, general)).toBe(0)
    }
    await ada.posts.update({ id: post.id, title: 'Another' })
    expect(await countIn(bob, general)).toBe(0)
  })

  test('own texts are never unread, no matter which token wrote them', async () => {
    const everyone = await world()
    const { ada, bob, general } = everyone
    const script = await everyone.tokenFor(ada.id, ['write'])
    const post = await write(bob, everyone)
    expect(await countIn(ada, general)).toBe(1)
    await script.comments.create({ post_id: post.id, content_markdown: 'Mine' })
    await write(script, everyone)
    await script.messages.createDirect({ member_id: bob.id, content_markdown: 'Mine' })

    const { channels, threads } = await ada.unread.get()
    expect({ channels, threads }).toEqual({ channels: [], threads: [] })
    expect((await bob.unread.get()).threads).toMatchObject([{ unread_count: 1, level: 'all' }])
  })

  test('what an app writes is unread to everyone', async () => {
    const everyone = await world()
    await write(everyone.bot, everyone)
    expect(await countIn(everyone.ada, everyone.general)).toBe(1)
  })

  test('a new member has read what was there before', async () => {
    const everyone = await world()
    const { root, ada, general } = everyone
    const before = await write(ada, everyone)
    const late = await root.members.create({ email: 'late@example.com', display_name: 'Late', role: 'member' })
    const { token } = await everyone.tokenFor(late.id, ['read'])
    const person = { ...everyone.as(token) } as Person
    expect(await countIn(person, general)).toBe(0)
    expect(await stateOf(person, before)).toMatchObject({ is_unread: false, unread_count: 0 })
    await write(ada, everyone)
    expect(await countIn(person, general)).toBe(1)
  })

  test('who is added to a channel they could not see has read what was there before', async () => {
    const everyone = await world()
    const { root, ada, gus, general } = everyone
    await write(ada, everyone)
    const secret = await root.channels.create({ name: 'secret', private: true })
    await root.posts.create({ channel_id: secret.id, content_markdown: 'Psst' })
    for (const [channel, member] of [
      [secret, ada],
      [general, gus],
    ] as const)
      await root.channels.addMember({ channel_id: channel.id, member_id: member.id })
    expect([await countIn(ada, secret), await countIn(gus, general)]).toEqual([0, 0])

    await root.posts.create({ channel_id: secret.id, content_markdown: 'Psst' })
    await write(root, everyone)
    expect([await countIn(ada, secret), await countIn(gus, general)]).toEqual([1, 1])
  })

  test('joining a channel that one could see reads nothing', async () => {
    const everyone = await world()
    const { root, ada, general } = everyone
    await write(root, everyone)
    await root.channels.addMember({ channel_id: general.id, member_id: ada.id })
    expect(await countIn(ada, general)).toBe(1)
  })

  test('what is deleted or can no longer be seen is not counted', async () => {
    const everyone = await world()
    const { root, ada, gus, general } = everyone
    await root.channels.addMember({ channel_id: general.id, member_id: gus.id })
    const posts = [await write(ada, everyone), await write(ada, everyone)]
    const thread = await ada.threads.create({ member_ids: [gus.id] })
    const message = await ada.messages.create({ thread_id: thread.id, content_markdown: 'Hi' })
    expect(await countIn(gus, general)).toBe(2)
    await ada.posts.delete({ id: posts[0]!.id })
    await ada.messages.delete({ id: message.id })
    expect(await gus.unread.get()).toMatchObject({ channels: [{ unread_count: 1 }], threads: [] })

    await root.channels.removeMember({ channel_id: general.id, member_id: gus.id })
    expect((await gus.unread.get()).channels).toEqual([])
    expect((await gus.unread.posts({ ids: [posts[1]!.id] })).data).toEqual([])
    await root.channels.delete({ id: general.id })
    expect((await ada.unread.get()).channels).toEqual([])
  })

  test('counts stop at 100', async () => {
    const everyone = await world()
    const { ada, bob, general } = everyone
    const posts = await Promise.all(Array.from({ length: 101 }, () => write(ada, everyone)))
    await Promise.all(posts.map(() => ada.comments.create({ post_id: posts[0]!.id, content_markdown: 'And' })))
    await Promise.all(posts.map(() => ada.messages.createDirect({ member_id: bob.id, content_markdown: 'Hey' })))
    expect(await countIn(bob, general)).toBe(100)
    expect((await stateOf(bob, posts[0]!)).unread_count).toBe(100)
    expect((await bob.unread.get()).threads).toMatchObject([{ unread_count: 100 }])
    await bob.reads.unset({ subject_id: posts[0]!.id })
    expect(await countIn(bob, general)).toBe(100)
  })

  test('takes as many statements, however many channels and threads there are', async () => {
    const everyone = await world()
    const { root, ada, bob, general, server } = everyone
    const count = async () => {
      await write(ada, everyone)
      return server.inboxFiller()!.whilePaused(async () => {
        statementsOf(server).length = 0
        await bob.unread.get()
        return statementsOf(server).filter(
          (sql) => /^\s*(select|with)/i.test(sql) && /read_positions|inbox_entries/.test(sql),
        ).length
      })
    }
    const few = await count()
    for (let made = 0; made < 5; made++) {
      const channel = await root.channels.create({ name: `more ${made}` })
      await ada.posts.create({ channel_id: channel.id, content_markdown: 'New' })
      const thread = await ada.threads.create({ member_ids: [bob.id], title: `Thread ${made}` })
      await ada.messages.create({ thread_id: thread.id, content_markdown: 'New' })
    }
    expect([few, await count()]).toEqual([3, 3])
    expect((await bob.unread.get()).channels).toHaveLength(6)
    expect((await bob.unread.get()).threads).toHaveLength(5)
    expect(await countIn(bob, general)).toBe(2)
  })

  test('apps have nothing that is unread', async () => {
    const { bot } = await world()
    await expectRefused(bot.unread.get(), 'forbidden')
    await expectRefused(bot.unread.posts({ ids: ['post_x'] }), 'forbidden')
    await expectRefused(bot.unread.threads({ ids: ['thr_x'] }), 'forbidden')
  })
})

describe('unread.posts', () => {
  test('tells the unread comments, the latest one and who commented', async () => {
    const everyone = await world()
    const { root, ada, bob, vic } = everyone
    const post = await write(ada, everyone)
    expect(await stateOf(bob, post)).toEqual({
      post_id: post.id,
      is_unread: true,
      unread_count: 0,
      first_unread_id: null,
      level: 'mentions',
      is_level_chosen: false,
      latest_comment: null,
      commenters: [],
      pinned_at: null,
      saved_at: null,
      remind_at: null,
    })
    const first = await bob.comments.create({ post_id: post.id, content_markdown: 'One' })
    const second = await root.comments.create({ post_id: post.id, content_markdown: 'Two' })
    const text = `**Three**, <@${bob.id}>\n\n- and ${'so on '.repeat(100)}`
    const third = await ada.comments.create({ post_id: post.id, content_markdown: text })

    const seen = await stateOf(vic, post)
    expect(seen).toMatchObject({ is_unread: true, unread_count: 3, first_unread_id: first.id, level: 'mentions' })
    expect(seen.commenters.map(({ id }) => id)).toEqual([ada.id, root.id, bob.id])
    expect(seen.latest_comment).toMatchObject({ id: third.id, author: third.author, created_at: third.created_at })
    expect(seen.latest_comment!.excerpt).toStartWith('Three, @Bob Moore · and so on so on')
    expect(seen.latest_comment!.excerpt.length).toBeLessThanOrEqual(200)

    expect(await stateOf(bob, post)).toMatchObject({ unread_count: 2, first_unread_id: second.id, level: 'all' })
    expect(await stateOf(ada, post)).toMatchObject({ is_unread: false, unread_count: 0, level: 'all' })
  })

  test('a deleted comment is not unread, and not the latest', async () => {
    const everyone = await world()
    const { ada, bob } = everyone
    const post = await write(ada, everyone)
    await bob.reads.set({ subject_id: post.id })
    const kept = await ada.comments.create({ post_id: post.id, content_markdown: 'Kept' })
    const empty = await ada.comments.create({ post_id: post.id, content_markdown: 'Emptied' })
    await bob.comments.create({ post_id: post.id, content_markdown: 'Reply', parent_id: empty.id })
    const last = await ada.comments.create({ post_id: post.id, content_markdown: 'Gone' })
    await bob.reads.unset({ subject_id: post.id, from_id: kept.id })
    expect(await stateOf(bob, post)).toMatchObject({ unread_count: 3, first_unread_id: kept.id })
    await ada.comments.delete({ id: empty.id })
    await ada.comments.delete({ id: last.id })
    const state = await stateOf(bob, post)
    expect(state).toMatchObject({ unread_count: 1, latest_comment: { excerpt: 'Reply' } })
    expect(state.commenters.map(({ id }) => id)).toEqual([bob.id, ada.id])
  })

  test('a post whose only news was deleted is read', async () => {
    const everyone = await world()
    const { ada, bob, general } = everyone
    const post = await write(ada, everyone)
    await bob.reads.set({ subject_id: post.id })
    const comment = await ada.comments.create({ post_id: post.id, content_markdown: 'Oops' })
    expect(await countIn(bob, general)).toBe(1)
    await ada.comments.delete({ id: comment.id })
    expect(await countIn(bob, general)).toBe(0)
    expect(await stateOf(bob, post)).toMatchObject({ is_unread: false, unread_count: 0, first_unread_id: null })
  })

  test('leaves out what the caller may not see, and takes one statement', async () => {
    const everyone = await world()
    const { root, ada, gus, zed, server } = everyone
    const secret = await root.channels.create({ name: 'secret', private: true })
    const hidden = await root.posts.create({ channel_id: secret.id, content_markdown: 'Psst' })
    const posts = [await write(ada, everyone), await write(ada, everyone)]
    const ids = [posts[1]!.id, hidden.id, 'post_none', posts[0]!.id, posts[1]!.id]
    statementsOf(server).length = 0
    const { data } = await ada.unread.posts({ ids })
    expect(data.map(({ post_id }) => post_id)).toEqual([posts[1]!.id, posts[0]!.id])
    expect(statementsOf(server).filter((sql) => sql.includes('first_unread_id'))).toHaveLength(1)
    expect((await gus.unread.posts({ ids })).data).toEqual([])
    expect((await zed.unread.posts({ ids })).data).toEqual([])
  })

  test('bad input is refused', async () => {
    const { ada } = await world()
    await expectRefused(ada.unread.posts({ ids: [] }), 'invalid_input')
    await expectRefused(ada.unread.posts({ ids: Array.from({ length: 51 }, (_, at) => `post_${at}`) }), 'invalid_input')
  })
})

describe('unread.threads', () => {
  test('tells the unread messages and the last one', async () => {
    const everyone = await world()
    const { ada, bob, vic } = everyone
    const thread = await ada.threads.create({ member_ids: [bob.id] })
    expect(await threadStateOf(bob, thread)).toEqual({
      thread_id: thread.id,
      is_unread: true,
      unread_count: 0,
      first_unread_id: null,
      level: 'all',
      is_level_chosen: false,
      last_message: null,
    })
    const first = await ada.messages.create({ thread_id: thread.id, content_markdown: 'One' })
    const second = await ada.messages.create({ thread_id: thread.id, content_markdown: '# Two' })
    expect(await threadStateOf(bob, thread)).toMatchObject({
      unread_count: 2,
      first_unread_id: first.id,
      last_message: { id: second.id, excerpt: 'Two', author: { id: ada.id } },
    })
    expect(await threadStateOf(ada, thread)).toMatchObject({ is_unread: false, unread_count: 0 })
    expect((await vic.unread.threads({ ids: [thread.id] })).data).toEqual([])
  })
})

describe('caching', () => {
  test('a response is for its viewer alone, and as good as its revision', async () => {
    const everyone = await world()
    const { ada, bob, gus, raw } = everyone
    const post = await write(ada, everyone)
    const path = `/v2/unread/posts?ids=${post.id}`
    const get = async (who: Person, etag = '') => {
      const response = await raw(who, path, { headers: { 'If-None-Match': etag } })
      return { status: response.status, etag: response.headers.get('ETag')!, body: await response.text() }
    }
    // A response is cached from the second request on.
    const [, ofAda, ofBob, ofGus] = [await get(ada), await get(ada), await get(bob), await get(gus)]
    expect(JSON.parse(ofAda!.body).data).toMatchObject([{ is_unread: false }])
    expect(JSON.parse(ofBob!.body).data).toMatchObject([{ is_unread: true }])
    expect(JSON.parse(ofGus!.body).data).toEqual([])
    expect((await get(bob, ofBob!.etag)).status).toBe(304)
    expect((await get(bob, ofAda!.etag)).status).toBe(200)

    await bob.reads.set({ subject_id: post.id })
    const again = await get(bob, ofBob!.etag)
    expect(again.status).toBe(200)
    expect(JSON.parse(again.body).data).toMatchObject([{ is_unread: false }])
  })
})

test('a post or a comment writes as many rows in a workspace of 10,000 members as in a small one', async () => {
  const everyone = await world()
  const { ada, server } = everyone
  const people = Array.from({ length: 10_000 }, (_, at) => ({
    ...{
      id: newId('mem', at),
      user_id: newId('user', at),
      account_id: newId('user', at),
      name: `Member ${at}`,
      avatar: avatarOf('', `Member ${at}`),
    },
    ...{ email: `${at}@${everyone.slug}.example.com`, role: 'member' as const, is_deactivated: false },
    ...{ created_at: at, last_seen_at: at, job_title: null, time_zone: null },
  }))
  await server.parley.engine.write((db) => insertPeople(db, everyone.workspaceKey, people))
  const rows = () =>
    server.parley.engine.read(async (db) => {
      const ofWorkspace = db.selectFrom('authors').where('workspace_key', '=', everyone.workspaceKey).select('key')
      const counts = []
      for (const table of ['read_positions', 'follows', 'inbox_entries'] as const)
        counts.push(
          (await db.selectFrom(table).where('author_key', 'in', ofWorkspace).select('author_key').execute()).length,
        )
      return counts
    })
  await server.inboxFiller()!.whilePaused(async () => {
    statementsOf(server).length = 0
    const post = await write(ada, everyone)
    await ada.comments.create({ post_id: post.id, content_markdown: 'And' })
    expect(await rows()).toEqual([1, 1, 0])
    expect(statementsOf(server).filter((sql) => /^insert into "(read_positions|follows)"/i.test(sql))).toHaveLength(4)
  })
}, 300_000)
