import { afterEach, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Direction, Page } from '../src/contract/shapes'
import { newRandom, type Random } from './random-writes'
import { time } from './server'
import { type World, world } from './world'

/** An expected record: its sort value and its id. */
export interface Entry {
  at: number | string
  id: string
}

export interface Walk {
  direction: Direction
  ask(after: string | undefined, limit: number): Promise<Page<{ id: string }>>
  /** The expected records of the list, in any order. */
  entries(): Entry[]
  /** Changes the list between two pages. */
  change?(): Promise<unknown>
  /** Records keep their place on the way even if their sort value changes: other tests say what that means. */
  keepsPlaces?: boolean
}

/** Page sizes, used in turn. */
export const limits = fc.array(fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 50 })), {
  minLength: 1,
  maxLength: 6,
})

/** The number of runs of each property; PARLEY_PROPERTY_FACTOR multiplies it. */
export const runs = (usual: number) => Math.ceil(usual * Number(process.env.PARLEY_PROPERTY_FACTOR ?? 1))

/** A position in the list: right before or after a record, which may have been deleted. */
interface Gap {
  key: Entry
  side: 'before' | 'after'
}

/**
 * Pages through a list to its end and back to its start, and checks each page: the records, their order, the total count,
 * and that there is a cursor in each direction exactly if there are records in that direction.
 */
export async function walk(list: Walk, sizes: readonly number[]) {
  let asked = 0
  const size = () => sizes[asked++ % sizes.length]!
  let gaps: { next?: Gap; prev?: Gap } = {}
  let cursor: string | undefined
  for (const way of ['next', 'prev'] as const) {
    for (let steps = 0; ; steps++) {
      expect(steps).toBeLessThan(500)
      const limit = size()
      let page = await list.ask(cursor, limit)
      gaps = expectPage(list, page, limit, cursor === undefined ? undefined : { way, gap: gaps[way]! })
      // Unless records move, the id of the last one leads to the next page as well as the cursor does.
      const lastId = way === 'next' && !list.change ? page.data.at(-1)?.id : undefined
      if (lastId && page.next_cursor === null) {
        page = await list.ask(lastId, limit)
        gaps = expectPage(list, page, limit, { way, gap: gaps.next! })
      }
      const following = way === 'next' ? page.next_cursor : page.prev_cursor
      if (following === null) {
        cursor = (way === 'next' ? page.prev_cursor : null) ?? undefined
        break
      }
      cursor = lastId && steps % 2 === 0 ? lastId : following
      await list.change?.()
    }
    if (cursor === undefined) return
  }
}

function expectPage(list: Walk, page: Page<{ id: string }>, limit: number, from?: { way: 'next' | 'prev'; gap: Gap }) {
  const entries = list.entries().map(({ at, id }) => ({ at, id }))
  entries.sort((a, b) => compare(a, b, list.direction))
  const split = from ? entries.filter((entry) => isBefore(entry, from.gap, list.direction)).length : 0
  const start = from?.way === 'prev' ? Math.max(0, split - limit) : split
  const end = from?.way === 'prev' ? split : Math.min(entries.length, split + limit)
  const expected = entries.slice(start, end)
  expect({
    ids: page.data.map(({ id }) => id),
    total: page.total_count,
    next: page.next_cursor !== null,
    prev: page.prev_cursor !== null,
  }).toEqual({
    ids: expected.map(({ id }) => id),
    total: entries.length,
    next: end < entries.length,
    prev: start > 0,
  })
  const [first, last] = [expected[0], expected.at(-1)]
  return {
    next: last ? ({ key: last, side: 'after' } as const) : from?.gap,
    prev: first ? ({ key: first, side: 'before' } as const) : from?.gap,
  }
}

const isBefore = (entry: Entry, { key, side }: Gap, direction: Direction) => {
  const order = compare(entry, key, direction)
  return order < 0 || (order === 0 && side === 'after')
}

/** Compares by the sort value, then by id, in the same direction; texts by their bytes. */
function compare(a: Entry, b: Entry, direction: Direction): number {
  const order = a.at === b.at ? bytes(a.id, b.id) : typeof a.at === 'number' ? a.at - Number(b.at) : bytes(a.at, b.at)
  return direction === 'asc' ? order : -order
}

const bytes = (a: number | string, b: number | string) => Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))

/** A list under test: how to change it, and how to page through it. */
export interface Subject {
  change(): Promise<unknown>
  walks(): Omit<Walk, 'change'>[]
}

/** The same list in both directions. */
export const both = (ask: (direction: Direction) => Omit<Walk, 'change' | 'direction'>) =>
  (['asc', 'desc'] as const).map((direction) => ({ direction, ...ask(direction) }))

const CHANGES_IN_A_WALK = 8

/** Pages through lists of any size, with many records of the same time: unchanged, then with changes in between. */
export function testEveryPage(name: string, newSubject: (cast: World, random: Random) => Promise<Subject>) {
  afterEach(() => time.unfreeze())
  const property = fc.asyncProperty(
    fc.nat(),
    fc.nat({ max: 50 }),
    fc.array(limits, { minLength: 1 }),
    async (seed, size, sizes) => {
      time.freeze()
      const random = newRandom(seed)
      const subject = await newSubject(await world(), random)
      const change = async () => {
        time.advance(random.pick([0, 0, 1]))
        await subject.change()
      }
      for (let made = 0; made < size; made++) await change()
      for (const [at, list] of subject.walks().entries()) await walk(list, sizes[at % sizes.length]!)
      for (const [at, list] of subject.walks().entries()) {
        if (list.keepsPlaces) continue
        let left = CHANGES_IN_A_WALK
        const sometimes = async () => left-- > 0 && change()
        await walk({ ...list, change: sometimes }, sizes[at % sizes.length]!)
      }
    },
  )
  test(name, () => fc.assert(property, { numRuns: runs(8), endOnFailure: true }), 120_000)
}
