import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { positionOf } from '../../src/actions/search-results'
import type { SearchPage } from '../../src/contract/search'
import type { Direction } from '../../src/contract/shapes'
import { encodeCursor } from '../../src/domain/lists/cursor'
import { newRandom, type Random } from '../random-writes'
import { startTestServer, time } from '../server'
import { runs } from '../walk'
import { type Person, type World, world } from '../world'
import { inParallel } from './corpus'
import { find, idsOf, type SearchInput } from './found'

setDefaultTimeout(300_000)
afterEach(() => time.unfreeze())

/** Pages through a search to its end, or back to its beginning, and does something else after each page. */
async function walk(
  who: Person,
  input: SearchInput,
  between: (page: number, shown: string[]) => Promise<unknown>,
  way: 'next' | 'prev' = 'next',
) {
  const shown: string[] = []
  let { after } = input
  for (let page = 0; ; page++) {
    expect(page).toBeLessThan(200)
    const found: SearchPage = await who.search.list({ ...input, after })
    shown.push(...idsOf(found))
    const following = way === 'next' ? found.next_cursor : found.prev_cursor
    if (following === null) return { shown, end: found }
    after = following
    await between(page, shown)
  }
}

const repeated = (ids: readonly string[]) => ids.filter((id, at) => ids.indexOf(id) < at)
const missing = (ids: readonly string[], from: readonly string[]) => from.filter((id) => !ids.includes(id))

test('a walk by relevance shows each record once while it leaves the newest 1,000, or comes back to them', async () => {
  const { ada, general } = await world()
  const oldest = await ada.posts.create({ channel_id: general.id, title: 'Zebra', content_markdown: 'One' })
  const write = async (count: number) => {
    const made: string[] = []
    await inParallel(Array.from({ length: count }), async () => {
      made.push((await ada.comments.create({ post_id: oldest.id, content_markdown: 'a zebra' })).id)
    })
    return made
  }
  const all = [oldest.id, ...(await write(995))]
  const expectEachOnce = async (direction: Direction, change: () => Promise<unknown>) => {
    const { shown } = await walk(ada, { q: 'zebra', direction, limit: 50 }, async (page) => page === 0 && change())
    expect([repeated(shown), missing(shown, all)]).toEqual([[], []])
  }
  let added: string[] = []
  const add = async () => {
    added = await write(10)
  }
  const remove = () => inParallel(added, (id) => ada.comments.delete({ id }))
  await expectEachOnce('desc', add)
  await expectEachOnce('desc', remove)
  await expectEachOnce('asc', add)
  await expectEachOnce('asc', remove)
})

/** Posts and comments of a workspace that anybody changes meanwhile. */
async function openChanges({ ada, bob, root, general }: World, random: Random) {
  const secret = await root.channels.create({ name: 'secret', private: true })
  for (const { id } of [ada, bob]) await root.channels.addMember({ channel_id: secret.id, member_id: id })
  const first = await ada.posts.create({ channel_id: general.id, title: 'First', content_markdown: 'First' })
  const matching = new Set<string>()
  /** Records that did not match, or were not there, at some time of a walk. */
  const changed = new Set<string>()
  const words = () => ({
    title: random.pick(['Zebra', 'Zebra', 'Horse']),
    text: random.pick(['A zebra', 'A zebra', 'A cow']),
  })
  const isMatch = ({ title, text }: { title: string; text: string }) => title === 'Zebra' || text === 'A zebra'
  const note = (id: string, matches: boolean) => {
    if (matches) matching.add(id)
    else if (matching.delete(id)) changed.add(id)
  }
  const posts: string[] = []
  const changes = {
    async post() {
      const { title, text } = words()
      const channel_id = random.pick([general.id, secret.id])
      const { id } = await ada.posts.create({ channel_id, title, content_markdown: text })
      posts.push(id)
      note(id, isMatch({ title, text }))
    },
    async comment() {
      const { text } = words()
      note((await ada.comments.create({ post_id: first.id, content_markdown: text })).id, text === 'A zebra')
    },
    async edit() {
      const id = random.pick(posts)
      if (!id) return
      const { title, text } = words()
      await ada.posts.update({ id, title, content_markdown: text })
      note(id, isMatch({ title, text }))
    },
    async remove() {
      const [id] = posts.splice(random.below(posts.length), 1)
      if (!id) return
      await ada.posts.delete({ id })
      note(id, false)
    },
  }
  return {
    change: (kinds: readonly (keyof typeof changes)[]) => changes[random.pick(kinds)](),
    begin() {
      changed.clear()
      return [...matching]
    },
    /** Records that matched all the time. */
    stillMatch: (ids: readonly string[]) => ids.filter((id) => matching.has(id) && !changed.has(id)),
  }
}

test('a walk shows nothing twice and misses nothing, whatever is written, edited and deleted meanwhile', async () => {
  const property = fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 6 }), async (seed, limit) => {
    const random = newRandom(seed)
    const cast = await world()
    const records = await openChanges(cast, random)
    for (let made = 0; made < 20; made++) await records.change(['post', 'post', 'comment'])
    for (const sort of ['relevance', 'created_at'] as const)
      for (const direction of ['desc', 'asc'] as const) {
        const input = { q: 'zebra', sort, direction, limit }
        const go = async (way: 'next' | 'prev', after?: string, seen: string[] = []) => {
          const before = records.begin()
          let left = 15
          const change = async () => {
            for (let count = random.below(4); count > 0 && left-- > 0; count--)
              await records.change(['post', 'comment', 'edit', 'edit', 'edit', 'remove'])
          }
          const { shown, end } = await walk(cast.bob, { ...input, after }, change, way)
          const expected = records.stillMatch(before).filter((id) => !seen.includes(id))
          return { end, wrong: { repeated: repeated(shown), missing: missing(shown, expected) } }
        }
        const { end, wrong } = await go('next')
        expect({ seed, ...input, ...wrong }).toEqual({ seed, ...input, repeated: [], missing: [] })
        if (end.prev_cursor === null) continue
        // The last page is not read again.
        const back = await go('prev', end.prev_cursor, idsOf(end))
        expect({ seed, ...input, ...back.wrong }).toEqual({ seed, ...input, repeated: [], missing: [] })
      }
  })
  await fc.assert(property, { numRuns: runs(3), endOnFailure: true })
})

test('a walk goes on where it was if the record of its cursor is deleted, whatever the clock was', async () => {
  // Other files turn the clock of the shared server.
  const server = await startTestServer()
  time.freeze()
  const start = time.now()
  for (const sort of ['relevance', 'created_at'] as const)
    for (const direction of ['desc', 'asc'] as const) {
      const { ada, general } = await world(server)
      const made: string[] = []
      for (const days of [-60, -50, 0, -30, 0.1, 90, 0.2, -45, 0.3, 0.4]) {
        time.advance(start + days * 24 * 60 * 60 * 1000 - time.now())
        made.push((await ada.posts.create({ channel_id: general.id, content_markdown: 'A zebra' })).id)
      }
      const { shown } = await walk(ada, { q: 'zebra', sort, direction, limit: 1 }, async (_, ids) =>
        ada.posts.delete({ id: ids.at(-1)! }),
      )
      expect(shown).toEqual(direction === 'desc' ? made.reverse() : made)
    }
  await server.stop()
})

describe('a cursor', () => {
  const list = `search.list ${JSON.stringify([['q', 'zebra']])}`
  const writeThree = async ({ ada, general }: World) => {
    const made: { id: string; at: number }[] = []
    for (const title of ['Zebra', 'Horse', 'Zebra']) {
      const post = await ada.posts.create({ channel_id: general.id, title, content_markdown: 'A zebra' })
      made.push({ id: post.id, at: Date.parse(post.created_at) })
    }
    return made as [(typeof made)[0], (typeof made)[0], (typeof made)[0]]
  }
  const cursor = { way: 'next', direction: 'desc', inclusive: false } as const

  test('of an older version still works', async () => {
    const cast = await world()
    const [first, second, third] = await writeThree(cast)
    const after = (sort: string, at: number | string, id: string) =>
      find(cast.ada, { q: 'zebra', after: encodeCursor(list, { ...cursor, sort, at, id }) })
    expect(await after('relevance', 'title', `${third.at} ${third.id}`)).toEqual([first.id, second.id])
    expect(await after('relevance', 'title', `${first.at} ${first.id}`)).toEqual([second.id])
    expect(await after('relevance', 'text', `${second.at} ${second.id}`)).toEqual([])
    expect(await after('created_at', third.at, third.id)).toEqual([second.id, first.id])
  })

  test('with keys that were altered is one without them', async () => {
    const cast = await world()
    const [first, second, third] = await writeThree(cast)
    for (const keys of [
      '',
      'x',
      '!',
      'A'.repeat(5_000),
      '\u{1f600}'.repeat(100),
      Buffer.alloc(3_000, 255).toString('base64url'),
    ])
      for (const tie of [`${third.at} ${third.id} ${keys}`, `${third.at} ${third.id} ${keys} ${keys}`]) {
        const after = encodeCursor(list, { ...cursor, sort: 'relevance', at: 'title', id: tie })
        expect(await find(cast.ada, { q: 'zebra', after })).toEqual([first.id, second.id])
      }
  })

  test('is the same as long as the page is, and its keys, which count what all others write, are encrypted', async () => {
    const cast = await world()
    await writeThree(cast)
    const { next_cursor } = await cast.ada.search.list({ q: 'zebra', limit: 2 })
    const [, , , , tie] = JSON.parse(Buffer.from(next_cursor!, 'base64url').toString().slice(8)) as string[]
    const [, , sealed] = tie!.split(' ')
    // Each key changes all of it: nothing can be learned from the difference of two.
    const sealedOf = (key: number) => {
      const listed = {
        sort: 'created_at',
        direction: 'desc',
        titles: new Set<number>(),
        index: { secret: 'x', firstKey: 1 },
      } as const
      return positionOf(listed, { isInTitle: false, key }, { id: 'post_x', created_at: 1 }).tie.split(' ')[1]!
    }
    const starts = Array.from({ length: 100 }, (_, at) => sealedOf(1_000 + at).slice(0, 4))
    expect(new Set(starts).size).toBe(100)
    expect(sealed!.length).toBeGreaterThan(10)
    const again = await cast.ada.search.list({ q: 'zebra', limit: 2 })
    expect(again.next_cursor).toBe(next_cursor)
  })

  test('that someone invents does not tell whether a record that they cannot see exists', async () => {
    const { root, ada, general } = await world()
    const secret = await root.channels.create({ name: 'secret', private: true })
    const write = (channel_id: string) => root.posts.create({ channel_id, title: 'Zebra', content_markdown: 'A zebra' })
    await write(general.id)
    const hidden = [await write(secret.id), await write(secret.id)] as const
    await write(general.id)
    const { next_cursor } = await ada.search.list({ q: 'zebra', sort: 'created_at', limit: 1 })
    const [, , , , tie] = JSON.parse(Buffer.from(next_cursor!, 'base64url').toString().slice(8)) as string[]
    const sealed = tie!.split(' ')[1]!
    await root.posts.delete({ id: hidden[1].id })
    const pages = (id: string) =>
      Promise.all(
        [
          { at: Date.parse(hidden[0].created_at), id: `${id} ${sealed}` },
          { at: 0, id },
          { at: Date.parse('2100-01-01'), id },
        ].map((place) =>
          find(ada, { q: 'zebra', after: encodeCursor(list, { ...cursor, sort: 'created_at', ...place }) }),
        ),
      )
    expect(await pages(hidden[0].id)).toEqual(await pages(hidden[1].id))
  })

  test('that knows a thousand titles fits into an address', () => {
    const titles = new Set(Array.from({ length: 1_000 }, (_, at) => 500_000_000 - 100_000 * at))
    const listed = { sort: 'relevance', direction: 'desc', titles, index: { secret: 'x', firstKey: 1 } } as const
    const { at, tie } = positionOf(
      listed,
      { isInTitle: false, key: 7_000_000 },
      { id: `post_${'0'.repeat(26)}`, created_at: 1e12 },
    )
    expect(encodeCursor(list, { ...cursor, sort: 'relevance', at, id: tie }).length).toBeLessThan(5_500)
  })
})
