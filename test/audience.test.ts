import { afterAll, describe, expect, test } from 'bun:test'
import { MAX_GROUPS_IN_TEXT } from '../src/actions/mentions'
import { MAX_WITHOUT_ACCESS } from '../src/contract/audience'
import { MAX_GROUP_MEMBERS } from '../src/contract/groups'
import { attentionNumbers } from '../src/domain/references'
import { expectConsistent } from './consistency'
import { ownTime, slowness } from './cpu-time'
import { author, countReads, expectRefused } from './expectations'
import { addFollowers } from './inbox/followers'
import { sharedServer, time } from './server'
import { world } from './world'

afterAll(async () => expectConsistent(await sharedServer()))

/** A world with the group `design` of ada, bob and gus, and a private channel of root and bob. */
async function worldWithGroup() {
  const cast = await world()
  const { root, ada, bob, gus } = cast
  const design = await root.groups.create({ name: 'design' })
  for (const { id } of [ada, bob, gus]) await root.groups.addMember({ group_id: design.id, member_id: id })
  const secret = await root.channels.create({ name: 'secret', private: true })
  await root.channels.addMember({ channel_id: secret.id, member_id: bob.id })
  return { ...cast, design, secret }
}

const nobody = { without_access: [], without_access_count: 0, can_add: false }

describe('audience.get', () => {
  test('tells who gets a post in a public channel', async () => {
    const { root, ada, bob, vic, gus, general, design } = await worldWithGroup()
    await bob.channels.leave({ channel_id: general.id })
    await vic.follows.set({ subject_id: general.id, level: 'all' })
    await root.follows.set({ subject_id: general.id, level: 'all' })
    const ids = [design.id, ada.id, gus.id, 'channel']
    expect(await root.audience.get({ subject_id: general.id, ids })).toEqual({
      ...{ members_count: 2, is_public: true, followers_count: 1 },
      mentioned: [
        {
          ...{ id: design.id, type: 'group', name: 'design', is_allowed: true, reaches: 2 },
          ...{ without_access: [author(gus, 'Gus Guest')], without_access_count: 1, can_add: true },
        },
        { id: ada.id, type: 'member', name: 'Ada Lovelace', is_allowed: true, reaches: 1, ...nobody },
        {
          ...{ id: gus.id, type: 'member', name: 'Gus Guest', is_allowed: true, reaches: 0 },
          ...{ without_access: [author(gus, 'Gus Guest')], without_access_count: 1, can_add: true },
        },
        { id: 'channel', type: 'channel', name: 'channel', is_allowed: true, reaches: 1, ...nobody },
      ],
    })
    // Who asks is never among them.
    expect((await bob.audience.get({ subject_id: general.id, ids: [bob.id, design.id] })).mentioned).toMatchObject([
      { reaches: 0, without_access_count: 0 },
      { reaches: 1, without_access_count: 1, can_add: false },
    ])
  })

  test('tells who cannot see a private channel, and who may add them', async () => {
    const { root, ada, bob, gus, bot, design, secret, server } = await worldWithGroup()
    const ask = async (who: typeof root) =>
      (await who.audience.get({ subject_id: secret.id, ids: [design.id, bot.id, 'here'] })).mentioned
    await bob.me.get()
    await server.parley.presence.settled()
    const [group, app, here] = await ask(root)
    const hidden = [author(ada, 'Ada Lovelace'), author(gus, 'Gus Guest')]
    expect(group).toMatchObject({ reaches: 1, without_access: hidden, without_access_count: 2, can_add: true })
    expect(app).toMatchObject({ reaches: 0, without_access: [author(bot, 'Bot', 'app')], can_add: true })
    expect(here).toMatchObject({ reaches: 1, is_allowed: true })
    await expectRefused(ask(ada), 'not_found')
    const post = await root.posts.create({ channel_id: secret.id, content_markdown: 'Plans' })
    await bob.follows.set({ subject_id: post.id, level: 'none' })
    expect((await root.audience.get({ subject_id: post.id })).followers_count).toBe(0)
    expect((await bob.audience.get({ subject_id: post.id })).followers_count).toBe(1)
  })

  test('does not tell who has muted a channel, a post or a thread', async () => {
    const { root, ada, bob, secret, design } = await worldWithGroup()
    const post = await root.posts.create({ channel_id: secret.id, content_markdown: 'Plans' })
    const thread = await root.threads.create({ member_ids: [ada.id, bob.id] })
    await bob.follows.set({ subject_id: secret.id, level: 'all' })
    const ask = () =>
      Promise.all(
        [secret.id, post.id, thread.id].map((subject_id) =>
          root.audience.get({ subject_id, ids: [bob.id, design.id, 'channel', 'here'] }),
        ),
      )
    const before = await ask()
    expect(before.map(({ followers_count }) => followers_count)).toEqual([1, 1, 2])
    for (const subject_id of [post.id, thread.id]) await bob.follows.set({ subject_id, level: 'none' })
    expect(await ask()).toEqual(before)
    await bob.follows.set({ subject_id: secret.id, level: 'none' })
    expect((await ask()).map(({ mentioned }) => mentioned)).toEqual(before.map(({ mentioned }) => mentioned))
  })

  test('tells the member who created a channel that they may add people', async () => {
    const { ada, bob, gus } = await worldWithGroup()
    const mine = await ada.channels.create({ name: 'mine' })
    const canAdd = async (who: typeof ada) =>
      (await who.audience.get({ subject_id: mine.id, ids: [gus.id] })).mentioned[0]!.can_add
    expect([await canAdd(ada), await canAdd(bob)]).toEqual([true, false])
    await ada.channels.leave({ channel_id: mine.id })
    expect(await canAdd(ada)).toBe(false)
  })

  test('tells who gets a message', async () => {
    const { root, ada, bob, vic, design } = await worldWithGroup()
    const thread = await root.threads.create({ member_ids: [ada.id, vic.id] })
    const ids = [design.id, bob.id, 'channel']
    const { mentioned, ...rest } = await ada.audience.get({ subject_id: thread.id, ids })
    expect(rest).toEqual({ members_count: 3, is_public: false, followers_count: 2 })
    expect(mentioned).toMatchObject([
      { id: design.id, reaches: 0, without_access_count: 2, can_add: true },
      { id: bob.id, reaches: 0, without_access: [author(bob, 'Bob Moore')], can_add: true },
      { id: 'channel', is_allowed: false, reaches: 0 },
    ])
    const { thread_id } = await root.messages.createDirect({ member_id: ada.id, content_markdown: 'Hi' })
    const direct = await root.audience.get({ subject_id: thread_id, ids: [bob.id] })
    expect(direct).toMatchObject({ members_count: 2, mentioned: [{ reaches: 0, can_add: false }] })
  })

  test('leaves out what the caller cannot see, and says what they may not mention', async () => {
    const { root, ada, bob, gus, zed, vic, general, design } = await worldWithGroup()
    const theirs = await zed.groups.create({ name: 'design' })
    const ids = [theirs.id, zed.id, 'nothing', 'group_x', general.id]
    expect((await root.audience.get({ subject_id: general.id, ids })).mentioned).toEqual([])
    for (const who of [ada, bob]) await who.channels.leave({ channel_id: general.id })
    await root.channels.addMember({ channel_id: general.id, member_id: gus.id })
    const asGuest = await gus.audience.get({ subject_id: general.id, ids: [design.id, ada.id, root.id, 'channel'] })
    expect(asGuest.mentioned).toMatchObject([{ id: root.id }, { id: 'channel', is_allowed: false, reaches: 1 }])
    await root.workspace.update({ channel_mentions: 'admins' })
    for (const [who, is_allowed] of [
      [root, true],
      [ada, false],
      [vic, false],
    ] as const)
      expect((await who.audience.get({ subject_id: general.id, ids: ['here'] })).mentioned).toMatchObject([
        { is_allowed },
      ])
  })

  test('counts for @here who was seen lately', async () => {
    const { root, ada, bob, general, server } = await worldWithGroup()
    for (const who of [ada, bob]) await who.channels.join({ channel_id: general.id })
    await server.parley.presence.settled()
    time.advance(11 * 60_000)
    await ada.me.get()
    await server.parley.presence.settled()
    const { id } = await root.members.create({ email: 'eve@example.com', display_name: 'Eve', role: 'member' })
    await root.channels.addMember({ channel_id: general.id, member_id: id })
    const { mentioned } = await root.audience.get({ subject_id: general.id, ids: ['here', 'channel'] })
    expect(mentioned.map(({ reaches }) => reaches)).toEqual([1, 3])
    time.advance(-11 * 60_000)
  })

  test('takes as many statements for many as for one', async () => {
    const cast = await worldWithGroup()
    const { root, ada, bob, secret, design } = cast
    const more = []
    for (let at = 0; at < 10; at++) {
      const group = await root.groups.create({ name: `g${at}` })
      await root.groups.addMember({ group_id: group.id, member_id: ada.id })
      more.push(group.id)
    }
    const ask = (ids: string[]) => countReads(cast, root, () => root.audience.get({ subject_id: secret.id, ids }))
    const one = await ask([design.id, ada.id])
    expect(await ask([design.id, ada.id, bob.id, ...more])).toBe(one)
    expect(one).toBeLessThanOrEqual(7)
  })

  test('looks at everyone whom a text can mention, in less than 50 ms', async () => {
    const { root, ada, bob, secret, general, server, workspaceKey } = await worldWithGroup()
    const groups: string[] = []
    for (let at = 0; at < MAX_GROUPS_IN_TEXT; at++) groups.push((await root.groups.create({ name: `g${at}` })).id)
    await server.parley.engine.write(async (db) => {
      const people = await addFollowers(db, general.id, MAX_GROUP_MEMBERS)
      const rows = people.map(({ key: author_key }, at) => ({
        ...{ workspace_key: workspaceKey, author_key, author_id: `mem_${workspaceKey}_${at}`, created_at: 0 },
      }))
      for (const { key: group_key } of await db.selectFrom('groups').where('id', 'in', groups).select('key').execute())
        for (let from = 0; from < rows.length; from += 100)
          await db
            .insertInto('group_members')
            .values(rows.slice(from, from + 100).map((row) => ({ ...row, group_key })))
            .execute()
      await db.updateTable('groups').set({ members_count: rows.length }).where('id', 'in', groups).execute()
    })
    let least = Number.POSITIVE_INFINITY
    for (let attempt = 0; attempt < 10; attempt++) {
      const start = ownTime()
      const { mentioned } = await root.audience.get({ subject_id: secret.id, ids: [bob.id, ...groups, ada.id] })
      least = Math.min(least, ownTime() - start)
      expect(mentioned.map(({ without_access_count }) => without_access_count)).toEqual([
        0,
        ...groups.map(() => MAX_GROUP_MEMBERS),
        1,
      ])
      for (const { without_access } of mentioned.slice(1, -1)) expect(without_access).toHaveLength(MAX_WITHOUT_ACCESS)
    }
    // On PostgreSQL, nobody else waits meanwhile.
    if (server.parley.engine.kind === 'sqlite') expect(least / slowness()).toBeLessThan(50)
  })

  test('counts no further than 1,000', async () => {
    const cast = await worldWithGroup()
    const { root, general, server, workspaceKey, design } = cast
    const people = await server.parley.engine.write(async (db) => {
      const added = await addFollowers(db, general.id, 1_010)
      const { key } = await db
        .selectFrom('channels')
        .where('id', '=', general.id)
        .select('key')
        .executeTakeFirstOrThrow()
      for (const { key: author_key } of added)
        await db
          .insertInto('channel_members')
          .values({ workspace_key: workspaceKey, channel_key: key, author_key, author_id: '', created_at: 0 })
          .execute()
      return added.map((each) => each.key)
    })
    const found = await root.audience.get({ subject_id: general.id, ids: ['channel', design.id] })
    expect(found.followers_count).toBe(1_000)
    expect(found.mentioned.map(({ reaches }) => reaches)).toEqual([1_000, 2])
    // They were inserted as rows.
    await server.parley.engine.write(async (db) => {
      await db.deleteFrom('channel_members').where('author_key', 'in', people).execute()
      await db
        .deleteFrom('follows')
        .where('kind', '=', attentionNumbers.channel)
        .where('author_key', 'in', people)
        .execute()
    })
  })
})
