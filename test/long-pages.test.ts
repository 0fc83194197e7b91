import { describe, expect, test } from 'bun:test'
import type { Page } from '../src/contract/shapes'
import { callTool } from './mcp/agent'
import { type World, world } from './world'

/** Three of these are more than a page holds. */
const LONG = 3 * 1024 * 1024

interface Listed {
  ids: string[]
  ask(query: { limit?: number; after?: string }): Promise<Page<{ id: string }>>
}

/** Makes a text as long as no request can: what the longest one is may change. */
const lengthen = ({ server }: World, table: 'posts' | 'comments' | 'messages', ids: readonly string[]) =>
  server.parley.engine.write((db) =>
    db
      .updateTable(table)
      .set({ content: `<p>${'"long" '.repeat(LONG / 7)}</p>` })
      .where('id', 'in', ids)
      .execute(),
  )

/** Ten records of each kind, the oldest first, of which all but two are long. */
const lists = {
  async posts({ ada, general }: World): Promise<Listed> {
    const ids: string[] = []
    for (let number = 0; number < 10; number++)
      ids.push((await ada.posts.create({ channel_id: general.id, title: `Post ${number}` })).id)
    return { ids, ask: (query) => ada.posts.list({ direction: 'asc', ...query }) }
  },
  async comments({ ada, general }: World): Promise<Listed> {
    const { id: post_id } = await ada.posts.create({ channel_id: general.id, title: 'Discussed' })
    const ids: string[] = []
    for (let number = 0; number < 10; number++)
      ids.push((await ada.comments.create({ post_id, content_markdown: `Comment ${number}` })).id)
    return { ids, ask: (query) => ada.comments.list({ post_id, direction: 'asc', ...query }) }
  },
  async messages({ ada, bob }: World): Promise<Listed & { thread_id: string }> {
    const { id: thread_id } = await ada.threads.create({ member_ids: [bob.id] })
    const ids: string[] = []
    for (let number = 0; number < 10; number++)
      ids.push((await ada.messages.create({ thread_id, content_markdown: `Message ${number}` })).id)
    return { ids, thread_id, ask: (query) => ada.messages.list({ thread_id, direction: 'asc', ...query }) }
  },
}

const idsOf = ({ data }: Page<{ id: string }>) => data.map(({ id }) => id)

describe('a page of long texts ends early, with a cursor', () => {
  for (const kind of ['posts', 'comments', 'messages'] as const)
    test(`${kind}: every page, both ways`, async () => {
      const cast = await world()
      const { ids, ask } = await lists[kind](cast)
      await lengthen(cast, kind, ids.slice(0, 8))

      const pages = [await ask({})]
      while (pages.at(-1)!.next_cursor) pages.push(await ask({ after: pages.at(-1)!.next_cursor! }))
      expect(pages.map(idsOf)).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)])
      for (const { total_count } of pages) expect(total_count).toBe(10)

      // Backwards, the short ones come first.
      const back = await ask({ after: pages[2]!.prev_cursor! })
      expect(idsOf(back)).toEqual(ids.slice(3, 6))
      expect(back.next_cursor).not.toBeNull()
      const first = await ask({ after: back.prev_cursor! })
      expect([idsOf(first), first.prev_cursor]).toEqual([ids.slice(0, 3), null])
    })

  test('a page around a long message has the message in it', async () => {
    const cast = await world()
    const { ids, thread_id } = await lists.messages(cast)
    await lengthen(cast, 'messages', ids.slice(0, 8))
    for (const at of [0, 4, 7, 9]) {
      const around = idsOf(await cast.ada.messages.list({ thread_id, direction: 'asc', around: ids[at]! }))
      expect({ at, has: around.includes(ids[at]!) }).toEqual({ at, has: true })
      expect(around.length).toBeLessThanOrEqual(4)
    }
  })

  test('a limit is kept where it is reached first, and one record is always there', async () => {
    const cast = await world()
    const { ids, ask } = await lists.comments(cast)
    await lengthen(cast, 'comments', ids)
    const two = await ask({ limit: 2 })
    expect(idsOf(two)).toEqual(ids.slice(0, 2))
    const one = await ask({ limit: 1, after: two.next_cursor! })
    expect([idsOf(one), one.next_cursor === null]).toEqual([ids.slice(2, 3), false])
  })

  test('a resolution counts, too; pinned and saved posts have pages of the same size', async () => {
    const cast = await world()
    const { ada, general, server } = cast
    const { ids } = await lists.posts(cast)
    for (const post_id of ids.slice(0, 6)) {
      const { id: comment_id } = await ada.comments.create({ post_id, content_markdown: 'Yes' })
      await lengthen(cast, 'comments', [comment_id])
      await ada.posts.resolve({ post_id, comment_id, content_markdown: 'No' })
      await ada.pins.set({ post_id })
      await ada.saved.set({ post_id })
    }
    await server.parley.engine.write((db) =>
      db
        .updateTable('posts')
        .set({ resolved_html: 'long '.repeat(LONG / 5) })
        .where('id', 'in', ids.slice(0, 6))
        .execute(),
    )
    const walk = async (ask: (after?: string) => Promise<Page<unknown>>) => {
      const sizes: number[] = []
      for (let after: string | undefined; after !== '' && sizes.length < 9; ) {
        const page: Page<unknown> = await ask(after)
        sizes.push(page.data.length)
        after = page.next_cursor ?? ''
      }
      return sizes
    }
    expect(await walk((after) => ada.posts.list({ resolved: true, after }))).toEqual([2, 2, 2])
    expect(await walk((after) => ada.pins.list({ channel_id: general.id, after }))).toEqual([2, 2, 2])
    expect(await walk((after) => ada.saved.list({ after }))).toEqual([2, 2, 2])
  })

  test('clients and agents go on over it', async () => {
    const cast = await world()
    const { ids } = await lists.posts(cast)
    await lengthen(cast, 'posts', ids.slice(2))
    const seen: string[] = []
    for await (const { id } of cast.ada.posts.list()) seen.push(id)
    expect(seen).toEqual(ids.toReversed())

    const told: string[] = []
    for (let after: string | undefined; after !== null; ) {
      const { data } = await callTool(cast.ada, 'list_posts', after === undefined ? {} : { after })
      expect(data.posts.length).toBeGreaterThan(0)
      told.push(...data.posts.map(({ id }: { id: string }) => id))
      after = data.next_cursor
    }
    expect(told).toEqual(ids.toReversed())
  })
})
