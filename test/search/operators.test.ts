import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Running } from '../../src/server'
import { startTestServer } from '../server'
import { type World, world } from '../world'
import { find } from './found'

describe('in: and from:', () => {
  let cast: World
  let plan: string
  let answer: string
  let report: string
  let hello: string

  beforeAll(async () => {
    cast = await world()
    const { root, ada, bob, bot, general } = cast
    const channel = await root.channels.create({ name: 'Big Plans' })
    const first = await ada.posts.create({ channel_id: channel.id, title: 'Plan', content_markdown: 'zebra' })
    plan = first.id
    answer = (await bob.comments.create({ post_id: plan, content_markdown: 'zebra?' })).id
    report = (await bot.posts.create({ channel_id: general.id, title: 'Report', content_markdown: 'zebra!' })).id
    hello = (await ada.messages.createDirect({ member_id: bob.id, content_markdown: 'zebra' })).id
  })

  test('in: finds posts of a channel and their comments, by its name or id', async () => {
    const { ada, general } = cast
    expect(await find(ada, 'zebra in:general')).toEqual([report])
    expect(await find(ada, 'zebra in:#GENERAL')).toEqual([report])
    expect(await find(ada, `in:${general.id}`)).toEqual([report])
    expect(await find(ada, 'zebra in:"big plans"')).toEqual([answer, plan])
    expect(await find(ada, 'in:general')).toEqual([report])
  })

  test('several in: or from: mean any of them', async () => {
    const { ada } = cast
    expect(await find(ada, 'in:general in:"big plans"')).toEqual([report, answer, plan])
    expect(await find(ada, 'from:ada from:bob')).toEqual([hello, answer, plan])
    expect(await find(ada, 'from:ada in:"big plans" zebra')).toEqual([plan])
  })

  test('from: finds what someone wrote, by a name, the beginning of one of its words, or an id', async () => {
    const { ada, bob } = cast
    expect(await find(ada, 'from:ada zebra')).toEqual([hello, plan])
    expect(await find(ada, 'from:@Ada')).toEqual([hello, plan])
    expect(await find(ada, 'from:"ada lovelace"')).toEqual([hello, plan])
    expect(await find(ada, 'from:love')).toEqual([hello, plan])
    expect(await find(ada, `from:${bob.id}`)).toEqual([answer])
  })

  test('from:me is the caller', async () => {
    const { ada, bob, bot, vic } = cast
    expect(await find(ada, 'from:me')).toEqual([hello, plan])
    expect(await find(bob, 'from:ME')).toEqual([answer])
    expect(await find(bot, 'from:me')).toEqual([report])
    expect(await find(vic, 'from:me')).toEqual([])
  })

  test('from: finds what an app wrote', async () => {
    expect(await find(cast.ada, 'from:bot')).toEqual([report])
    expect(await find(cast.ada, `from:${cast.bot.id}`)).toEqual([report])
  })

  test('-in: and -from: leave out', async () => {
    const { ada } = cast
    expect(await find(ada, 'zebra -in:general')).toEqual([hello, answer, plan])
    expect(await find(ada, '-in:general -in:"big plans"')).toEqual([hello])
    expect(await find(ada, '-from:me')).toEqual([report, answer])
    expect(await find(ada, '-from:bob -from:bot zebra')).toEqual([hello, plan])
    expect(await find(ada, 'in:general -from:bot')).toEqual([])
  })

  test('a name is never a word to look for, and a word is never a name', async () => {
    const { ada } = cast
    expect(await find(ada, 'general')).toEqual([])
    expect(await find(ada, '"in:general"')).toEqual([])
    expect(await find(ada, 'in: general')).toEqual([])
  })
})

test('is: finds posts by their state, with their comments, or records of a type', async () => {
  const { ada, bob, general } = await world()
  const newPost = (title: string) => ada.posts.create({ channel_id: general.id, title, content_markdown: 'zebra' })
  const [open, done] = [await newPost('Open'), await newPost('Done')]
  const [onOpen, onDone] = await Promise.all(
    [open, done].map(({ id }) => bob.comments.create({ post_id: id, content_markdown: 'zebra' })),
  )
  const { id: message } = await ada.messages.createDirect({ member_id: bob.id, content_markdown: 'zebra' })
  await ada.posts.resolve({ post_id: done.id })
  const sorted = async (q: string) => (await find(ada, q)).sort()
  expect(await sorted('zebra is:open')).toEqual([onOpen!.id, open.id])
  expect(await sorted('zebra is:RESOLVED')).toEqual([onDone!.id, done.id])
  expect(await sorted('is:open is:post')).toEqual([open.id])
  expect(await sorted('is:post')).toEqual([open.id, done.id].sort())
  expect(await sorted('is:comment zebra')).toEqual([onOpen!.id, onDone!.id].sort())
  expect(await sorted('is:message')).toEqual([message])
  expect(await sorted('is:message is:post')).toEqual([message, open.id, done.id].sort())
  expect(await sorted('is:message is:open')).toEqual([])
  expect(await sorted('is:open is:resolved')).toEqual([])
  expect(await sorted('zebra -is:resolved')).toEqual([onOpen!.id, open.id])
  expect(await sorted('-is:post -is:comment')).toEqual([message])

  await ada.posts.unresolve({ post_id: done.id })
  expect(await sorted('is:resolved')).toEqual([])
  expect(await sorted('is:open')).toEqual([onOpen!.id, onDone!.id, open.id, done.id].sort())
})

describe('before: and after:', () => {
  const times = [
    '2025-12-31T23:59:59.999Z',
    '2026-01-01T00:00:00.000Z',
    '2026-01-31T12:00:00.000Z',
    '2026-02-01T00:00:00.000Z',
  ]
  let now = Date.parse(times[0]!)
  let server: Running
  let cast: World
  const posts: string[] = []

  beforeAll(async () => {
    server = await startTestServer({}, { clock: () => now })
    cast = await world(server)
    for (const time of times) {
      now = Date.parse(time)
      posts.push((await cast.ada.posts.create({ channel_id: cast.general.id, content_markdown: 'zebra' })).id)
    }
  })
  afterAll(() => server.stop())

  const cases: Record<string, number[]> = {
    'before:2026': [0],
    'before:2026-01': [0],
    'before:2026-01-01': [0],
    'before:2026-1-31': [1, 0],
    'before:2026-02-01': [2, 1, 0],
    'before:2027': [3, 2, 1, 0],
    'after:2025': [3, 2, 1],
    'after:2025-12': [3, 2, 1],
    'after:2025-12-30': [3, 2, 1, 0],
    'after:2025-12-31': [3, 2, 1],
    'after:2026-01-01': [3, 2],
    'after:2026-01': [3],
    'after:2026-01-31': [3],
    'after:2026': [],
    'after:2025 before:2026-02': [2, 1],
    'after:2025-12 after:2026-01-01 before:2027 before:2026-02': [2],
    'after:2026-02 before:2026-01': [],
  }
  for (const [q, expected] of Object.entries(cases))
    test(q, async () => {
      const found = expected.map((at) => posts[at]!)
      expect(await find(cast.ada, q)).toEqual(found)
      expect(await find(cast.ada, `zebra ${q}`)).toEqual(found)
    })

  test('created_after includes its time, and created_before does not', async () => {
    const { ada } = cast
    const pick = (...places: number[]) => places.map((at) => posts[at]!)
    expect(await find(ada, { created_after: times[2] })).toEqual(pick(3, 2))
    expect(await find(ada, { created_before: times[2] })).toEqual(pick(1, 0))
    expect(await find(ada, { created_after: times[1], created_before: times[3] })).toEqual(pick(2, 1))
    expect(await find(ada, { q: 'zebra before:2026-02', created_after: times[1] })).toEqual(pick(2, 1))
    expect(await find(ada, { q: 'after:2026-01', created_after: times[1] })).toEqual(pick(3))
    expect(await find(ada, { created_after: '2026-01-31T13:00:00.000+01:00' })).toEqual(pick(3, 2))
  })
})
