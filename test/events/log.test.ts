import { describe, expect, test } from 'bun:test'
import { Compile } from 'typebox/compile'
import { Event, type EventData, eventDefinitions } from '../../src/contract/events'
import { positionOf } from '../../src/domain/events/positions'
import { seedWorkspace } from '../../src/seed'
import { findWorkspace } from '../../src/store/people/workspaces'
import { createClient } from '../client'
import { author, idOf } from '../expectations'
import { newMigratedDatabase, startTestServer, time } from '../server'
import { signedIn } from '../session/browser'
import { type Person, world } from '../world'
import { allEvents, endOfLog } from './log'

const fits = Object.fromEntries(Object.entries(eventDefinitions).map(([type, { data }]) => [type, Compile(data)]))
const isEvent = Compile(Event)

describe('the log', () => {
  test('says who signed in and out, with which browser', async () => {
    const cast = await world()
    const before = await endOfLog(cast.root)
    const { ask } = await signedIn(cast, cast.root, { 'User-Agent': 'Mozilla/5.0 (X11; Linux) Firefox/151.0' })
    await ask('DELETE', '/session')
    const events = await allEvents(cast.root, before)
    const note = { id: idOf('ses'), name: 'Firefox on Linux', member: author(cast.root, 'Root Admin') }
    expect(events.map(({ type, data }): unknown => [type, data])).toEqual([
      ['session.created', note],
      ['session.ended', note],
    ])
    for (const event of events) {
      expect([event.type, fits[event.type]!.Check(event.data), isEvent.Check(event)]).toEqual([event.type, true, true])
      expect(event.actor).toEqual(note.member)
    }
  })

  test('says whose sign-in link was revoked by a new password', async () => {
    const { root, events } = await world()
    await root.members.createSignInLink({ member_id: root.id })
    await root.me.setPassword({ password: 'correct horse' })
    expect(await events()).toEqual(['sign_in_link.created', 'password.changed', 'sign_in_link.revoked'])
  })

  test('says that a member who makes a channel private joins it', async () => {
    const { root, ada, events } = await world()
    const channel = await root.channels.create({ name: 'plans' })
    await root.channels.addMember({ channel_id: channel.id, member_id: ada.id })
    await root.channels.removeMember({ channel_id: channel.id, member_id: root.id })
    await root.channels.update({ id: channel.id, private: true })
    expect((await events()).slice(-3)).toEqual(['channel.member_added', 'channel.updated', 'access.lost'])
    const [added, updated] = (await allEvents(root)).slice(-2).map(({ data }) => data)
    expect(added).toMatchObject({ channel: { members_count: 2, is_private: false }, member: { id: root.id } })
    expect(updated).toMatchObject({ members_count: 2, is_private: true })
  })

  test('names the actor, or nobody for the operator', async () => {
    const { root, ada, bot, general, tokenFor } = await world()
    const before = await endOfLog(root)
    await ada.posts.create({ channel_id: general.id, content_markdown: 'By Ada' })
    await bot.posts.create({ channel_id: general.id, content_markdown: 'By the bot' })
    await tokenFor(ada.id, ['read'])
    const actors = (await allEvents(root, before)).map(({ type, actor }) => [type, actor])
    expect(actors).toEqual([
      ['post.created', author(ada, 'Ada Lovelace')],
      ['post.created', author(bot, 'Bot', 'app')],
      ['token.created', null],
    ])
  })

  test('still names an app after it was deleted', async () => {
    const { root, bot, general } = await world()
    const before = await endOfLog(root)
    await bot.posts.create({ channel_id: general.id, content_markdown: 'By the bot' })
    await root.apps.delete({ id: bot.id })
    const [posted] = await allEvents(root, before)
    expect(posted!.actor).toEqual(author(bot, 'Bot', 'app'))
  })

  test('keeps earlier versions after an edit', async () => {
    const { ada, general } = await world()
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'First' })
    const created = (await allEvents(ada)).at(-1)!
    await ada.posts.update({ id: post.id, content_markdown: 'Second' })
    const kept = (await allEvents(ada)).find(({ id }) => id === created.id)
    expect(kept).toEqual(created)
    expect((kept!.data as EventData<'post.created'>).content).toBe('<p>First</p>')
  })

  test('has the time of the change', async () => {
    const { ada, general } = await world()
    time.freeze()
    const { created_at } = await ada.posts.create({ channel_id: general.id, content_markdown: 'Now' })
    time.unfreeze()
    expect((await allEvents(ada)).at(-1)!.timestamp).toBe(created_at)
  })

  test('starts with the workspace, and counts what was seeded', async () => {
    const database = await newMigratedDatabase()
    const server = await startTestServer({ DATABASE_URL: database.url })
    const { token } = (await server.ready)!
    const home = await server.parley.engine.read(async (db) => (await findWorkspace(db, 'home'))!)
    const wishes = { posts: 3, channels: 2, members: 3, commentsEvery: 2, threads: 1, seed: 1, until: Date.now() }
    await seedWorkspace(server.parley, home, wishes)
    const admin = createClient({ baseUrl: server.url, token }) as Person
    const events = await allEvents(admin)
    expect(events[0]).toMatchObject({ type: 'workspace.created', actor: null, data: { id: home.id, name: 'Home' } })
    expect(events.at(-1)).toMatchObject({ type: 'workspace.seeded', actor: null, data: { threads: 1 } })
    for (const { type, data } of events) expect([type, fits[type]!.Check(data)]).toEqual([type, true])
    // There is no other event about it, so clients that keep a copy need this one.
    const { id } = await admin.apps.create({ name: 'Mirror' })
    const app = await admin.apps.createToken({ id, scopes: ['read'] })
    expect(
      (await allEvents(createClient({ baseUrl: server.url, token: app.token }) as Person)).map(({ type }) => type),
    ).toContain('workspace.seeded')
    await server.stop()
    await database.drop()
  })
})

describe('the id of an event', () => {
  test('grows by one revision, also within a transaction', async () => {
    const { root, ada, bot, general } = await world()
    for (let turn = 0; turn < 3; turn++)
      await ada.posts.create({ channel_id: general.id, content_markdown: `<@${bot.id}> ${turn}` })
    const events = await allEvents(root)
    const ids = events.map(({ id }) => id)
    expect(ids.toSorted()).toEqual(ids)
    const revisions = events.map(({ id, workspace_id }) => positionOf(workspace_id, id)!.revision)
    expect(revisions).toEqual(revisions.map((_, at) => revisions[0]! + at))
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['post.created', 'app.mentioned'])
    expect(events.at(-1)!.timestamp).toBe(events.at(-2)!.timestamp)
  })

  test('is unique on the server, and invalid in other workspaces', async () => {
    const { root, zed } = await world()
    const [home, away] = [await allEvents(root), await allEvents(zed)]
    expect(new Set([...home, ...away].map(({ id }) => id)).size).toBe(home.length + away.length)
    await expect(zed.events.list({ after: home[0]!.id })).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test('is not issued for failed writes', async () => {
    const { ada, root, general } = await world()
    const before = await endOfLog(root)
    await expect(ada.posts.create({ channel_id: 'chan_none', content_markdown: 'x' })).rejects.toThrow()
    await root.channels.update({ id: general.id, name: general.name })
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'x' })
    await ada.posts.unresolve({ post_id: post.id })
    const after = await allEvents(root, before)
    expect(after.map(({ type }) => type)).toEqual(['post.created'])
  })

  test('does not change when webhooks are pinged or redelivered', async () => {
    const { root, ada, general } = await world()
    const { id } = await root.webhooks.create({ url: 'http://127.0.0.1:9/' })
    const before = await endOfLog(root)
    const ping = await root.webhooks.ping({ id })
    await root.webhooks.redeliver({ id: ping.id })
    await root.webhooks.replay({ id, after: before })
    await ada.posts.create({ channel_id: general.id, content_markdown: 'x' })
    const [next, ...more] = await allEvents(root, before)
    expect(more).toEqual([])
    const { workspace_id, id: nextId } = next!
    expect(positionOf(workspace_id, nextId)!.revision).toBe(positionOf(workspace_id, before)!.revision + 1)
  })
})
