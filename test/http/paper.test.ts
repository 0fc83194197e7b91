import { expect, test } from 'bun:test'
import { world } from '../world'

test('a response keeps its own copy of its bytes, so that what they were written on can be used again', async () => {
  const bytes = Buffer.from('first')
  const response = new Response(bytes)
  bytes.write('other')
  expect(await response.text()).toBe('first')
})

test('pages that are asked for at once do not write over each other', async () => {
  const { ada, general } = await world()
  for (let number = 0; number < 12; number++)
    await ada.posts.create({ channel_id: general.id, content_markdown: `Post ${number} ${'é'.repeat(number * 500)}` })
  const { data, next_cursor } = await ada.posts.list({ limit: 1 })
  const rest = (await ada.posts.list({ after: next_cursor! })).data
  const pages = await Promise.all(
    Array.from({ length: 60 }, (_, at) => ada.posts.list({ after: next_cursor!, limit: 1 + (at % 11) })),
  )
  for (const [at, page] of pages.entries()) expect(page.data).toEqual(rest.slice(0, 1 + (at % 11)))
  expect([...data, ...rest]).toHaveLength(12)
})
