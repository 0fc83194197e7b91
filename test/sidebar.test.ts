import { describe, expect, test } from 'bun:test'
import { MAX_FAVORITES, MAX_SORTED_CHANNELS } from '../src/contract/sidebar'
import { insertChannel } from '../src/store/content/channels'
import { insertRows } from '../src/store/engines/bulk'
import { expectConsistent } from './consistency'
import { expectInvalid, expectRefused } from './expectations'
import { type Person, type World, world } from './world'

/** Channels that somebody is in, by name, and no others. */
async function channelsOf({ root, general }: World, who: Person, names: readonly string[]) {
  await who.channels.leave({ channel_id: general.id })
  const made: Record<string, string> = {}
  for (const name of names) {
    made[name] = (await root.channels.create({ name })).id
    await root.channels.addMember({ channel_id: made[name], member_id: who.id })
  }
  return made
}

const numbered = ['project-10', 'project-2', 'design', 'Ärger']

describe('sidebar', () => {
  test('favorites come in the order of their member, who alone hears of it', async () => {
    const cast = await world()
    const { ada, bob } = cast
    const made = await channelsOf(cast, ada, numbered)
    const [ten, two, design] = [made['project-10']!, made['project-2']!, made.design!]
    const { next_cursor: after } = await ada.events.list({ after: 'now' })

    await ada.sidebar.set({ channel_id: ten, is_favorite: true })
    await ada.sidebar.set({ channel_id: two, is_favorite: true })
    await ada.sidebar.set({ channel_id: design, is_favorite: true, before_id: two })
    const sorted = { favorite_ids: [ten, design, two], channel_ids: [] }
    expect(await ada.sidebar.get()).toEqual(sorted)
    expect(await ada.sidebar.set({ channel_id: ten, is_favorite: true, before_id: null })).toEqual({
      favorite_ids: [design, two, ten],
      channel_ids: [],
    })
    expect(await ada.sidebar.set({ channel_id: two, is_favorite: false })).toMatchObject({
      favorite_ids: [design, ten],
    })
    expect(await bob.sidebar.get()).toEqual({ favorite_ids: [], channel_ids: [] })

    const types = ['sidebar.updated' as const]
    expect((await ada.events.list({ after, types })).data.map(({ data }) => data)).toEqual(
      [ten, two, design, ten, two].map((channel_id) => ({ channel_id })),
    )
    expect((await bob.events.list({ after, types })).data).toEqual([])
  })

  test('the first channel that is moved keeps the order of the others, which is by name as people sort', async () => {
    const cast = await world()
    const { ada } = cast
    const made = await channelsOf(cast, ada, numbered)
    const [ten, two, design, trouble] = [made['project-10']!, made['project-2']!, made.design!, made.Ärger!]

    const { channel_ids } = await ada.sidebar.set({ channel_id: ten, is_favorite: false, before_id: design })
    expect(channel_ids).toEqual([trouble, ten, design, two])
    const later = await channelsOf(cast, ada, ['zebra', 'alpha'])
    expect((await ada.sidebar.get()).channel_ids).toEqual(channel_ids)
    const next = await ada.sidebar.set({ channel_id: trouble, is_favorite: false, before_id: null })
    expect(next.channel_ids).toEqual([ten, design, two, later.alpha!, later.zebra!, trouble])
    await expectConsistent(cast.server)
  })

  test('a channel that becomes a favorite leaves the other section, and comes back by name', async () => {
    const cast = await world()
    const { ada } = cast
    const made = await channelsOf(cast, ada, numbered)
    const [ten, two, design, trouble] = [made['project-10']!, made['project-2']!, made.design!, made.Ärger!]

    await ada.sidebar.set({ channel_id: two, is_favorite: false, before_id: trouble })
    expect(await ada.sidebar.set({ channel_id: two, is_favorite: true })).toEqual({
      favorite_ids: [two],
      channel_ids: [trouble, design, ten],
    })
    expect(await ada.sidebar.reset({ channel_id: two })).toEqual({
      favorite_ids: [],
      channel_ids: [trouble, design, ten],
    })
  })

  test('what changes nothing causes no event', async () => {
    const cast = await world()
    const { ada, events } = cast
    const made = await channelsOf(cast, ada, ['a', 'b'])
    await ada.sidebar.set({ channel_id: made.b!, is_favorite: true })
    const before = (await events()).length

    await ada.sidebar.set({ channel_id: made.b!, is_favorite: true })
    await ada.sidebar.set({ channel_id: made.b!, is_favorite: true, before_id: null })
    await ada.sidebar.set({ channel_id: made.a!, is_favorite: false })
    await ada.sidebar.set({ channel_id: made.a!, is_favorite: false, before_id: null })
    await ada.sidebar.reset({ channel_id: made.a! })
    expect(await events()).toHaveLength(before)
  })

  test('a channel that somebody leaves or is removed from is forgotten; an archived one comes back', async () => {
    const cast = await world()
    const { root, ada } = cast
    const made = await channelsOf(cast, ada, ['a', 'b', 'c'])
    for (const channel_id of Object.values(made)) await ada.sidebar.set({ channel_id, is_favorite: true })
    const { next_cursor: after } = await ada.events.list({ after: 'now' })

    await ada.channels.leave({ channel_id: made.a! })
    await root.channels.removeMember({ channel_id: made.b!, member_id: ada.id })
    const { data } = await ada.events.list({ after, types: ['sidebar.updated'] })
    expect(data.map((event) => event.data)).toEqual([{ channel_id: made.a! }, { channel_id: made.b! }])
    await ada.channels.join({ channel_id: made.a! })
    expect(await ada.sidebar.get()).toEqual({ favorite_ids: [made.c!], channel_ids: [] })

    await root.channels.delete({ id: made.c! })
    expect(await ada.sidebar.get()).toEqual({ favorite_ids: [], channel_ids: [] })
    await root.channels.update({ id: made.c!, archived: false })
    expect(await ada.sidebar.get()).toEqual({ favorite_ids: [made.c!], channel_ids: [] })
  })

  test('a private channel is shown only to those who are in it', async () => {
    const cast = await world()
    const { root, ada } = cast
    const { id: channel_id } = await root.channels.create({ name: 'board' })
    await ada.sidebar.set({ channel_id, is_favorite: true })
    await root.channels.update({ id: channel_id, private: true })
    expect(await ada.sidebar.get()).toEqual({ favorite_ids: [], channel_ids: [] })
    await expectRefused(ada.sidebar.set({ channel_id, is_favorite: false }), 'not_found')
  })

  test.each([
    ['favorites', true, MAX_FAVORITES, 'is_favorite'],
    ['other channels in an order', false, MAX_SORTED_CHANNELS, 'before_id'],
  ] as const)('nobody can have more %s than there may be', async (_, is_favorite, count, field) => {
    const cast = await world()
    const { ada, general, server, workspaceKey: workspace_key } = cast
    await ada.channels.leave({ channel_id: general.id })
    const facts = { workspace_key, description: '', is_private: false, is_default: false, creator_id: null }
    const ids = Array.from({ length: count }, (_, at) => `chan_${workspace_key}_${at}`)
    await server.parley.engine.write(async (db) => {
      const { key: author_key } = await db
        .selectFrom('authors')
        .where('id', '=', ada.id)
        .select('key')
        .executeTakeFirstOrThrow()
      const rows = []
      for (const [position, id] of ids.entries()) {
        const name = `c${position}`
        const { key } = await insertChannel(db, { ...facts, id, name, name_fold: name, created_at: 0 })
        rows.push({ author_key, channel_key: key, position, is_favorite })
      }
      await insertRows(db, 'sidebar_channels', rows)
    })
    const add = () => ada.sidebar.set({ channel_id: general.id, is_favorite, before_id: ids[0]! })
    await expectInvalid(add(), field)
    // Those that are there can still be moved, and others take their place.
    await ada.sidebar.set({ channel_id: ids[0]!, is_favorite, before_id: null })
    await ada.sidebar.reset({ channel_id: ids[1]! })
    expect(Object.values(await add()).flat()).toContain(general.id)
  })

  test('the other channel has to be in the same section, and apps have no sidebar', async () => {
    const cast = await world()
    const { ada, bot, general } = cast
    const made = await channelsOf(cast, ada, ['a', 'b'])
    await ada.sidebar.set({ channel_id: made.b!, is_favorite: true })
    const move = (before_id: string) => ada.sidebar.set({ channel_id: made.a!, is_favorite: false, before_id })
    for (const id of [made.b!, made.a!, general.id, 'chan_none']) await expectInvalid(move(id), 'before_id')
    await expectRefused(bot.sidebar.get(), 'forbidden')
    await expectRefused(bot.sidebar.set({ channel_id: general.id, is_favorite: true }), 'forbidden')
  })
})
