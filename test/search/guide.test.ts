import { beforeAll, describe, expect, test } from 'bun:test'
import { read, tablesOf } from '../documents'
import { type World, world } from '../world'
import { find } from './found'

const tables = tablesOf('docs/searching.md').filter(({ head }) => head[0] === 'you type')
const queriesIn = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1]!)

describe('docs/searching.md', () => {
  let cast: World

  beforeAll(async () => {
    cast = await world()
    await cast.root.channels.create({ name: 'customer success' })
    await cast.root.channels.create({ name: 'random' })
    await writeTwoOfEach(cast)
  }, 60_000)

  const texts = tables[0]!.rows.map(([query, ...cells]) => [queriesIn(query!)[0]!, ...cells] as string[])
  test.each(texts)('%s finds “%s”, and not “%s”', async (q, wanted, unwanted) => {
    const { ada, general } = cast
    const write = (content_markdown: string | undefined) =>
      ada.posts.create({ channel_id: general.id, title: 'Example', content_markdown: content_markdown! })
    const [found, other] = [await write(wanted), await write(unwanted)]
    const ids = await find(ada, q!)
    expect([ids.includes(found.id), ids.includes(other.id)]).toEqual([true, false])
  })

  const queries = tables[1]!.rows.flatMap((cells) => cells.flatMap(queriesIn))
  test.each(queries)('%s can be typed', async (q) => {
    expect(await cast.ada.search.list({ q })).toMatchObject({ is_incomplete: false })
  })

  const types = tablesOf('docs/searching.md').find(({ head }) => head[0] === 'operator')!.rows
  const cases = types.flatMap(([cell, ...cells]) => queriesIn(cell!).map((q) => [q, ...cells] as string[]))
  test.each(cases)('%s finds posts: %s, comments: %s, messages: %s', async (...[q, ...cells]) => {
    const { data } = await cast.ada.search.list({ q: `zebra ${q}` })
    const found = ['post', 'comment', 'message'].map((type) => data.filter((each) => each.type === type).length)
    const expected = cells.map((cell) => (cell === 'none' ? 0 : cell === 'all' ? 2 : 1))
    expect(found).toEqual(expected)
  })

  test('has all tables', () => expect([texts.length > 5, queries.length > 15, cases.length]).toEqual([true, true, 14]))
})

test('the JavaScript of docs/api.md marks the words, and escapes everything', async () => {
  const { ada, general } = await world()
  await ada.posts.create({ channel_id: general.id, title: 'Lunch', content_markdown: '🥪 `<b>` & lunch at <noon>' })
  const { data } = await ada.search.list({ q: 'lunch' })
  const [, script] = read('docs/api.md').match(/^```js\n(.*?)^```/ms)!
  const toHtml = new Function(`${script}; return toHtml`)()
  expect(data[0]!.excerpts.map(toHtml)).toEqual([
    '<mark>Lunch</mark>',
    '🥪 &#60;b&#62; &#38; <mark>lunch</mark> at &#60;noon&#62;',
  ])
})

/** Two posts, comments and messages: the first of Ada in #general, open and with a title, the others of Bob elsewhere. */
async function writeTwoOfEach({ ada, bob, root, general }: World) {
  const other = await root.channels.create({ name: 'elsewhere' })
  const places = [
    [ada, bob, general.id, 'Budget'],
    [bob, ada, other.id, 'Other'],
  ] as const
  for (const [author, reader, channel_id, title] of places) {
    const post = await author.posts.create({ channel_id, title, content_markdown: 'zebra' })
    await author.comments.create({ post_id: post.id, content_markdown: 'zebra' })
    await author.messages.createDirect({ member_id: reader.id, content_markdown: 'zebra' })
    if (author === bob) await bob.posts.resolve({ post_id: post.id })
  }
}
