import { describe, expect, test } from 'bun:test'
import type { Running } from '../../src/server'
import { continueBuild, restartBuild } from '../../src/store/search/build'
import { expectConsistent } from '../consistency'
import { expectPages } from '../expectations'
import { startTestServer, time } from '../server'
import { type Person, world } from '../world'
import { find, findAll, idsOf, recordOf, type SearchInput } from './found'

/** Pages of the records alone. */
const lister = (who: Person, input: SearchInput) => async (page: { limit?: number; after?: string }) => {
  const { data, total_count, next_cursor, prev_cursor } = await who.search.list({ ...input, ...page })
  return { data: data.map((result) => recordOf(result).id), total_count, next_cursor, prev_cursor }
}

/** Eleven records that say zebra; every third has it in its title. The newest is the first. */
async function elevenZebras(server?: Running) {
  const cast = await world(server)
  const { ada, bob, general } = cast
  const other = await bob.posts.create({ channel_id: general.id, title: 'Other', content_markdown: 'Nothing' })
  const newZebra = (made: number) => {
    const title = made % 3 === 0 ? `Zebra ${made}` : `Horse ${made}`
    if (made === 4) return ada.messages.createDirect({ member_id: bob.id, content_markdown: 'A zebra' })
    if (made === 5) return bob.comments.create({ post_id: other.id, content_markdown: 'A zebra' })
    return ada.posts.create({ channel_id: general.id, title, content_markdown: 'A zebra and a horse' })
  }
  const newest: string[] = []
  const inTitle: string[] = []
  for (let made = 0; made < 11; made++) {
    time.advance(1)
    const { id } = await newZebra(made)
    newest.unshift(id)
    if (made % 3 === 0) inTitle.unshift(id)
  }
  const remove = (id: string) =>
    id.startsWith('msg_')
      ? ada.messages.delete({ id })
      : id.startsWith('cmt_')
        ? bob.comments.delete({ id })
        : ada.posts.delete({ id })
  return { ...cast, remove, newest, relevant: [...inTitle, ...newest.filter((id) => !inTitle.includes(id))] }
}

describe('the pages of a search', () => {
  test('are in the order of relevance, with records that have all words in the title first', async () => {
    const { ada, relevant } = await elevenZebras()
    expect(await find(ada, 'zebra')).toEqual(relevant)
    for (const limit of [1, 2, 3, 4, 10]) await expectPages(lister(ada, { q: 'zebra' }), relevant, limit)
    const backwards = relevant.toReversed()
    for (const limit of [1, 4]) await expectPages(lister(ada, { q: 'zebra', direction: 'asc' }), backwards, limit)
  })

  test('are in the order of time, if asked for or if there are no words', async () => {
    const { ada, newest } = await elevenZebras()
    for (const input of [{ q: 'zebra', sort: 'created_at' as const }, { q: '-nothing' }, { q: '-title:other' }]) {
      expect(await find(ada, input)).toEqual(newest)
      for (const limit of [1, 4]) {
        await expectPages(lister(ada, input), newest, limit)
        await expectPages(lister(ada, { ...input, direction: 'asc' }), newest.toReversed(), limit)
      }
    }
  })

  for (const sort of ['relevance', 'created_at'] as const)
    test(`by ${sort} stay in place when the records that cursors point at are deleted`, async () => {
      // The place of a deleted record is found by its time. Other files turn the clock of the shared server back by weeks.
      const server = await startTestServer()
      for (const at of [2, 4, 6, 8]) {
        const { ada, remove, relevant, newest } = await elevenZebras(server)
        const order = sort === 'relevance' ? relevant : newest
        const before = await ada.search.list({ q: 'zebra', sort, limit: at })
        const page = await ada.search.list({ q: 'zebra', limit: 2, after: before.next_cursor! })
        for (const id of order.slice(at - 1, at + 1)) await remove(id)
        const following = await ada.search.list({ q: 'zebra', limit: 2, after: before.next_cursor! })
        expect(idsOf(following)).toEqual(order.slice(at + 1, at + 3))
        const preceding = await ada.search.list({ q: 'zebra', limit: 2, after: page.prev_cursor! })
        expect(idsOf(preceding)).toEqual(order.slice(Math.max(0, at - 3), at - 1))
      }
    })

  test('stay in place when the index is built anew, and say meanwhile that they are incomplete', async () => {
    const server = await startTestServer()
    const { ada, relevant, newest } = await elevenZebras(server)
    const { engine } = server.parley
    const first = await ada.search.list({ q: 'zebra', limit: 5 })
    const byTime = await ada.search.list({ q: 'zebra', sort: 'created_at', limit: 5 })
    expect(first.is_incomplete).toBe(false)

    await engine.write((db) => restartBuild(db))
    // The server indexes in the background, so it may be done already.
    const page = await ada.search.list({ q: 'zebra' })
    expect(page.is_incomplete || page.total_count === 11).toBe(true)
    while (!(await engine.write((db) => continueBuild(db))).isBuilt);

    expect(await ada.search.list({ q: 'zebra', limit: 5 })).toEqual({ ...first, next_cursor: expect.any(String) })
    expect(await find(ada, { q: 'zebra', after: first.next_cursor! })).toEqual(relevant.slice(5))
    expect(await find(ada, { q: 'zebra', after: byTime.next_cursor! })).toEqual(newest.slice(5))
    await expectConsistent(server)
    await server.stop()
  })
})

test('results are counted up to 1,000, and all pages can be read', async () => {
  const { ada, general } = await world()
  const { id } = await ada.posts.create({ channel_id: general.id, title: 'Zebras', content_markdown: 'Many' })
  const made: string[] = []
  const comment = async () => {
    while (made.length < 1_000) {
      const at = made.push('')
      made[at - 1] = (await ada.comments.create({ post_id: id, content_markdown: `zebra ${at}` })).id
    }
  }
  await Promise.all(Array.from({ length: 8 }, comment))
  expect(await ada.search.list({ q: 'zebra', limit: 1 })).toMatchObject({ total_count: 1_000, total_is_capped: false })
  const titled = await ada.posts.create({ channel_id: general.id, title: 'Zebra', content_markdown: 'One more' })
  for (let more = 0; more < 4; more++)
    made.push((await ada.comments.create({ post_id: id, content_markdown: 'zebra again' })).id)
  const capped = { total_count: 1_000, total_is_capped: true }
  for (const sort of ['relevance', 'created_at'] as const)
    for (const direction of ['asc', 'desc'] as const)
      expect(await ada.search.list({ q: 'zebra', sort, direction, limit: 1 })).toMatchObject(capped)

  const all = await findAll(ada, { q: 'zebra' })
  expect(all[0]).toBe(titled.id)
  expect(all.toSorted()).toEqual([...made, titled.id].sort())
  expect(await findAll(ada, { q: 'zebra', direction: 'asc' })).toEqual(all.toReversed())
  const byTime = await findAll(ada, { q: 'zebra', sort: 'created_at' })
  expect(byTime[4]).toBe(titled.id)
  expect(byTime.filter((each) => each !== titled.id)).toEqual(all.slice(1))
  expect(await findAll(ada, { q: 'zebra', sort: 'created_at', direction: 'asc' })).toEqual(byTime.toReversed())

  expect(await findBack(ada, { q: 'zebra' }, 600)).toEqual(all.slice(0, 600))
  expect(await findBack(ada, { q: 'zebra', sort: 'created_at' }, 600)).toEqual(byTime.slice(0, 600))
  expect(await findBack(ada, { q: 'zebra', direction: 'asc' }, 1_005)).toEqual(all.toReversed())
}, 300_000)

/** Pages forward until so many were found, and then back to the start. */
async function findBack(who: Person, input: SearchInput, count: number): Promise<string[]> {
  let page = await who.search.list({ ...input, limit: 50 })
  for (let seen = 50; seen < count; seen += 50)
    page = await who.search.list({ ...input, limit: 50, after: page.next_cursor! })
  const found = idsOf(page)
  while (page.prev_cursor !== null) {
    page = await who.search.list({ ...input, limit: 50, after: page.prev_cursor })
    found.unshift(...idsOf(page))
  }
  return found
}
