import { afterAll, beforeAll, expect, test } from 'bun:test'
import { parseSearchQuery } from '../../src/contract/browser/search-query'
import { matches, matchesTitle, toTerms } from '../../src/domain/search/terms'
import { rebuildSearchIndex } from '../../src/operations/database'
import type { Running } from '../../src/server'
import { newRandom, type Random } from '../random-writes'
import { startTestServer } from '../server'
import { runs } from '../walk'
import { type Person, world } from '../world'
import { inParallel, readCorpus, type Searched, writeCorpus } from './corpus'
import { findAll, type SearchInput } from './found'
import { randomWords } from './texts'

const QUERIES = runs(2_000)
const SEED = Number(process.env.PARLEY_TORTURE_SEED ?? 7)
const DAYS = 40 * 24 * 60 * 60 * 1000

/** Someone who searches, and all they can see, newest first. */
interface Searcher {
  who: Person
  sees: Searched[]
  texts: string[]
  /** What they may search in: the names they can use. */
  operators: ((random: Random) => Condition)[]
}

/** A part of a query that is no word, and what it means. */
interface Condition {
  q: string
  holds(record: Searched): boolean
}

/** Numbers of keys to leave out, so that keys are as far apart as with many records. */
const GAPS = [1, 100, 2_047, 2_048, 9_000, 40_000, 3, 140_000, 500, 2_500, 7]

let now = Date.parse('2025-01-03T00:00:00.000Z')
let server: Running
let addSearchers: () => Promise<void>
const searchers: Searcher[] = []

beforeAll(async () => {
  server = await startTestServer({}, { clock: () => now })
  const cast = await world(server)
  const { root, ada, bot, gus, general } = cast
  const plans = await root.channels.create({ name: 'Big Plans' })
  const secret = await root.channels.create({ name: '秘密', private: true })
  for (const { id } of [ada, gus]) await root.channels.addMember({ channel_id: secret.id, member_id: id })
  const channels = [general, plans, secret].map(({ id }) => id)
  const gaps = [...GAPS]
  const { threads } = await writeCorpus(cast, channels, newRandom(SEED), async () => {
    now += DAYS
    await server.parley.engine.write((db) => db.syntax.reserveKeys(db, 'search_documents', gaps.pop()!))
  })

  const places = ['general', 'Big Plans', '秘密']
  const people = { me: ada.id, ada: ada.id, '"root admin"': root.id, [bot.id]: bot.id }
  const named = [
    (random: Random) => inChannel(random.pick(places), random),
    (random: Random) => from(...random.pick(Object.entries(people)), random),
  ]
  addSearchers = async () => {
    await addSearcher(ada, threads, [...named, state, period, period])
    await addSearcher(gus, threads.slice(1, 2), [state, period, (random) => inChannel('秘密', random)])
  }
}, 300_000)
afterAll(() => server.stop())

/** The order within the same millisecond is known to the index alone. */
async function addSearcher(who: Person, threads: readonly string[], operators: Searcher['operators']) {
  const records = new Map((await readCorpus(who, threads)).map((record) => [record.id, record]))
  const order = await findAll(who, {})
  expect(order.toSorted()).toEqual([...records.keys()].sort())
  const sees = order.map((id) => records.get(id)!)
  const times = sees.map(({ created_at }) => created_at)
  expect(times).toEqual(times.toSorted().reverse())
  searchers.push({ who, sees, texts: sees.map(({ text }) => text).sort(), operators })
}

const either = (random: Random, q: string, holds: Condition['holds']): Condition =>
  random.below(3) === 0 ? { q: `-${q}`, holds: (record) => !holds(record) } : { q, holds }

const inChannel = (name: string, random: Random) => either(random, `in:"${name}"`, ({ channel }) => channel === name)

const from = (name: string, id: string, random: Random) => either(random, `from:${name}`, ({ author }) => author === id)

function state(random: Random): Condition {
  const value = random.pick(['open', 'resolved', 'post', 'comment', 'message'] as const)
  if (value === 'open' || value === 'resolved')
    return { q: `is:${value}`, holds: ({ isResolved }) => isResolved === (value === 'resolved') }
  return { q: `is:${value}`, holds: ({ type }) => type === value }
}

function period(random: Random): Condition {
  const date = new Date(now - random.below(11 * DAYS)).toISOString().slice(0, random.pick([4, 7, 10]))
  const dayOf = ({ created_at }: Searched) => created_at.slice(0, date.length)
  return random.below(2) === 0
    ? { q: `before:${date}`, holds: (record) => dayOf(record) < date }
    : { q: `after:${date}`, holds: (record) => dayOf(record) > date }
}

/** A query, and the ids that a scan over everything finds. */
function randomCase(random: Random): { who: Person; input: SearchInput; expected: string[] } {
  const { who, sees, texts, operators } = searchers[random.pick([0, 0, 0, 1])]!
  const words = randomWords(random, texts)
  const conditions = random.below(3) === 0 ? [random.pick(operators)(random)] : []
  const q = [...words, ...conditions.map((condition) => condition.q)].join(' ')
  const terms = toTerms(parseSearchQuery(q))
  const found = sees.filter((record) => matches(terms, record.tokens) && conditions.every(({ holds }) => holds(record)))
  const sort = random.pick(['relevance', 'relevance', 'created_at'] as const)
  const direction = random.pick(['desc', 'desc', 'asc'] as const)
  const isFirst = ({ tokens }: Searched) =>
    sort === 'relevance' && terms.all.length > 0 && matchesTitle(terms, tokens.title)
  const ordered = [...found.filter(isFirst), ...found.filter((record) => !isFirst(record))].map(({ id }) => id)
  return { who, input: { q, sort, direction }, expected: direction === 'desc' ? ordered : ordered.reverse() }
}

test('random queries find what a scan over all records finds, in the same order', async () => {
  await addSearchers()
  await expectSameAsScan(newRandom(SEED), QUERIES)
}, 300_000)

test('so do they after the index was built anew', async () => {
  await rebuildSearchIndex(server.parley)
  searchers.length = 0
  await addSearchers()
  await expectSameAsScan(newRandom(SEED + 1), QUERIES / 10)
}, 300_000)

async function expectSameAsScan(random: Random, count: number) {
  const cases = Array.from({ length: count }, () => randomCase(random))
  const different: unknown[] = []
  await inParallel(cases, async ({ who, input, expected }) => {
    const found = await findAll(who, input)
    if (!Bun.deepEquals(found, expected)) different.push({ ...input, found, expected })
  })
  expect(different.slice(0, 5)).toEqual([])
  const successful = cases.filter(({ expected }) => expected.length > 0).length
  expect(successful).toBeGreaterThan(count / 3)
}
