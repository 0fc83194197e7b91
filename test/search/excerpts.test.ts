import { describe, expect, test } from 'bun:test'
import type { Excerpt } from '../../src/contract/search'
import { world } from '../world'

/** Excerpts with what is highlighted in brackets. */
const marked = (excerpts: readonly Excerpt[]): string[] =>
  excerpts.map(({ field, text, highlights }) => {
    const body = highlights.reduceRight(
      (whole, { start, end }) => `${whole.slice(0, start)}[${whole.slice(start, end)}]${whole.slice(end)}`,
      text,
    )
    return `${field}: ${body}`
  })

/** The excerpts of a post that a query finds. */
async function excerptsOf(q: string, post: { title?: string; content_markdown: string }): Promise<string[]> {
  const { ada, general } = await world()
  await ada.posts.create({ channel_id: general.id, ...post })
  const { data } = await ada.search.list({ q })
  expect(data).toHaveLength(1)
  return marked(data[0]!.excerpts)
}

describe('the excerpts of a result', () => {
  test('show each match, in the title and in the text', async () => {
    expect(await excerptsOf('zebra', { title: 'Zebra!', content_markdown: 'A *zebra* & a <horse>, Zébra.' })).toEqual([
      'title: [Zebra]!',
      'content: A [zebra] & a <horse>, [Zébra].',
    ])
  })

  test('leave out a title that does not match', async () => {
    expect(await excerptsOf('zebra', { title: 'Horse', content_markdown: 'One zebra' })).toEqual([
      'content: One [zebra]',
    ])
  })

  test('show the beginning of a text that does not match', async () => {
    const post = { title: 'Horse', content_markdown: 'One zebra' }
    expect(await excerptsOf('title:horse', post)).toEqual(['title: [Horse]', 'content: One zebra'])
    expect(await excerptsOf('', post)).toEqual(['content: One zebra'])
    expect(await excerptsOf('-dog is:post', post)).toEqual(['content: One zebra'])
  })

  test('highlight phrases, beginnings and parts of words as a whole', async () => {
    const post = { title: 'x', content_markdown: 'The big red balloon is big. 東京都の天気' }
    expect(await excerptsOf('"big red" ball*', post)).toEqual(['content: The [big red] [balloon] is big. 東京都の天気'])
    expect(await excerptsOf('京都', post)).toEqual(['content: The big red balloon is big. 東[京都]の天気'])
    expect(await excerptsOf('天', post)).toEqual(['content: The big red balloon is big. 東京都の[天]気'])
  })

  test('are at most three passages of a long text', async () => {
    const filler = 'lorem ipsum dolor '.repeat(40)
    const content_markdown = `${filler}zebra ${filler}zebra ${filler}horse ${filler}zebra`
    const excerpts = await excerptsOf('zebra horse', { title: 'Animals', content_markdown })
    expect(excerpts).toHaveLength(3)
    expect(excerpts.join()).toContain('[zebra]')
    expect(excerpts.join()).toContain('[horse]')
    for (const excerpt of excerpts) {
      expect(excerpt).toMatch(/^content: ….*\[(zebra|horse)\]/)
      expect(excerpt.length).toBeLessThan(250)
    }
  })

  test('of comments and messages are of their text', async () => {
    const { ada, bob, general } = await world()
    const post = await ada.posts.create({ channel_id: general.id, title: 'Zebra', content_markdown: 'Hello' })
    await ada.comments.create({ post_id: post.id, content_markdown: 'A **zebra**' })
    await ada.messages.createDirect({ member_id: bob.id, content_markdown: '> zebra\n\n`zebra`' })
    const { data } = await ada.search.list({ q: 'zebra', sort: 'created_at' })
    expect(data.map(({ excerpts }) => marked(excerpts))).toEqual([
      ['content: [zebra] [zebra]'],
      ['content: A [zebra]'],
      ['title: [Zebra]', 'content: Hello'],
    ])
  })
})
