import { beforeAll, describe, expect, test } from 'bun:test'
import { longQueries, syntaxQueries } from '../torture/fuzz-queries'
import { type World, world } from '../world'
import { find } from './found'

let cast: World

beforeAll(async () => {
  cast = await world()
  const { ada, general } = cast
  const texts = [
    ...['alpha beta', 'alpha', 'beta alpha', 'alpha gamma', 'near alpha beta 2', 'alpha and beta', 'alpha or gamma'],
    ...['alpha not beta', 'in title content alpha', 'scope w1', 'alpha 2 beta', 't alpha ab', 'alpha or 1 1', 'other'],
    ...['alpha drop table posts', 's 1 a alpha', 'alphabet', 'is', 'b11 0', 'content'],
  ]
  for (const text of texts) await ada.posts.create({ channel_id: general.id, title: text, content_markdown: text })
})

describe('no syntax of a database has an effect', () => {
  for (const [q, words] of Object.entries(syntaxQueries))
    test(JSON.stringify(q), async () => {
      const encoded = percentEncode(q)
      const response = await cast.raw(cast.ada, `/v2/search?q=${encoded}`)
      expect(response.status).toBe(200)
      const { data } = (await response.json()) as { data: { post: { id: string } }[] }
      expect(data.map(({ post }) => post.id)).toEqual(await find(cast.ada, words))
      expect(await find(cast.ada, q)).toEqual(await find(cast.ada, words))
    })
})

/** As bytes of UTF-8, also what is no Unicode. */
const percentEncode = (text: string) =>
  Array.from(text, (character) =>
    character.isWellFormed() ? encodeURIComponent(character) : bytesOf(character.codePointAt(0)!),
  ).join('')

const bytesOf = (surrogate: number) =>
  [0xe0 | (surrogate >> 12), 0x80 | ((surrogate >> 6) & 0x3f), 0x80 | (surrogate & 0x3f)]
    .map((byte) => `%${byte.toString(16)}`)
    .join('')

describe('a long query is answered', () => {
  for (const q of longQueries)
    test(`${q.length} characters like ${JSON.stringify(q.slice(0, 12))}`, async () => {
      const { total_count } = await cast.ada.search.list({ q })
      expect(total_count).toBeLessThanOrEqual(20)
    })

  test('unless it is longer than an address may be', async () => {
    for (const q of ['x'.repeat(50_000), encodeURIComponent('東'.repeat(10_000))]) {
      const response = await cast.raw(cast.ada, `/v2/search?q=${q}`)
      expect(response.status).toBe(431)
    }
    expect((await cast.raw(cast.ada, '/v2/search?q=alpha')).status).toBe(200)
  })
})

test('bytes that are no UTF-8 are no words', async () => {
  for (const q of ['%ff', '%ED%A0%80', '%c0%af', '%'])
    expect((await cast.raw(cast.ada, `/v2/search?q=alpha+${q}`)).status).toBe(200)
})
