import { describe, expect, test } from 'bun:test'
import { compareNames } from '../../src/contract/browser/natural-order'
import { countReads, expectPages, expectRefusals, timestamp } from '../expectations'
import { time } from '../server'
import { type Person, world } from '../world'

const names = (page: { data: { name: string }[] }) => page.data.map(({ name }) => name)

async function make(who: Person, ...channels: string[]) {
  const made = []
  for (const name of channels) {
    time.advance(5)
    made.push(await who.channels.create({ name }))
  }
  return made
}

describe('channels.list', () => {
  test('lists the oldest first, or by name', async () => {
    const { root, ada, general } = await world()
    const [zoo, ecole, apple, Bar] = await make(root, 'zoo', 'École', 'apple', 'Bar')
    const byAge = [general, zoo!, ecole!, apple!, Bar!]
    const byName = [apple!, Bar!, ecole!, general, zoo!]

    expect(await ada.channels.list()).toEqual({ data: byAge, total_count: 5, next_cursor: null, prev_cursor: null })
    await expectPages((page) => ada.channels.list(page), byAge)
    await expectPages((page) => ada.channels.list({ ...page, sort: 'name' }), byName)
    await expectPages((page) => ada.channels.list({ ...page, sort: 'name', direction: 'desc' }), byName.toReversed())
  })

  test('sorts the numbers in names as numbers, also after a change of the name', async () => {
    const { root, ada, general } = await world()
    const [ten, two, third, plain] = await make(root, 'project-10', 'Project-002b', 'zzz', 'project')
    const renamed = await root.channels.update({ id: third!.id, name: 'project-9' })
    const byName = [general, plain!, two!, renamed, ten!]
    await expectPages((page) => ada.channels.list({ ...page, sort: 'name' }), byName)
    await expectPages((page) => ada.channels.list({ ...page, sort: 'name', direction: 'desc' }), byName.toReversed())
    expect(byName.map(({ name }) => name).toSorted(compareNames)).toEqual(byName.map(({ name }) => name))
  })

  test('searches names and descriptions', async () => {
    const { root, ada } = await world()
    const { id } = await root.channels.create({ name: 'food', description: 'Where to have a Crème brûlée' })
    await make(root, 'creme', 'other')
    const listed = async (q: string) => names(await ada.channels.list({ q }))
    expect(await listed('crème')).toEqual(['food', 'creme'])
    expect(await listed('food where')).toEqual([])
    await root.channels.update({ id, description: 'Lunch' })
    expect(await listed('crème')).toEqual(['creme'])
    expect(await listed('LUNCH')).toEqual(['food'])
  })

  test('searches names', async () => {
    const { root, ada } = await world()
    await make(root, 'Café 100%', 'cafeteria', 'snake_case')
    const listed = async (q: string) => names(await ada.channels.list({ q }))
    expect(await listed('CAFÉ')).toEqual(['Café 100%', 'cafeteria'])
    expect(await listed('%')).toEqual(['Café 100%'])
    expect(await listed('e_c')).toEqual(['snake_case'])
    expect(await listed('\\')).toEqual([])
    expect(await ada.channels.list({ q: 'cafe', limit: 1 })).toMatchObject({ total_count: 2 })
  })

  test('finds a channel by its exact name, whatever its case', async () => {
    const { root, ada } = await world()
    await make(root, 'Café', 'Café 2', 'cafeteria')
    await root.channels.create({ name: 'Board', private: true })
    const listed = async (name: string) => names(await ada.channels.list({ name }))
    for (const name of ['Café', 'CAFE', ' café ']) expect(await listed(name)).toEqual(['Café'])
    for (const name of ['caf', 'café 3', '%', 'Board']) expect(await listed(name)).toEqual([])
    expect(names(await root.channels.list({ name: 'board' }))).toEqual(['Board'])
    expect(names(await ada.channels.list({ name: 'cafe', q: 'teria' }))).toEqual([])
  })

  test('lists the least or the most recently active first', async () => {
    const { root, ada, general } = await world()
    const [zoo, apple] = await make(root, 'zoo', 'apple')
    time.advance(5)
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Hello' })
    const order = async (direction: 'asc' | 'desc') =>
      names(await ada.channels.list({ sort: 'last_activity_at', direction }))
    expect(await order('asc')).toEqual([zoo!.name, apple!.name, 'general'])
    time.advance(5)
    await ada.posts.create({ channel_id: zoo!.id, content_markdown: 'Hello' })
    expect(await order('desc')).toEqual(['zoo', 'general', 'apple'])
    time.advance(5)
    await ada.posts.resolve({ post_id: post.id })
    expect(await order('desc')).toEqual(['general', 'zoo', 'apple'])
    await ada.posts.delete({ id: post.id })
    expect(await order('desc')).toEqual(['zoo', 'apple', 'general'])
    const { data } = await ada.channels.list({ sort: 'last_activity_at' })
    await expectPages((page) => ada.channels.list({ sort: 'last_activity_at', ...page }), data)
  })

  test('lists those with the most members first', async () => {
    const { root, ada, bob, general } = await world()
    const [zoo, apple] = await make(root, 'zoo', 'apple')
    for (const who of [ada, bob]) await who.channels.join({ channel_id: zoo!.id })
    await ada.channels.leave({ channel_id: general.id })
    const { data } = await ada.channels.list({ sort: 'members_count', direction: 'desc' })
    expect(data.map(({ name, members_count }) => [name, members_count])).toEqual([
      ['zoo', 3],
      ['general', 2],
      [apple!.name, 1],
    ])
    await expectPages((page) => ada.channels.list({ sort: 'members_count', direction: 'desc', ...page }), data)
  })

  test('lists the best matches of a name first, and equal ones by activity', async () => {
    const { root, ada } = await world()
    const [inside, , exact, latest] = await make(root, 'old product', 'product-old', 'Product', 'product-new')
    const by = (q?: string) => ({ q, sort: 'best_match' as const, direction: 'desc' as const })
    const { data } = await ada.channels.list(by('pröduct'))
    expect(names({ data })).toEqual(['Product', 'product-new', 'product-old', 'old product'])
    await expectPages((page) => ada.channels.list({ ...by('product'), ...page }), data)
    expect(names(await ada.channels.list(by()))[0]).toBe(latest!.name)
    for (const { id } of [inside!, exact!]) {
      time.advance(5)
      await ada.posts.create({ channel_id: id, content_markdown: 'Hello' })
    }
    expect(names(await ada.channels.list(by('product')))).toEqual(names({ data }))
    expect(names(await ada.channels.list(by()))[0]).toBe('Product')
  })

  test('lists archived channels, for admins only', async () => {
    const everyone = await world()
    const { root } = everyone
    const [old] = await make(root, 'old')
    await root.channels.delete({ id: old!.id })
    expect(names(await root.channels.list({ archived: true }))).toEqual(['old'])
    expect((await root.channels.list({ archived: true })).data[0]!.archived_at).toEqual(timestamp)
    await expectRefusals(everyone, (who) => who.channels.list({ archived: true }), {
      ada: 'forbidden',
      bot: 'forbidden',
    })
    expect(names(await everyone.ada.channels.list({ archived: false }))).toEqual(['general'])
  })

  test('contains and counts only visible channels', async () => {
    const { root, ada, gus, zed, bot } = await world()
    const secret = await root.channels.create({ name: 'secret', private: true })
    expect(await root.channels.list()).toMatchObject({ total_count: 2 })
    for (const who of [ada, bot]) expect(await who.channels.list()).toMatchObject({ total_count: 1 })
    expect(await gus.channels.list()).toMatchObject({ data: [], total_count: 0 })
    expect(names(await zed.channels.list())).toEqual(['general'])
    await root.channels.addMember({ channel_id: secret.id, member_id: gus.id })
    expect(names(await gus.channels.list())).toEqual(['secret'])
  })

  test('the number of statements does not depend on the page size', async () => {
    const everyone = await world()
    const { root, ada } = everyone
    const cost = () => countReads(everyone, ada, (who) => who.channels.list({ sort: 'name' }))
    const few = await cost()
    await Promise.all(Array.from({ length: 30 }, (_, number) => root.channels.create({ name: `c${number}` })))
    expect(await cost()).toBe(few)
    expect(few).toBeLessThanOrEqual(3)
  })
})
