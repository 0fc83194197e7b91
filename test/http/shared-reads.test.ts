import { describe, expect, test } from 'bun:test'
import { statementsOf } from '../server'
import { world } from '../world'

const REQUESTS = 20

describe('requests for the same response at once', () => {
  test('read it from the database only once or twice', async () => {
    const { ada, bob, general, server } = await world()
    for (let number = 0; number < 60; number++)
      await ada.posts.create({ channel_id: general.id, content_markdown: `Post ${number}` })
    await bob.posts.list({})

    const statements = statementsOf(server)
    statements.length = 0
    const pages = await Promise.all(Array.from({ length: REQUESTS }, () => bob.posts.list({ limit: 40 })))
    const reads = statements.filter((text) => text.includes('"posts_count"'))
    expect(reads.length).toBeGreaterThan(0)
    expect(reads.length).toBeLessThanOrEqual(3)
    expect(new Set(pages.map((page) => JSON.stringify(page))).size).toBe(1)
    expect(pages[0]!.data.length).toBe(40)
  })

  test('get what was written before each of them was sent', async () => {
    const { ada, bob, general } = await world()
    const stale: string[] = []
    for (let number = 0; number < 30; number++) {
      const reading = Array.from({ length: 4 }, () => bob.posts.list({ limit: 10 }))
      const { id } = await ada.posts.create({ channel_id: general.id, content_markdown: `Post ${number}` })
      const pages = await Promise.all(Array.from({ length: 4 }, () => bob.posts.list({ limit: 10 })))
      await Promise.all(reading)
      if (pages.some(({ data }) => data[0]?.id !== id)) stale.push(id)
    }
    expect(stale).toEqual([])
  })

  test('are all refused where it cannot be read', async () => {
    const { bob } = await world()
    const answers = await Promise.allSettled(
      Array.from({ length: REQUESTS }, () => bob.posts.get({ id: 'post_00000000000000000000000000' })),
    )
    expect(answers.map((answer) => (answer.status === 'rejected' ? answer.reason.code : 'found'))).toEqual(
      Array.from({ length: REQUESTS }, () => 'not_found'),
    )
  })
})
