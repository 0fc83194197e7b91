import { expect, test } from 'bun:test'
import { statementsOf } from '../server'
import { world } from '../world'

test('an operator that is repeated is looked up once', async () => {
  const { ada, general, server } = await world()
  await ada.posts.create({ channel_id: general.id, content_markdown: 'zebra' })
  await server.inboxFiller()!.whilePaused(async () => {
    const statements = statementsOf(server)
    statements.length = 0
    const { total_count } = await ada.search.list({ q: `zebra ${'from:ada in:general -from:bob '.repeat(300)}` })
    expect(total_count).toBe(1)
    expect(statements.length).toBeLessThan(100)
  })
})

test('of more different operators than anyone needs, the first count', async () => {
  const { ada, general } = await world()
  await ada.posts.create({ channel_id: general.id, content_markdown: 'zebra' })
  const years = Array.from({ length: 100 }, (_, year) => `before:${2100 - year}`).join(' ')
  expect((await ada.search.list({ q: `zebra ${years}` })).total_count).toBe(1)
})
