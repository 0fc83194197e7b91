import { describe, expect, test } from 'bun:test'
import { encodeCursor } from '../../src/domain/lists/cursor'
import type { ApiError } from '../client'
import { expectInvalid, expectRefused } from '../expectations'
import { world } from '../world'
import type { SearchInput } from './found'

describe('an operator with a value that does not exist is refused, with what would be right', () => {
  const rules: Record<string, string> = {
    'in:nowhere': 'Write its name after `in:`.',
    '-in:nowhere': 'Write its name after `in:`.',
    'in:"no where"': 'Write its name after `in:`.',
    'from:nobody': 'Write a name, its beginning, or `me` after `from:`.',
    '-from:nobody': 'Write a name, its beginning, or `me` after `from:`.',
    'from:ob': 'Write a name, its beginning, or `me` after `from:`.',
    'is:closed': '`is:` can be followed by open, resolved, post, comment, message.',
    'before:yesterday': 'such as 2026-01-31, 2026-01 or 2026.',
    'before:2026-02-30': 'such as 2026-01-31, 2026-01 or 2026.',
    'before:2026-13': 'such as 2026-01-31, 2026-01 or 2026.',
    'after:2026-00': 'such as 2026-01-31, 2026-01 or 2026.',
    'before:0050': 'such as 2026-01-31, 2026-01 or 2026.',
    'after:26': 'such as 2026-01-31, 2026-01 or 2026.',
    'after:2026-01-32': 'such as 2026-01-31, 2026-01 or 2026.',
  }
  for (const [operator, rule] of Object.entries(rules))
    test(operator, async () => {
      const { ada } = await world()
      const error = await ada.search.list({ q: `word ${operator}` }).catch((reason: ApiError) => reason)
      const message = expect.stringContaining(rule)
      expect(error).toMatchObject({ code: 'invalid_input', status: 422, errors: [{ in: 'query', name: 'q', message }] })
      expect((error as ApiError).message).toContain(operator.replace(/^-/, '').replaceAll('"', ''))
    })

  test('a channel or person the caller cannot see does not exist', async () => {
    const { root, ada, gus } = await world()
    await root.channels.create({ name: 'secret', private: true })
    await expectInvalid(ada.search.list({ q: 'in:secret' }), 'q')
    await expectInvalid(ada.search.list({ q: '-in:secret' }), 'q')
    await expectInvalid(gus.search.list({ q: 'in:general' }), 'q')
    await expectInvalid(gus.search.list({ q: 'from:ada' }), 'q')
    await expectInvalid(ada.search.list({ q: 'from:zed' }), 'q')
    const old = await root.channels.create({ name: 'old' })
    expect((await root.search.list({ q: 'in:old' })).total_count).toBe(0)
    await root.channels.delete({ id: old.id })
    await expectInvalid(root.search.list({ q: 'in:old' }), 'q')
  })
})

test('a channel, thread or author that the caller cannot see is not found', async () => {
  const { root, ada, bob, gus, zed, general } = await world()
  const secret = await root.channels.create({ name: 'secret', private: true })
  const old = await root.channels.create({ name: 'old' })
  await root.channels.delete({ id: old.id })
  const thread = await root.threads.create({ member_ids: [bob.id] })
  await expectRefused(ada.search.list({ channel_id: secret.id }), 'not_found')
  await expectRefused(ada.search.list({ channel_id: old.id }), 'not_found')
  await expectRefused(gus.search.list({ channel_id: general.id }), 'not_found')
  await expectRefused(zed.search.list({ channel_id: general.id }), 'not_found')
  await expectRefused(ada.search.list({ channel_id: 'chn_x' }), 'not_found')
  await expectRefused(ada.search.list({ thread_id: thread.id }), 'not_found')
  await expectRefused(ada.search.list({ author_id: zed.id }), 'not_found')
  await expectRefused(gus.search.list({ author_id: ada.id }), 'not_found')
  await expectRefused(ada.search.list({ author_id: 'mem_x' }), 'not_found')
  expect((await bob.search.list({ thread_id: thread.id })).total_count).toBe(0)
})

test('other input is refused by the name of its field', async () => {
  const { ada } = await world()
  await expectInvalid(ada.search.list({ q: 'x'.repeat(10_001) }), 'q')
  await expectInvalid(ada.search.list({ types: ['posts' as 'post'] }), 'types[0]')
  await expectInvalid(ada.search.list({ sort: 'name' as 'relevance' }), 'sort')
  await expectInvalid(ada.search.list({ direction: 'up' as 'asc' }), 'direction')
  await expectInvalid(ada.search.list({ limit: 51 }), 'limit')
  await expectInvalid(ada.search.list({ resolved: 'maybe' as unknown as boolean }), 'resolved')
  await expectInvalid(ada.search.list({ created_after: 'now' }), 'created_after')
  await expectInvalid(ada.search.list({ created_before: '2026-02-30T00:00:00Z' }), 'created_before')
})

test('a cursor belongs to its query', async () => {
  const { ada, bob, general } = await world()
  for (let made = 0; made < 3; made++)
    await ada.posts.create({ channel_id: general.id, content_markdown: `zebra horse ${made}` })
  const { next_cursor } = await ada.search.list({ q: 'zebra', limit: 1 })
  const after = next_cursor!
  expect((await ada.search.list({ q: 'zebra', limit: 2, after })).data).toHaveLength(2)
  expect((await bob.search.list({ q: 'zebra', limit: 2, after })).data).toHaveLength(2)
  const others: SearchInput[] = [
    {},
    { q: 'horse' },
    { q: 'zebra ' },
    { q: 'zebra', types: ['post'] },
    { q: 'zebra', channel_id: general.id },
    { q: 'zebra', author_id: ada.id },
    { q: 'zebra', resolved: false },
    { q: 'zebra', created_after: '2020-01-01T00:00:00.000Z' },
    { q: 'zebra', created_before: '2120-01-01T00:00:00.000Z' },
    { q: 'zebra', sort: 'created_at' },
    { q: 'zebra', direction: 'asc' },
  ]
  for (const other of others) await expectRefused(ada.search.list({ ...other, after }), 'invalid_cursor')
  await expectRefused(ada.posts.list({ after }), 'invalid_cursor')
  const { next_cursor: ofPosts } = await ada.posts.list({ limit: 1 })
  await expectRefused(ada.search.list({ after: ofPosts! }), 'invalid_cursor')
  await expectRefused(ada.search.list({ q: 'zebra', after: `${after.slice(0, -2)}xx` }), 'invalid_cursor')
})

test('a cursor that was made up is refused', async () => {
  const { ada } = await world()
  const cursor = { way: 'next', direction: 'desc', inclusive: false } as const
  for (const id of ['constructor_1', 'chan_1', '', '_']) {
    const byTime = encodeCursor('search.list []', { ...cursor, sort: 'created_at', at: 1, id })
    const byRelevance = encodeCursor('search.list []', { ...cursor, sort: 'relevance', at: 'title', id: `1 ${id}` })
    for (const after of [byTime, byRelevance]) await expectRefused(ada.search.list({ after }), 'invalid_cursor')
  }
})
