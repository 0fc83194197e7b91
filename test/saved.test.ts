import { afterAll, describe, expect, test } from 'bun:test'
import { MAX_SAVED } from '../src/contract/saved'
import { startReminders } from '../src/jobs/reminders'
import { expectConsistent } from './consistency'
import { countReads, expectInvalid, expectPages, expectRefusals, expectRefused, timestamp } from './expectations'
import { inboxOf, mention, publish } from './inbox/entries'
import { time } from './server'
import { type World, world } from './world'

const HOUR = 60 * 60 * 1000
const inHours = (hours: number) => new Date(time.now() + hours * HOUR).toISOString()

// Other files share the clock.
afterAll(() => {
  time.offset = 0
})

/** Has two hours pass, and does what is due by two nodes at once. */
async function passTime({ server }: World) {
  time.advance(2 * HOUR)
  const other = startReminders(server.parley)
  await Promise.all([server.reminders()!.tick(), other.tick()])
  await other.close()
}

describe('saved', () => {
  test('a member saves posts for themselves; what was saved last comes first', async () => {
    const everyone = await world()
    const { ada, bob, vic, general, eventRows } = everyone
    const [first, second] = [await publish(bob, general, 'One'), await publish(bob, general, 'Two')]
    const remind_at = inHours(24)
    expect(await ada.saved.set({ post_id: first.id })).toEqual({ post: first, saved_at: timestamp, remind_at: null })
    const saved = await ada.saved.set({ post_id: second.id, remind_at })
    expect(saved).toEqual({ post: second, saved_at: timestamp, remind_at })
    expect(await ada.saved.set({ post_id: second.id })).toEqual(saved)
    await vic.saved.set({ post_id: first.id })
    await bob.posts.update({ id: first.id, title: 'One, changed' })

    const { data, total_count } = await ada.saved.list()
    expect(data.map(({ post }) => post.title)).toEqual(['Two', 'One, changed'])
    expect(total_count).toBe(2)
    expect((await ada.saved.list({ reminders: true })).data).toEqual([saved])
    expect((await ada.saved.list({ reminders: false })).data).toEqual([data[1]!])
    expect((await bob.saved.list()).data).toEqual([])
    expect((await ada.unread.posts({ ids: [second.id] })).data).toMatchObject([{ saved_at: saved.saved_at, remind_at }])
    expect((await bob.unread.posts({ ids: [second.id] })).data).toMatchObject([{ saved_at: null, remind_at: null }])

    expect((await ada.saved.set({ post_id: second.id, remind_at: null })).remind_at).toBeNull()
    await ada.saved.unset({ post_id: second.id })
    await ada.saved.unset({ post_id: second.id })
    const mine = (await eventRows()).filter(({ type }) => type === 'saved.updated').map(({ data }) => JSON.parse(data))
    expect(mine).toMatchObject([
      { post_id: first.id, remind_at: null },
      { post_id: second.id, remind_at },
      { post_id: first.id },
      { post_id: second.id, saved_at: saved.saved_at, remind_at: null },
      { post_id: second.id, saved_at: null, remind_at: null },
    ])
    const heard = async (who: typeof ada) =>
      (await who.events.list({ types: ['saved.updated'] })).data.map((event) => event.data)
    expect(await heard(bob)).toEqual([])
    expect(await heard(vic)).toHaveLength(1)
  })

  test('the list has pages, and costs as many statements for one post as for many', async () => {
    const everyone = await world()
    const { ada, general } = everyone
    await ada.saved.set({ post_id: (await publish(ada, general, 'First')).id })
    const few = await countReads(everyone, ada, (who) => who.saved.list())
    for (let at = 0; at < 4; at++) await ada.saved.set({ post_id: (await publish(ada, general, `Post ${at}`)).id })
    const { data } = await ada.saved.list()
    await expectPages((input) => ada.saved.list(input), data)
    expect((await ada.saved.list({ after: data[1]!.post.id })).data).toEqual(data.slice(2))
    expect(await countReads(everyone, ada, (who) => who.saved.list({ limit: 40 }))).toBe(few)
  })

  test('what a member may no longer see is not listed, and is there again when they may', async () => {
    const { root, ada, general, server } = await world()
    const secret = await root.channels.create({ name: 'secret', private: true })
    await root.channels.addMember({ channel_id: secret.id, member_id: ada.id })
    const posts = [
      await publish(root, secret, 'Secret'),
      await publish(root, general, 'Open'),
      await publish(root, general, 'Gone'),
    ]
    for (const { id } of posts) await ada.saved.set({ post_id: id })
    await root.channels.removeMember({ channel_id: secret.id, member_id: ada.id })
    await root.posts.delete({ id: posts[2]!.id })
    const titles = async () => (await ada.saved.list()).data.map(({ post }) => post.title)
    expect(await titles()).toEqual(['Open'])
    expect((await ada.saved.list()).total_count).toBe(1)
    await root.channels.addMember({ channel_id: secret.id, member_id: ada.id })
    expect(await titles()).toEqual(['Open', 'Secret'])
    await root.channels.delete({ id: general.id })
    expect(await titles()).toEqual(['Secret'])
    await expectConsistent(server)
  })

  test('apps and members who cannot see the post are refused, and a reminder is in the near future', async () => {
    const everyone = await world()
    const { ada, general } = everyone
    const { id: post_id } = await publish(ada, general, 'One')
    const codes = { bot: 'forbidden', gus: 'not_found', zed: 'not_found', reader: 'insufficient_scope' } as const
    await expectRefusals(everyone, (who) => who.saved.set({ post_id }), codes)
    await expectRefusals(everyone, (who) => who.saved.unset({ post_id }), codes)
    await expect(everyone.bot.saved.list()).rejects.toMatchObject({
      code: 'forbidden',
      detail: expect.stringContaining('save posts'),
    })
    const notTimes = ['tomorrow', '2028-12-31T23:59:60Z', '2028-12-31T23:59:59Z[UTC]']
    for (const remind_at of [inHours(-1), inHours(24 * 366 * 6), ...notTimes])
      await expectInvalid(ada.saved.set({ post_id, remind_at }), 'remind_at')
  })

  test('a member saves a limited number of posts', async () => {
    const everyone = await world()
    const { root, ada, bob, general } = everyone
    const [first, second] = [await publish(bob, general, 'One'), await publish(bob, general, 'Two')]
    await ada.saved.set({ post_id: first.id })
    const copies = await saveCopies(everyone, first.id, MAX_SAVED - 1)
    await expectRefused(ada.saved.set({ post_id: second.id }), 'too_many_saved')
    await ada.saved.set({ post_id: first.id, remind_at: inHours(1) })
    await ada.saved.unset({ post_id: first.id })
    await ada.saved.set({ post_id: second.id })
    const elsewhere = await root.channels.create({ name: 'elsewhere' })
    const third = await publish(bob, elsewhere, 'Three')
    await expectRefused(ada.saved.set({ post_id: third.id }), 'too_many_saved')
    await root.channels.delete({ id: general.id })
    await ada.saved.set({ post_id: third.id })
    await copies.delete()
  })
})

/** Makes copies of a saved post, which are saved as it is. They are in no counter and in no index. */
async function saveCopies({ server }: World, id: string, count: number) {
  const { engine } = server.parley
  const isCopy = `${id}-%`
  await engine.write(async (db) => {
    const original = await db.selectFrom('posts').where('id', '=', id).selectAll().executeTakeFirstOrThrow()
    const { key: _, published_time: __, resolved_time: ___, ...post } = original
    const saved = await db.selectFrom('saved_posts').where('post_id', '=', id).selectAll().executeTakeFirstOrThrow()
    for (let from = 0; from < count; from += 100) {
      const copies = Array.from({ length: Math.min(100, count - from) }, (_, at) => ({
        ...post,
        id: `${id}-${from + at}`,
      }))
      const rows = await db.insertInto('posts').values(copies).returning(['key', 'id']).execute()
      await db
        .insertInto('saved_posts')
        .values(rows.map((row) => ({ ...saved, post_key: row.key, post_id: row.id })))
        .execute()
    }
  })
  return {
    delete: () =>
      engine.write(async (db) => {
        await db.deleteFrom('saved_posts').where('post_id', 'like', isCopy).execute()
        await db.deleteFrom('posts').where('id', 'like', isCopy).execute()
      }),
  }
}

/** A reminder that is due and belongs to no member, as no request can make one. */
const saveWithoutMember = ({ server, bot }: World, post_id: string) =>
  server.parley.engine.write(async (db) => {
    const post = await db.selectFrom('posts').where('id', '=', post_id).selectAll().executeTakeFirstOrThrow()
    const app = await db.selectFrom('authors').where('id', '=', bot.id).select('key').executeTakeFirstOrThrow()
    const row = { author_key: app.key, post_key: post.key, post_id, workspace_key: post.workspace_key, saved_at: 1 }
    await db
      .insertInto('saved_posts')
      .values({ ...row, remind_at: 1 })
      .execute()
  })

describe('reminders', () => {
  test('a due reminder puts the post into the inbox as unread, once, also if it is muted; it stays saved', async () => {
    const everyone = await world()
    const { ada, bob, general, events, server } = everyone
    const post = await publish(bob, general, 'Lunch')
    const later = await publish(bob, general, 'Dinner')
    await ada.follows.set({ subject_id: post.id, level: 'none' })
    await ada.saved.set({ post_id: post.id, remind_at: inHours(1) })
    await ada.saved.set({ post_id: later.id, remind_at: inHours(24) })
    await server.reminders()!.tick()
    expect(await inboxOf(everyone, ada)).toEqual([])
    await passTime(everyone)
    // A clock that is set back repeats nothing, and what is due later waits.
    time.advance(-3 * HOUR)
    await server.reminders()!.tick()
    await passTime(everyone)
    time.advance(HOUR)
    expect(await inboxOf(everyone, ada)).toEqual([['reminder', 'Lunch', undefined, 'What do you think?']])
    expect((await ada.unread.get()).inbox_count).toBe(1)
    expect((await ada.saved.list()).data.map(({ post: { title }, remind_at }) => [title, remind_at !== null])).toEqual([
      ['Dinner', true],
      ['Lunch', false],
    ])
    expect((await events()).slice(-2)).toEqual(['saved.updated', 'saved.updated'])
    expect((await events()).filter((type) => type === 'saved.updated')).toHaveLength(3)

    await ada.reads.set({ subject_id: post.id })
    expect((await ada.inbox.list()).data[0]!.is_unread).toBe(false)
    await expectConsistent(server)
  })

  test('a reminder has an entry of its own, and stays until the post is read', async () => {
    const everyone = await world()
    const { ada, bob, general, server } = everyone
    const post = await publish(ada, general, 'Lunch')
    await bob.comments.create({ post_id: post.id, content_markdown: 'Noon' })
    expect(await inboxOf(everyone, ada)).toMatchObject([['comment', 'Lunch', 'Bob Moore', 'Noon']])
    const [entry] = (await ada.inbox.list()).data
    await ada.inbox.update({ id: entry!.id, archived: true })
    await ada.saved.set({ post_id: post.id, remind_at: inHours(1) })
    await server.inboxFiller()!.whilePaused(async () => {
      // Older than the reminder, but told of later.
      await bob.comments.create({ post_id: post.id, content_markdown: 'One' })
      await ada.reads.set({ subject_id: post.id })
      await passTime(everyone)
    })
    // What was read before the inbox was told of it stays archived.
    const reminder = ['reminder', 'Lunch', undefined, 'What do you think?']
    expect(await inboxOf(everyone, ada)).toMatchObject([reminder] as never)
    expect((await ada.inbox.list()).data[0]).toMatchObject({ is_unread: true, archived_at: null })
    expect((await ada.inbox.list({ archived: true })).data).toMatchObject([{ id: entry!.id, is_unread: false }])
    await bob.comments.create({ post_id: post.id, content_markdown: 'Two' })
    expect(await inboxOf(everyone, ada)).toMatchObject([['comment', 'Lunch', 'Bob Moore', 'Two'], reminder] as never)
    await bob.comments.create({ post_id: post.id, content_markdown: `Three, ${mention(ada)}` })
    expect(await inboxOf(everyone, ada)).toMatchObject([
      ['mention', 'Lunch', 'Bob Moore', 'Three, @Ada Lovelace'],
      ['comment', 'Lunch', 'Bob Moore', 'Two'],
      reminder,
    ] as never)
    await ada.reads.set({ subject_id: post.id })
    expect((await ada.unread.get()).inbox_count).toBe(0)
    await expectConsistent(server)
  })

  test('a reminder of what the member may no longer see is dropped', async () => {
    const everyone = await world()
    const { root, ada, bob, general, server } = everyone
    const secret = await root.channels.create({ name: 'secret', private: true })
    await root.channels.addMember({ channel_id: secret.id, member_id: ada.id })
    const posts = [
      await publish(root, secret, 'Secret'),
      await publish(root, general, 'Gone'),
      await publish(root, general, 'Open'),
    ]
    for (const { id } of posts) await ada.saved.set({ post_id: id, remind_at: inHours(1) })
    await bob.saved.set({ post_id: posts[2]!.id, remind_at: inHours(1) })
    await root.channels.removeMember({ channel_id: secret.id, member_id: ada.id })
    await root.posts.delete({ id: posts[1]!.id })
    await root.members.update({ id: bob.id, is_deactivated: true })
    await saveWithoutMember(everyone, posts[2]!.id)
    await passTime(everyone)
    await root.channels.addMember({ channel_id: secret.id, member_id: ada.id })
    expect((await inboxOf(everyone, ada)).filter(([reason]) => reason === 'reminder')).toMatchObject([
      ['reminder', 'Open', undefined, 'What do you think?'],
    ])
    expect((await ada.saved.list({ reminders: true })).data).toEqual([])
    const { reminders } = await server.parley.engine.read(async (db) => ({
      reminders: await db
        .selectFrom('saved_posts')
        .where('workspace_key', '=', everyone.workspaceKey)
        .where('remind_at', 'is not', null)
        .select('post_id')
        .execute(),
    }))
    expect(reminders).toEqual([])
    await expectConsistent(server)
  })
})
