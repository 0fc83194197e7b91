import { describe, expect, test } from 'bun:test'
import type { Event } from '../../src/contract/events'
import { isEventVisible, updateVisibility, type Visibility } from '../../src/domain/events/visibility'
import type { Bearer } from '../../src/gate/bearers'
import { findVisibility } from '../../src/store/access/visibility'
import { appendEvents, listEvents, listVisibleEvents } from '../../src/store/log/events'
import { randomWriteNames, writeRandomly } from '../operations'
import { newRandom, recordIdsOf } from '../random-writes'
import { time } from '../server'
import { type Person, type World, world } from '../world'
import { type Following, followLog } from './following'
import { allEvents, endOfLog } from './log'

const names = ['root', 'ada', 'vic', 'gus', 'bot', 'zed'] as const
type Name = (typeof names)[number]

const typesOf = (events: readonly Event[]) => events.map(({ type }) => type).filter((type) => type !== 'inbox.updated')

/** Everyone follows the log, live; `heard` says who heard what, and that polling would have said the same. */
async function audience() {
  const cast = await world()
  const streams = new Map<Name, Following>()
  const ends = new Map<Name, string>()
  for (const name of names) {
    const lastEventId = await endOfLog(cast[name])
    ends.set(name, lastEventId)
    streams.set(name, await followLog(cast[name], { lastEventId }))
  }
  return {
    ...cast,
    async heard(): Promise<Partial<Record<Name, string[]>>> {
      // Long enough for most events that should not be heard; for the others it waits.
      await Bun.sleep(150)
      const told: Partial<Record<Name, string[]>> = {}
      for (const name of names) {
        const polled = await cast[name].events.list({ after: ends.get(name) })
        const came = await streams.get(name)!.count(polled.data.length)
        const live = came.splice(0, polled.data.length)
        expect([name, live, false]).toEqual([name, polled.data, polled.has_more])
        // Inboxes are filled some time later, also while this compares: the next call polls what came since.
        expect([name, typesOf(came)]).toEqual([name, []])
        ends.set(name, polled.next_cursor)
        if (typesOf(live).length > 0) told[name] = typesOf(live)
      }
      return told
    },
  }
}

const post = (who: Person, channel_id: string) => who.posts.create({ channel_id, content_markdown: 'Lunch?' })

const everyone = (...types: string[]) => ({ root: types, ada: types, vic: types, bot: types })

/** Whom a token stands for, or nobody once it is no good. */
const admitted = async ({ findBearer, clock }: World['server']['parley'], token: string) => {
  try {
    return await findBearer(token, clock())
  } catch {
    return undefined
  }
}

describe('an event is visible, by polling and live,', () => {
  test('in a public channel to all but guests and other workspaces', async () => {
    const { ada, general, heard } = await audience()
    await post(ada, general.id)
    expect(await heard()).toEqual(everyone('post.created'))
  })

  test('in a private channel to its members at that time', async () => {
    const { root, gus, bot, heard } = await audience()
    const secret = await root.channels.create({ name: 'secret', private: true })
    expect(await heard()).toEqual({ root: ['channel.created'] })
    await root.channels.addMember({ channel_id: secret.id, member_id: gus.id })
    expect(await heard()).toEqual({ root: ['channel.member_added'], gus: ['channel.member_added'] })
    await post(gus, secret.id)
    expect(await heard()).toEqual({ root: ['post.created'], gus: ['post.created'] })
    await root.channels.addMember({ channel_id: secret.id, member_id: bot.id })
    expect(Object.keys(await heard())).toEqual(['root', 'gus', 'bot'])
    await root.channels.removeMember({ channel_id: secret.id, member_id: gus.id })
    await post(root, secret.id)
    expect(await heard()).toEqual({
      root: ['channel.member_removed', 'post.created'],
      bot: ['channel.member_removed', 'post.created'],
      gus: ['access.lost'],
    })
  })

  test('in a thread to its participants', async () => {
    const { ada, gus, bot, heard } = await audience()
    const thread = await ada.threads.create({ member_ids: [bot.id] })
    await ada.messages.create({ thread_id: thread.id, content_markdown: 'Hi' })
    const types = ['thread.created', 'message.created']
    expect(await heard()).toEqual({ ada: types, bot: types })
    await ada.threads.addMember({ thread_id: thread.id, member_id: gus.id })
    await gus.messages.create({ thread_id: thread.id, content_markdown: 'Hello' })
    const added = ['thread.member_added', 'message.created']
    expect(await heard()).toEqual({ ada: added, gus: added, bot: added })
    await ada.threads.removeMember({ thread_id: thread.id, member_id: gus.id })
    const removed = ['thread.member_removed']
    expect(await heard()).toEqual({ ada: removed, gus: ['access.lost'], bot: removed })
    await bot.threads.leave({ thread_id: thread.id })
    await ada.messages.create({ thread_id: thread.id, content_markdown: 'Anyone?' })
    expect(await heard()).toEqual({ ada: ['thread.member_removed', 'message.created'], bot: ['access.lost'] })
  })

  test('in an archived channel to nobody, except that it was archived', async () => {
    const { root, general, heard } = await audience()
    await root.channels.delete({ id: general.id })
    expect(await heard()).toEqual(everyone('channel.deleted'))
    await root.channels.update({ id: general.id, name: 'lobby' })
    expect(await heard()).toEqual({})
    await root.channels.update({ id: general.id, archived: false })
    expect(await heard()).toEqual(everyone('channel.updated'))
  })

  test('about a channel that becomes private to its members', async () => {
    const { root, ada, general, heard } = await audience()
    await ada.channels.leave({ channel_id: general.id })
    expect(await heard()).toEqual(everyone('channel.member_removed'))
    await root.channels.update({ id: general.id, private: true })
    const lost = ['access.lost']
    expect(await heard()).toEqual({ root: ['channel.updated'], ada: lost, vic: lost, bot: lost })
    await root.channels.update({ id: general.id, private: false })
    await post(root, general.id)
    expect(await heard()).toEqual(everyone('channel.updated', 'post.created'))
  })

  test('about members to all but guests; about apps, tokens and webhooks to admins', async () => {
    const { root, heard } = await audience()
    await root.members.create({ email: 'eve@example.com', display_name: 'Eve', role: 'member' })
    expect(await heard()).toEqual(everyone('member.created'))
    const { id } = await root.apps.create({ name: 'Builds' })
    await root.apps.createToken({ id, scopes: ['read'] })
    await root.webhooks.create({ url: 'https://example.com' })
    expect(await heard()).toEqual({ root: ['app.created', 'token.created', 'webhook.created'] })
  })

  test('according to the role a member has at that time', async () => {
    const { root, ada, vic, general, heard } = await audience()
    await ada.channels.leave({ channel_id: general.id })
    expect(await heard()).toEqual(everyone('channel.member_removed'))
    await root.members.update({ id: ada.id, role: 'guest' })
    await post(root, general.id)
    const types = ['member.updated', 'post.created']
    expect(await heard()).toEqual({ root: types, vic: types, bot: types, ada: ['access.lost'] })
    await root.members.update({ id: vic.id, role: 'admin' })
    await root.apps.create({ name: 'Builds' })
    expect(await heard()).toMatchObject({ vic: ['member.updated', 'app.created'], bot: ['member.updated'] })
  })

  test('to an admin only with the admin scope, if it is for admins', async () => {
    const { root, tokenFor } = await world()
    const reader = await tokenFor(root.id, ['read'])
    const after = await endOfLog(root)
    const stream = await followLog(reader)
    await root.apps.create({ name: 'Builds' })
    await root.members.create({ email: 'eve@example.com', display_name: 'Eve', role: 'member' })
    await stream.count(1)
    expect(stream.events.map(({ type }) => type)).toEqual(['member.created'])
    expect(await allEvents(reader, after)).toEqual(stream.events)
    stream.close()
  })

  test('from before a member joined, once they have access', async () => {
    const { root, gus, general } = await world()
    await post(root, general.id)
    expect(await allEvents(gus)).toEqual([])
    await root.channels.addMember({ channel_id: general.id, member_id: gus.id })
    // The inbox is told some time later.
    const types = (await allEvents(gus)).map(({ type }) => type).filter((type) => type !== 'inbox.updated')
    const joined = 'channel.member_added'
    expect(types).toEqual(['channel.created', joined, joined, 'post.created', joined])
  })
})

test('who joins after a channel was made private does not hear that there is one', async () => {
  const { root, ada, general, tokenFor } = await world()
  await ada.channels.leave({ channel_id: general.id })
  await root.channels.update({ id: general.id, private: true })
  time.advance(10)
  const { id } = await root.members.create({ email: 'new@example.com', display_name: 'Demo Newcomer', role: 'member' })
  const newcomer = await tokenFor(id, ['read'])
  const lost = async (who: Person) => (await allEvents(who)).filter(({ type }) => type === 'access.lost')
  expect(await lost(newcomer)).toEqual([])
  expect(await lost(ada)).toMatchObject([{ data: { subject_id: general.id, reason: 'made_private' } }])
})

describe('event visibility in SQL and in memory agree', () => {
  const WRITES = 120

  async function writeInTurn(cast: World, seed: number, afterEach = async () => {}) {
    const random = newRandom(seed)
    const things = recordIdsOf(cast)
    things.members.push(cast.gus.id, cast.vic.id)
    const actors = [cast.root, cast.root, cast.root, cast.ada, cast.bob, cast.bot]
    const often = ['channels.create', 'channels.addMember', 'channels.update', 'threads.create'] as const
    for (let turn = 0; turn < WRITES; turn++) {
      const deed = turn % 2 ? random.pick(often) : random.pick(randomWriteNames)
      await writeRandomly(deed, random.pick(actors), things, random).catch(() => {})
      await afterEach()
    }
  }

  test.each([1, 2, 3, 4])('after random writes (%i)', async (seed) => {
    const cast = await world()
    const { parley } = cast.server
    const manager = await cast.tokenFor(cast.bot.id, ['admin'])
    await writeInTurn(cast, seed)
    let heard = 0
    for (const { token } of [cast.root, cast.ada, cast.bob, cast.vic, cast.gus, cast.bot, manager]) {
      const bearer = await admitted(parley, token)
      if (!bearer) continue
      const { viewer } = bearer
      await parley.engine.read(async (db) => {
        const visibility = await findVisibility(db, viewer)
        const all = await listEvents(db, cast.workspaceKey, 0, 10_000)
        // Inboxes may be filled meanwhile.
        const range = { after: 0, upTo: all.at(-1)!.revision, limit: 10_000 }
        const visible = await listVisibleEvents(db, viewer, range)
        const audible = all.filter((event) => isEventVisible(viewer, visibility, event))
        expect(visible.map(({ revision }) => revision)).toEqual(audible.map(({ revision }) => revision))
        heard += audible.length
      })
    }
    expect(heard).toBeGreaterThan(WRITES / 2)
  })

  test('nobody can see an event of an unknown type', async () => {
    const { root, general, server, eventRows } = await world()
    await post(root, general.id)
    const { actor: _, ...known } = (await eventRows()).at(-1)!
    const unknown = { ...known, revision: known.revision + 1, type: 'planet.created', data: '{}' }
    const places = [{ channel_key: 0 }, { channel_key: known.channel_key }]
    const bearer = await server.parley.findBearer(root.token, server.parley.clock())
    for (const place of places) {
      await server.parley.engine.write((db) => appendEvents(db, [{ ...unknown, ...place }]))
      const visibility = await server.parley.engine.read((db) => findVisibility(db, bearer.viewer))
      expect(isEventVisible(bearer.viewer, visibility, { ...unknown, ...place })).toBe(false)
      // What it changed is not known either, so visibility is queried again.
      expect(updateVisibility(visibility, bearer.viewer, bearer.row.token_id, { ...unknown, ...place })).toBe(false)
      unknown.revision += 1
    }
    expect((await allEvents(root)).map(({ type }) => type)).not.toContain('planet.created' as never)
  })

  test.each([5, 6, 7])('and so does visibility that is updated by events (%i)', async (seed) => {
    const cast = await world()
    const { parley } = cast.server
    const visibilityOf = ({ viewer }: Bearer) => parley.engine.read((db) => findVisibility(db, viewer))
    const followed: { token: string; bearer: Bearer; visibility: Visibility; looks: number; hasEnded?: boolean }[] = []
    for (const { token } of [cast.root, cast.ada, cast.bob, cast.vic, cast.gus, cast.bot]) {
      const bearer = await parley.findBearer(token, parley.clock())
      followed.push({ token, bearer, visibility: await visibilityOf(bearer), looks: 0 })
    }
    let seen = (await cast.eventRows()).length
    await writeInTurn(cast, seed, async () => {
      const news = (await cast.eventRows()).slice(seen)
      seen += news.length
      for (const each of followed.filter(({ hasEnded }) => !hasEnded)) {
        const bearer = await admitted(parley, each.token)
        if (
          news.every((event) => updateVisibility(each.visibility, each.bearer.viewer, each.bearer.row.token_id, event))
        ) {
          expect([each.visibility, each.bearer.viewer]).toEqual([await visibilityOf(bearer!), bearer!.viewer])
          continue
        }
        each.looks += 1
        if (bearer) Object.assign(each, { bearer, visibility: await visibilityOf(bearer) })
        else each.hasEnded = true
      }
    })
    const looks = followed.reduce((sum, each) => sum + each.looks, 0)
    expect(looks).toBeLessThan((followed.length * seen) / 3)
  })
})
