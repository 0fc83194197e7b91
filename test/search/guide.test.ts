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
  })

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

  test('has both tables', () => expect([texts.length > 5, queries.length > 15]).toEqual([true, true]))
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
