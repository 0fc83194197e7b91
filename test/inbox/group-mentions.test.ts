import { afterAll, describe, expect, test } from 'bun:test'
import {
  MAX_CHANNEL_MENTIONS,
  MAX_GROUP_MENTIONS,
  MAX_GROUPS_IN_TEXT,
  MAX_UNCOUNTED_PEOPLE,
} from '../../src/actions/mentions'
import { attentionNumbers } from '../../src/domain/references'
import { fillInboxes } from '../../src/jobs/inbox'
import { insertGroupMember } from '../../src/store/people/groups'
import { expectConsistent } from '../consistency'
import { expectRefused } from '../expectations'
import { sharedServer, time } from '../server'
import { type Person, type World, world } from '../world'
import { inboxOf, mention, publish } from './entries'
import { addFollowers } from './followers'

afterAll(async () => expectConsistent(await sharedServer()))

/** A world with the group `design` of ada, bob and gus; ada and bob are in #general. */
async function worldWithGroup() {
  const cast = await world()
  const { root, ada, bob, gus, general } = cast
  const design = await root.groups.create({ name: 'design' })
  for (const { id } of [ada, bob, gus]) await root.groups.addMember({ group_id: design.id, member_id: id })
  for (const who of [ada, bob]) await who.channels.join({ channel_id: general.id })
  // Whoever was added to a group has nothing in their inbox of it.
  await cast.fillInboxes()
  return { ...cast, design }
}

/** Adds so many new people to a group, as rows. */
async function addPeople({ server, general, workspaceKey }: World, { id }: { id: string }, count: number) {
  await server.parley.engine.write(async (db) => {
    const group = {
      ...(await db.selectFrom('groups').where('id', '=', id).select('key').executeTakeFirstOrThrow()),
      workspace_key: workspaceKey,
    }
    for (const [number, { key }] of (await addFollowers(db, general.id, count)).entries())
      await insertGroupMember(db, group, { key, id: `mem_${workspaceKey}_${number}` }, 0)
  })
}

const reasons = async (cast: World, who: Person) => (await inboxOf(cast, who)).map(([reason]) => reason)

describe('a mention of a group', () => {
  test('tells those who are in it and can see it, once', async () => {
    const cast = await worldWithGroup()
    const { root, ada, bob, vic, gus, general, design } = cast
    const post = await publish(bob, general, 'Logo', `Hi ${mention(design)}, and ${mention(design)}!`)
    expect(post.content).toBe(
      `<p>Hi <a class="mention" href="${cast.baseUrl}/groups/${design.id}" rel="nofollow noopener noreferrer">@design</a>, and <a class="mention" href="${cast.baseUrl}/groups/${design.id}" rel="nofollow noopener noreferrer">@design</a>!</p>`,
    )
    expect(await inboxOf(cast, ada)).toEqual([['group_mention', 'Logo', 'Bob Moore', 'Hi @design, and @design!']])
    const [entry] = (await ada.inbox.list()).data
    expect(entry).toMatchObject({ about: 'mention', group: { id: design.id, name: 'design' }, is_unread: true })
    // The author, who is not in the group, and who cannot see it.
    for (const who of [bob, root, vic, gus]) expect(await reasons(cast, who)).toEqual([])
  })

  test('counts as a mention of oneself if there is one, too', async () => {
    const cast = await worldWithGroup()
    await publish(cast.bob, cast.general, 'Logo', `${mention(cast.design)} ${mention(cast.ada)}`)
    expect(await reasons(cast, cast.ada)).toEqual(['mention'])
    expect((await cast.ada.inbox.list()).data[0]!.group).toBeNull()
  })

  test('does not make anyone follow the post', async () => {
    const cast = await worldWithGroup()
    const post = await publish(cast.bob, cast.general, 'Logo', `${mention(cast.design)}`)
    await cast.fillInboxes()
    await cast.root.comments.create({ post_id: post.id, content_markdown: 'Which one?' })
    expect(await reasons(cast, cast.ada)).toEqual(['group_mention'])
    expect(await cast.ada.follows.get({ subject_id: post.id })).toMatchObject({ level: 'mentions', is_chosen: false })
    expect((await cast.ada.follows.reset({ subject_id: post.id })).level).toBe('mentions')
  })

  test('tells nobody who muted the post or the channel', async () => {
    const cast = await worldWithGroup()
    await cast.ada.follows.set({ subject_id: cast.general.id, level: 'none' })
    await publish(cast.root, cast.general, 'Logo', `${mention(cast.design)}`)
    expect(await reasons(cast, cast.ada)).toEqual([])
    expect(await reasons(cast, cast.bob)).toEqual(['group_mention'])
  })

  test('reaches in a private channel only those who are in it', async () => {
    const cast = await worldWithGroup()
    const { root, ada, bob, gus, design } = cast
    const secret = await root.channels.create({ name: 'secret', private: true })
    for (const { id } of [bob, gus]) await root.channels.addMember({ channel_id: secret.id, member_id: id })
    await cast.fillInboxes()
    await publish(root, secret, 'Plans', `${mention(design)}`)
    expect(await reasons(cast, ada)).toEqual([])
    expect(await reasons(cast, bob)).toEqual(['group_mention', 'added'])
    expect(await reasons(cast, gus)).toEqual(['group_mention', 'added'])
  })

  test('in a comment or a message tells those who can read it', async () => {
    const cast = await worldWithGroup()
    const { root, ada, bob, vic, general, design } = cast
    const post = await publish(root, general, 'Logo')
    const comment = await root.comments.create({ post_id: post.id, content_markdown: `Well, ${mention(design)}?` })
    const thread = await root.threads.create({ member_ids: [ada.id, vic.id], title: 'Talk' })
    await root.messages.create({ thread_id: thread.id, content_markdown: `See ${mention(design)}` })
    await cast.fillInboxes()
    const entries = (await ada.inbox.list({ about: ['mention'] })).data
    expect(entries.map(({ reason, item_id, subject }) => [reason, item_id === comment.id, subject.title])).toEqual([
      ['group_mention', false, 'Talk'],
      ['group_mention', true, 'Logo'],
    ])
    expect(await reasons(cast, bob)).toEqual(['group_mention'])
    // Takes part in the thread, and is not in the group.
    expect(await reasons(cast, vic)).not.toContain('group_mention')
  })

  test('that an edit adds tells once', async () => {
    const cast = await worldWithGroup()
    const { ada, bob, general, design } = cast
    const post = await publish(bob, general, 'Logo', 'Hi')
    await bob.posts.update({ id: post.id, content_markdown: `Hi ${mention(design)}` })
    expect(await reasons(cast, ada)).toEqual(['group_mention'])
    await ada.inbox.readAll()
    await bob.posts.update({ id: post.id, content_markdown: `Hello ${mention(design)}` })
    await cast.fillInboxes()
    expect((await ada.inbox.list({ unread: true })).data).toEqual([])
    const comment = await bob.comments.create({ post_id: post.id, content_markdown: 'So' })
    await bob.comments.update({ id: comment.id, content_markdown: `So ${mention(design)}` })
    await cast.fillInboxes()
    expect((await ada.inbox.list({ unread: true })).data.map(({ item_id }) => item_id)).toEqual([comment.id])
  })

  test('counts who is in it when the entry is made', async () => {
    const cast = await worldWithGroup()
    const { root, ada, vic, general, design, server } = cast
    await server.inboxFiller()!.whilePaused(async () => {
      await publish(cast.bob, general, 'Logo', `${mention(design)}`)
      await root.groups.removeMember({ group_id: design.id, member_id: ada.id })
      await root.groups.addMember({ group_id: design.id, member_id: vic.id })
    })
    expect(await reasons(cast, ada)).toEqual([])
    expect(await reasons(cast, vic)).toEqual(['group_mention'])
  })

  test('that is deleted meanwhile tells nobody, and its text stays', async () => {
    const cast = await worldWithGroup()
    const { root, ada, bob, general, design, server } = cast
    const told = await publish(bob, general, 'Logo', `${mention(design)}`)
    await cast.fillInboxes()
    await server.inboxFiller()!.whilePaused(async () => {
      await publish(bob, general, 'Font', `${mention(design)}`)
      await root.groups.delete({ id: design.id })
      const next = await root.groups.create({ name: 'ops' })
      await root.groups.addMember({ group_id: next.id, member_id: ada.id })
    })
    await cast.fillInboxes()
    const entries = (await ada.inbox.list()).data
    expect(entries.map(({ subject, group }) => [subject.title, group])).toEqual([['Logo', null]])
    expect((await ada.posts.get({ id: told.id })).content).toContain('>@design</a>')
    const after = await publish(bob, general, 'Color', `Hi ${mention(design)}`)
    expect(after.content).toBe(`<p>Hi &lt;@${design.id}&gt;</p>`)
  })

  test('keeps the name it was written with', async () => {
    const cast = await worldWithGroup()
    const { root, ada, bob, general, design } = cast
    const post = await publish(bob, general, 'Logo', `${mention(design)}`)
    await root.groups.update({ id: design.id, name: 'artists' })
    expect((await ada.posts.get({ id: post.id })).content).toContain('@design')
    await cast.fillInboxes()
    expect((await ada.inbox.list()).data[0]!.group!.name).toBe('artists')
    const edited = await bob.posts.update({ id: post.id, content_markdown: `${mention(design)}!` })
    expect(edited.content).toContain('@artists')
  })

  test('of another workspace, by a guest, or in code is text', async () => {
    const cast = await worldWithGroup()
    const { root, zed, gus, ada, general, design } = cast
    const theirs = await zed.groups.create({ name: 'design' })
    await root.channels.addMember({ channel_id: general.id, member_id: gus.id })
    await cast.fillInboxes()
    for (const [who, text] of [
      [root, `Hi ${mention(theirs)}`],
      [gus, `Hi ${mention(design)}`],
      [root, `Hi \`${mention(design)}\``],
    ] as const) {
      const post = await publish(who, general, 'Logo', text)
      expect(post.content).not.toContain('class="mention"')
    }
    expect(await reasons(cast, ada)).toEqual([])
  })

  test('is written by an app', async () => {
    const cast = await worldWithGroup()
    const { root, bot, ada, general, design } = cast
    await root.channels.addMember({ channel_id: general.id, member_id: bot.id })
    await publish(bot, general, 'Build', `${mention(design)} <@channel>`)
    expect(await inboxOf(cast, ada)).toEqual([['group_mention', 'Build', 'Bot', '@design @channel']])
  })

  test('is the title of a post without one', async () => {
    const { bob, general, design } = await worldWithGroup()
    const post = await bob.posts.create({
      channel_id: general.id,
      content_markdown: `${mention(design)} and <@here>: look`,
    })
    expect(post.title).toBe('@design and @here: look')
  })
})

describe('a mention of everyone in a channel', () => {
  test('tells its members, and nobody else', async () => {
    const cast = await worldWithGroup()
    const { root, ada, bob, vic, gus, general } = cast
    const post = await publish(bob, general, 'Fire drill', 'Listen, <@channel>!')
    expect(post.content).toBe('<p>Listen, <span class="mention">@channel</span>!</p>')
    for (const who of [root, ada])
      expect(await inboxOf(cast, who)).toEqual([['channel_mention', 'Fire drill', 'Bob Moore', 'Listen, @channel!']])
    for (const who of [bob, vic, gus]) expect(await reasons(cast, who)).toEqual([])
    expect((await ada.inbox.list()).data[0]).toMatchObject({ about: 'mention', group: null })
  })

  test('tells with @here those who were seen lately', async () => {
    const cast = await worldWithGroup()
    const { root, ada, bob, vic, general, server } = cast
    await vic.channels.join({ channel_id: general.id })
    await server.parley.presence.settled()
    time.advance(11 * 60_000)
    await ada.me.get()
    await bob.me.get()
    await server.parley.presence.settled()
    const invited = await root.members.create({ email: 'eve@example.com', display_name: 'Eve', role: 'member' })
    await root.channels.addMember({ channel_id: general.id, member_id: invited.id })
    await publish(bob, general, 'Lunch?', '<@here>')
    expect(await reasons(cast, ada)).toEqual(['here_mention'])
    // Nobody who was just invited is here already.
    expect(await reasons(cast, await cast.tokenFor(invited.id, ['read']))).toEqual(['added'])
    expect(await reasons(cast, vic)).toEqual([])
    time.advance(-11 * 60_000)
  })

  test('in a comment tells them, too, and in a message it is text', async () => {
    const cast = await worldWithGroup()
    const { root, ada, bob, general } = cast
    const post = await publish(root, general, 'Drill')
    await bob.comments.create({ post_id: post.id, content_markdown: '<@channel>' })
    expect(await reasons(cast, ada)).toEqual(['channel_mention'])
    const message = await bob.messages.createDirect({ member_id: ada.id, content_markdown: '<@channel> <@here>' })
    expect(message.content).toBe('<p>@channel @here</p>')
  })

  test('can be limited to admins', async () => {
    const cast = await worldWithGroup()
    const { root, ada, bob, bot, gus, general, events } = cast
    await root.channels.addMember({ channel_id: general.id, member_id: gus.id })
    const before = await publish(bob, general, 'Before', 'Hi <@channel>')
    await expectRefused(publish(gus, general, 'No', '<@channel>'), 'forbidden')
    await root.workspace.update({ channel_mentions: 'admins' })
    const made = (await events()).length
    for (const who of [ada, bot]) await expectRefused(publish(who, general, 'No', '<@here>'), 'forbidden')
    const post = await publish(ada, general, 'Mine', 'Hi')
    await expectRefused(ada.posts.update({ id: post.id, content_markdown: 'Hi <@channel>' }), 'forbidden')
    await expectRefused(ada.comments.create({ post_id: post.id, content_markdown: '<@channel>' }), 'forbidden')
    await expectRefused(ada.posts.resolve({ post_id: post.id, content_markdown: '<@channel>' }), 'forbidden')
    expect((await events()).slice(made)).toEqual(['post.created'])
    // What was mentioned before stays, and tells nobody again.
    const edited = await bob.posts.update({ id: before.id, content_markdown: 'Hello <@channel>' })
    expect(edited.content).toContain('class="mention"')
    expect((await publish(root, general, 'Yes', '<@channel>')).content).toContain('class="mention"')
    expect(
      (await ada.posts.create({ channel_id: general.id, content_markdown: '`<@channel>`' })).content,
    ).not.toContain('mention')
  })

  test('that an admin adds to the text of someone without the right is text', async () => {
    const cast = await worldWithGroup()
    const { root, ada, bob, general } = cast
    await root.workspace.update({ channel_mentions: 'admins' })
    const post = await publish(bob, general, 'Mine', 'Hi')
    const edited = await root.posts.update({ id: post.id, content_markdown: 'Hi <@channel>' })
    expect(edited.content).toBe('<p>Hi @channel</p>')
    expect(await reasons(cast, ada)).toEqual([])
  })

  test('is limited for each person and hour', async () => {
    const cast = await worldWithGroup()
    const { bob, ada, general } = cast
    for (let times = 0; times < MAX_CHANNEL_MENTIONS; times++)
      await publish(bob, general, 'Again', '<@channel> <@here>')
    const refused = publish(bob, general, 'Once more', '<@here>')
    await expect(refused).rejects.toMatchObject({ code: 'too_many_mentions', status: 409 })
    await refused.catch(({ detail }) => expect(detail).toMatch(/10 times an hour.* try again in 60 minutes\.$/))
    await publish(ada, general, 'Others may', '<@channel>')
    // A title that is changed, or a text that mentioned it before, is none more.
    const post = (await bob.posts.list()).data.find(({ title }) => title === 'Again')!
    await bob.posts.update({ id: post.id, title: 'Changed' })
    await bob.posts.update({ id: post.id, content_markdown: 'So <@channel>' })
    expect((await bob.markdown.render({ content_markdown: '<@channel>' })).content).toContain('class="mention"')
    time.advance(61 * 60_000)
    await publish(bob, general, 'An hour later', '<@channel>')
    time.advance(-61 * 60_000)
  })

  test('by a repeated request counts and tells once', async () => {
    const cast = await worldWithGroup()
    const { bob, ada, general } = cast
    for (let times = 0; times < 2 * MAX_CHANNEL_MENTIONS; times++)
      await bob.posts.create({ channel_id: general.id, content_markdown: '<@channel>' }, { idempotencyKey: 'same' })
    expect(await reasons(cast, ada)).toEqual(['channel_mention'])
    await publish(bob, general, 'Another', '<@channel>')
  })

  test('by an incoming webhook is text', async () => {
    const cast = await worldWithGroup()
    const { root, ada, general, raw } = cast
    const hook = await root.hooks.create({ name: 'Alerts', channel_id: general.id })
    for (const body of [
      { text: 'Down <!channel>' },
      { text: 'Down <@channel>' },
      { content_markdown: 'Down <@channel>' },
    ]) {
      const sent = await raw(undefined, new URL(hook.url).pathname, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      })
      expect(sent.status).toBe(200)
    }
    const { data } = await ada.posts.list({ channel_id: general.id })
    expect(data).toHaveLength(3)
    for (const { content } of data) expect(content).not.toContain('class="mention"')
    // An admin who corrects it does not tell everyone, either.
    const edited = await root.posts.update({ id: data[0]!.id, content_markdown: 'Up again <@channel>' })
    expect(edited.content).not.toContain('class="mention"')
    expect(await reasons(cast, ada)).toEqual([])
  })
})

describe('mentions of groups', () => {
  /** A world in which `crowd` has one more person than is not counted. */
  async function worldWithCrowd() {
    const cast = await worldWithGroup()
    const crowd = await cast.root.groups.create({ name: 'crowd' })
    await addPeople(cast, crowd, MAX_UNCOUNTED_PEOPLE + 1)
    return { ...cast, crowd }
  }

  async function sendToHook({ raw }: World, hook: { url: string }, content_markdown: string) {
    const sent = await raw(undefined, new URL(hook.url).pathname, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ content_markdown }),
    })
    expect(sent.status).toBe(200)
  }

  test('of many people are limited for each person and hour', async () => {
    const { bob, ada, general, crowd, design, events } = await worldWithCrowd()
    const post = await publish(bob, general, 'Hi', `Hi ${mention(crowd)}`)
    const comment = await bob.comments.create({ post_id: post.id, content_markdown: 'Hi' })
    const message = await bob.messages.createDirect({ member_id: ada.id, content_markdown: 'Hi' })
    for (let times = 1; times < MAX_GROUP_MENTIONS; times++)
      await bob.comments.create({ post_id: post.id, content_markdown: mention(crowd) })

    const made = (await events()).length
    const content_markdown = `So ${mention(crowd)}`
    const refused = [
      () => publish(bob, general, 'No', content_markdown),
      () => bob.comments.create({ post_id: post.id, content_markdown }),
      () => bob.comments.update({ id: comment.id, content_markdown }),
      () => bob.posts.resolve({ post_id: post.id, content_markdown }),
      () => bob.messages.create({ thread_id: message.thread_id, content_markdown }),
      () => bob.messages.createDirect({ member_id: ada.id, content_markdown }),
      () => bob.messages.update({ id: message.id, content_markdown }),
    ]
    for (const send of refused)
      await expect(send()).rejects.toMatchObject({
        ...{ code: 'too_many_mentions', status: 409 },
        detail: expect.stringMatching(/more than 20 people 60 times an hour.* try again in 60 minutes\.$/),
      })
    expect((await events()).length).toBe(made)

    await bob.posts.update({ id: post.id, content_markdown })
    expect((await bob.markdown.render({ content_markdown })).content).toContain('class="mention"')
    await publish(bob, general, 'Few', mention(design))
    await publish(bob, general, 'All', '<@channel>')
    await publish(ada, general, 'Others may', content_markdown)
    time.advance(61 * 60_000)
    await publish(bob, general, 'An hour later', content_markdown)
    time.advance(-61 * 60_000)
  })

  test('count by what an edit adds', async () => {
    const { bob, general, crowd, design } = await worldWithCrowd()
    const post = await publish(bob, general, 'Hi', 'Hi')
    for (let times = 0; times < MAX_GROUP_MENTIONS / 2; times++)
      for (const text of [`Hi ${mention(crowd)}`, 'Hi']) await bob.posts.update({ id: post.id, content_markdown: text })
    for (let times = 0; times < MAX_GROUP_MENTIONS / 2; times++) await publish(bob, general, 'So', mention(crowd))
    const again = bob.posts.update({ id: post.id, content_markdown: `${mention(crowd)} ${mention(design)}` })
    await expectRefused(again, 'too_many_mentions')
  })

  test('of few people are not limited', async () => {
    const { bob, general, design } = await worldWithGroup()
    for (let times = 0; times <= MAX_GROUP_MENTIONS; times++) await publish(bob, general, 'Hi', mention(design))
  })

  test('are at most ten in a text', async () => {
    const cast = await worldWithGroup()
    const { root, bob, general } = cast
    const groups = []
    for (let at = 0; at <= MAX_GROUPS_IN_TEXT; at++) groups.push(await root.groups.create({ name: `g${at}` }))
    const all = groups.map(mention).join(' ')
    const ten = groups.slice(1).map(mention).join(' ')
    const refused = { code: 'invalid_input', errors: [{ name: 'content_markdown' }] }
    await expect(publish(bob, general, 'Hi', all)).rejects.toMatchObject(refused)
    const post = await publish(bob, general, 'Hi', ten)
    await expect(bob.posts.update({ id: post.id, content_markdown: all })).rejects.toMatchObject(refused)
    await expect(bob.posts.resolve({ post_id: post.id, content_markdown: all })).rejects.toMatchObject(refused)
    await bob.posts.update({ id: post.id, content_markdown: `${ten} \`${all}\`` })
  })

  test('by incoming webhooks of one person count together, and are shown as they were written', async () => {
    const cast = await worldWithCrowd()
    const { bob, root, general, crowd } = cast
    const hooks = []
    for (const name of ['A', 'B']) hooks.push(await bob.hooks.create({ name, channel_id: general.id }))
    for (let times = 0; times < MAX_GROUP_MENTIONS; times++)
      await sendToHook(cast, hooks[times % 2]!, `Down ${mention(crowd)}`)
    await sendToHook(cast, hooks[0]!, `Once more ${mention(crowd)}`)
    const [last, before] = (await bob.posts.list({ channel_id: general.id })).data
    expect(before!.content).toContain('class="mention"')
    expect(last!.content).toBe(`<p>Once more &lt;@${crowd.id}&gt;</p>`)
    const rows = await cast.eventRows()
    expect(rows.filter(({ named_groups }) => named_groups !== '')).toHaveLength(MAX_GROUP_MENTIONS)
    await publish(bob, general, 'Me', mention(crowd))
    await sendToHook(cast, await root.hooks.create({ name: 'C', channel_id: general.id }), mention(crowd))
    expect((await cast.eventRows()).filter(({ named_groups }) => named_groups !== '')).toHaveLength(
      MAX_GROUP_MENTIONS + 2,
    )
  })

  test('of few people are told together', async () => {
    const cast = await worldWithGroup()
    const { root, ada, bob, vic, general, design, server, workspaceKey } = cast
    const ops = await root.groups.create({ name: 'ops' })
    await root.groups.addMember({ group_id: ops.id, member_id: vic.id })
    const post = await publish(root, general, 'Logo')
    await cast.fillInboxes()
    await server.inboxFiller()!.whilePaused(async () => {
      const comment = (who: Person, content_markdown: string) =>
        who.comments.create({ post_id: post.id, content_markdown })
      for (let at = 0; at < 10; at++) await comment(bob, `${at} ${mention(design)}`)
      await comment(ada, `Last ${mention(design)}`)
      for (let at = 0; at < 10; at++) await comment(bob, `${at} ${mention(ops)}`)
      let steps = 1
      while ((await fillInboxes(server.parley, { workspace_key: workspaceKey })).hasMore) steps += 1
      expect(steps).toBe(1)
    })
    const told = [
      [ada, ['comment', 'Bob Moore', '9 @ops'], ['group_mention', 'Bob Moore', '9 @design']],
      [bob, ['group_mention', 'Ada Lovelace', 'Last @design']],
      [vic, ['group_mention', 'Bob Moore', '9 @ops']],
      [root, ['comment', 'Bob Moore', '9 @ops']],
    ] as const
    for (const [who, ...entries] of told) {
      const all = (await inboxOf(cast, who)).map(([reason, , actor, text]) => [reason, actor, text])
      // Whether Bob, who follows the post since his comment, is told of the post itself depends on when inboxes were filled.
      expect(all.filter(([reason]) => reason !== 'post')).toEqual(entries.map((entry) => [...entry]))
    }
  })
})

test('a mention of 1,000 people is one short event, and told in batches, each once', async () => {
  const cast = await worldWithGroup()
  const { root, bob, general, design, server, workspaceKey } = cast
  const people = await server.parley.engine.write(async (db) => {
    const added = await addFollowers(db, general.id, 1_000)
    const channel = await db.selectFrom('channels').where('id', '=', general.id).select('key').executeTakeFirstOrThrow()
    const keys = added.map(({ key }) => key)
    await db
      .deleteFrom('follows')
      .where('kind', '=', attentionNumbers.channel)
      .where('author_key', 'in', keys)
      .execute()
    for (const key of keys)
      await db
        .insertInto('channel_members')
        .values({
          workspace_key: workspaceKey,
          channel_key: channel.key,
          author_key: key,
          author_id: `mem_${key}`,
          created_at: 0,
        })
        .execute()
    return keys
  })
  await server.inboxFiller()!.whilePaused(async () => {
    await publish(bob, general, 'Everyone', `<@channel> ${mention(design)}`)
    await publish(bob, general, 'Later', `Hi ${mention(root)}`)
    let steps = 0
    while ((await fillInboxes(server.parley, { workspace_key: workspaceKey })).hasMore) steps += 1
    expect(steps).toBeGreaterThanOrEqual(5)
  })
  const rows = await cast.eventRows()
  const [row] = rows.filter(({ type, data }) => type === 'post.created' && data.includes('Everyone'))
  expect([row!.named_groups.length, row!.named]).toEqual([expect.any(Number), ''])
  expect(row!.named_groups.length).toBeLessThan(40)
  const entries = await server.parley.engine.read((db) =>
    db.selectFrom('inbox_entries').where('author_key', 'in', people).select(['author_key', 'reason']).execute(),
  )
  expect(entries).toHaveLength(1_000)
  expect(new Set(entries.map(({ reason }) => reason))).toEqual(new Set(['channel_mention']))
  expect(await reasons(cast, root)).toEqual(['mention', 'channel_mention'])
  // They were inserted as rows.
  await server.parley.engine.write((db) => db.deleteFrom('channel_members').where('author_key', 'in', people).execute())
})
