import { beforeAll, describe, expect, test } from 'bun:test'
import { encodeCursor } from '../../src/domain/lists/cursor'
import { ids } from '../expectations'
import { type World, world } from '../world'
import { problem } from './wire'

let cast: World
let thread: string
const posts: string[] = []

beforeAll(async () => {
  cast = await world()
  const { ada, general } = cast
  for (let at = 0; at < 5; at++)
    posts.push((await ada.posts.create({ channel_id: general.id, content_markdown: `${at}` })).id)
  for (const id of posts.slice(0, 2))
    for (let at = 0; at < 3; at++) await ada.comments.create({ post_id: id, content_markdown: `${at}` })
  thread = (await ada.threads.create({ member_ids: [] })).id
  for (let at = 0; at < 3; at++) await ada.messages.create({ thread_id: thread, content_markdown: `${at}` })
})

const get = (path: string) => cast.raw(cast.ada, path)
const page = async (path: string) =>
  (await (await get(path)).json()) as { data: { id: string }[]; next_cursor: string; prev_cursor: string }

/** That this query is refused, for this parameter, in a sentence that holds these words. */
async function refused(path: string, name: string, ...words: string[]) {
  const { errors } = await problem(await get(path), 'invalid_input')
  expect(errors!.map((error) => [error.in, error.name])).toEqual([['query', name]])
  for (const word of words) expect(errors![0]!.message).toContain(word)
}

const lists = () => [
  '/v2/posts',
  '/v2/members',
  '/v2/channels',
  '/v2/threads',
  `/v2/posts/${posts[0]}/comments`,
  `/v2/threads/${thread}/messages`,
  '/v2/me/tokens',
]

describe('the query of a list', () => {
  test.each([
    '0',
    '51',
    '-1',
    '01',
    '1.5',
    '+1',
    '1e1',
    'abc',
    '0x10',
    ' 5',
    '٣',
    '999999999999999999999',
    'NaN',
    '1,2',
  ])('limit=%s is refused', async (limit) => {
    for (const list of lists()) await refused(`${list}?limit=${encodeURIComponent(limit)}`, 'limit')
  })

  test('limit is 1 to 50, by default 50', async () => {
    for (const limit of [1, 3, 50])
      expect((await page(`/v2/posts?limit=${limit}`)).data).toHaveLength(Math.min(limit, 5))
    await refused('/v2/posts?limit=51', 'limit', '50')
    await refused('/v2/posts?limit=0', 'limit', '1')
  })

  test('an unknown parameter is refused, naming the supported ones', async () => {
    for (const list of lists())
      await refused(`${list}?chanel_id=x`, 'chanel_id', '`chanel_id`', 'after', 'limit', 'sort', 'direction')
    for (const name of ['__proto__', 'constructor', 'toString', 'Limit', 'limit[]'])
      await refused(`/v2/posts?${encodeURIComponent(name)}=1`, name)
  })

  test('a repeated parameter is refused', async () => {
    await refused('/v2/posts?limit=1&limit=2', 'limit', 'only once')
    await refused('/v2/posts?channel_id=a&channel_id=a', 'channel_id')
  })

  test('an empty value is ignored', async () => {
    const all = await page('/v2/posts')
    expect(await page('/v2/posts?limit=&sort=&direction=&channel_id=&after=&resolved=')).toEqual(all)
    expect((await page('/v2/members?q=&roles=')).data).toHaveLength(5)
    await refused('/v2/posts?colour=', 'colour')
  })

  test('an invalid choice is refused, naming the valid ones', async () => {
    await refused('/v2/posts?sort=created_at', 'sort', 'published_at', 'last_activity_at')
    await refused('/v2/members?sort=name', 'sort', 'created_at', 'last_seen_at')
    await refused('/v2/posts?direction=up', 'direction', 'asc', 'desc')
    await refused('/v2/posts?direction=ASC', 'direction', 'asc')
    await refused('/v2/posts?resolved=yes', 'resolved', 'true or false')
    const { errors } = await problem(await get('/v2/members?roles=admin,king'), 'invalid_input')
    expect(errors![0]).toEqual({
      in: 'query',
      name: 'roles[1]',
      message: 'Must be one of: admin, member, viewer, guest.',
    })
  })

  test('roles may be separated by commas or repeated', async () => {
    const expected = (await page('/v2/members?roles=admin,viewer')).data
    expect(expected).toHaveLength(2)
    expect((await page('/v2/members?roles=admin&roles=viewer')).data).toEqual(expected)
    expect((await page('/v2/members?roles=admin%2Cviewer')).data).toEqual(expected)
  })

  test('text that cannot be stored is refused', async () => {
    for (const path of ['/v2/members?q=%00', '/v2/posts?channel_id=%00'])
      await problem(await get(path), 'invalid_input')
    expect((await get('/v2/members?q=%ff%fe')).status).toBe(200)
    expect((await get(`/v2/members?q=${encodeURIComponent("%_' OR 1=1 --")}`)).status).toBe(200)
  })
})

describe('a cursor', () => {
  const cursorOf = async (path: string) => (await page(path)).next_cursor
  const isRefused = async (path: string) => void (await problem(await get(path), 'invalid_cursor'))

  test('works without sort and direction, or with the same ones', async () => {
    const order = '/v2/posts?sort=last_activity_at&direction=asc&limit=2'
    const after = await cursorOf(order)
    const second = await page(`${order}&after=${after}`)
    expect(second.data).toHaveLength(2)
    expect(await page(`/v2/posts?limit=2&after=${after}`)).toEqual(second)
  })

  test('is refused with another order', async () => {
    const after = await cursorOf('/v2/posts?limit=2')
    await isRefused(`/v2/posts?after=${after}&sort=last_activity_at`)
    await isRefused(`/v2/posts?after=${after}&direction=asc`)
  })

  test('is refused with other filters and by other lists', async () => {
    const { general } = cast
    const after = await cursorOf('/v2/posts?limit=2')
    await isRefused(`/v2/posts?after=${after}&channel_id=${general.id}`)
    await isRefused(`/v2/posts?after=${after}&resolved=false`)
    for (const list of lists().slice(1)) await isRefused(`${list}?after=${after}`)
    const comments = await cursorOf(`/v2/posts/${posts[0]}/comments?limit=1`)
    await isRefused(`/v2/posts/${posts[1]}/comments?after=${comments}`)
    await isRefused(`/v2/posts/${posts[0]}/comments?after=${comments}&parent_id=root`)
    const members = await cursorOf('/v2/members?limit=1')
    await isRefused(`/v2/members?after=${members}&q=a`)
    await isRefused(`/v2/members?after=${members}&roles=member`)
  })

  test('is refused if altered, truncated or invented', async () => {
    const after = await cursorOf('/v2/posts?limit=2')
    const altered = after.slice(0, 20) + (after[20] === 'A' ? 'B' : 'A') + after.slice(21)
    for (const text of [
      altered,
      after.slice(0, -1),
      after.slice(1),
      `${after}A`,
      `${after}=`,
      'x',
      '%F0%9F%98%80',
      '0',
      'null',
      'A'.repeat(4_000),
    ])
      await isRefused(`/v2/posts?after=${text}`)
  })

  test('that someone forged is refused without an internal error', async () => {
    const good = {
      way: 'next',
      sort: 'published_at',
      direction: 'desc',
      at: 5,
      id: 'post_x',
      inclusive: false,
    } as const
    const forged = (change: object) => encodeCursor('posts.list   ', { ...good, ...change })
    expect((await get(`/v2/posts?after=${forged({})}`)).status).toBe(200)
    for (const change of [
      { sort: 'content' },
      { sort: 'nothing' },
      { sort: '1; DROP TABLE posts' },
      { sort: 'last_seen_at' },
      { at: 'text' },
      { at: null },
      { at: {} },
      { id: 5 },
      { id: 'a\u0000b' },
    ])
      await isRefused(`/v2/posts?after=${forged(change)}`)
  })

  test('stays valid after its record was deleted', async () => {
    const { ada, general } = cast
    const victim = await ada.posts.create({ channel_id: general.id, content_markdown: 'Soon gone' })
    const first = await page('/v2/posts?limit=1')
    expect(first.data[0]!.id).toBe(victim.id)
    await ada.posts.delete({ id: victim.id })
    expect((await page(`/v2/posts?limit=1&after=${first.next_cursor}`)).data[0]!.id).toBe(posts.at(-1)!)
  })
})

describe('the id of a record as `after`', () => {
  const isRefused = async (path: string) => {
    const { detail, errors } = await problem(await get(path), 'invalid_cursor')
    return { detail, errors }
  }

  test('gives the records after it, in the order that was asked for', async () => {
    const newest = posts.toReversed()
    const idsAfter = async (query: string) => (await page(`/v2/posts?${query}`)).data.map(({ id }) => id)
    expect(await idsAfter(`after=${posts[3]}`)).toEqual(newest.slice(2))
    expect(await idsAfter(`after=${posts[3]}&limit=2`)).toEqual(newest.slice(2, 4))
    expect(await idsAfter(`after=${posts[3]}&sort=published_at&direction=asc`)).toEqual([posts[4]!])
    const second = await page(`/v2/posts?after=${posts[3]}&limit=2`)
    expect((await page(`/v2/posts?limit=2&after=${second.prev_cursor}`)).data.map(({ id }) => id)).toEqual(
      newest.slice(0, 2),
    )
    expect((await page(`/v2/posts?limit=2&after=${second.next_cursor}`)).data.map(({ id }) => id)).toEqual([posts[0]!])
  })

  test('gives an empty page after the last record, from which one can go back', async () => {
    const end = await page(`/v2/posts?after=${posts[0]}`)
    expect(end).toMatchObject({ data: [], total_count: 5, next_cursor: null })
    expect((await page(`/v2/posts?limit=1&after=${end.prev_cursor}`)).data[0]!.id).toBe(posts[0]!)
  })

  test('is refused all alike if the list does not contain the record, or not for this caller', async () => {
    const { root, ada, zed, general } = cast
    const secret = await root.channels.create({ name: 'hidden', private: true })
    const hidden = await root.posts.create({ channel_id: secret.id, content_markdown: 'Hidden' })
    const foreign = await zed.posts.create({
      channel_id: (await zed.channels.list()).data[0]!.id,
      content_markdown: 'Elsewhere',
    })
    const gone = await ada.posts.create({ channel_id: general.id, content_markdown: 'Gone' })
    await ada.posts.delete({ id: gone.id })
    const unknown = 'post_01h455vb4pex5vsknk084sn02q'
    const refusal = await isRefused(`/v2/posts?after=${unknown}`)
    expect(refusal.errors).toEqual([{ in: 'query', name: 'after', message: 'There is no such record in this list.' }])
    for (const query of [
      `after=${hidden.id}`,
      `after=${foreign.id}`,
      `after=${gone.id}`,
      `after=${posts[0]}&resolved=true`,
      `after=${ada.id}`,
      `after=${hidden.id}&author_id=${ada.id}`,
    ])
      expect(await isRefused(`/v2/posts?${query}`)).toEqual(refusal)
    // A list without any records refuses it too.
    expect(await isRefused(`/v2/posts?after=${posts[0]}&author_id=${cast.vic.id}`)).toEqual(refusal)
    for (const list of lists().slice(1)) expect(await isRefused(`${list}?after=${posts[0]}`)).toEqual(refusal)
    await cast.root.channels.delete({ id: secret.id })
  })

  test('works in the lists of admins', async () => {
    const { root, ada, bob } = cast
    for (const path of ['a', 'b']) await root.webhooks.create({ url: `http://127.0.0.1:9/${path}` })
    const { data: hooks } = await root.webhooks.list()
    const { id } = hooks[0]!
    for (let at = 0; at < 2; at++) await root.webhooks.ping({ id })
    for (const { id: member_id } of [ada, bob]) await root.members.createSignInLink({ member_id })
    const lists: ((page: { after?: string }) => Promise<{ data: { id: string }[] }>)[] = [
      (page) => root.webhooks.list(page),
      (page) => root.webhooks.deliveries({ id, ...page }),
      (page) => root.signInLinks.list(page),
      (page) => root.apps.list({ q: 'b', ...page }),
      (page) => root.apps.list(page),
    ]
    for (const list of lists) {
      const { data } = await list({})
      // Deliveries are attempted meanwhile, and newer ones come first.
      expect(ids((await list({ after: data[0]!.id })).data)).toEqual(ids(data.slice(1)))
      await expect(list({ after: ada.id })).rejects.toMatchObject({ code: 'invalid_cursor' })
    }
    for (const hook of hooks) await root.webhooks.delete({ id: hook.id })
  })

  test('works in the inbox and in a search, if it is among what is listed', async () => {
    const { ada, bob, general } = cast
    const mentioned: string[] = []
    for (let at = 0; at < 3; at++) {
      const text = { title: `Quokka ${at}`, content_markdown: `<@${bob.id}> quokka` }
      mentioned.unshift((await ada.posts.create({ channel_id: general.id, ...text })).id)
    }
    await cast.fillInboxes()
    const entries = (await bob.inbox.list()).data
    expect(entries).toHaveLength(3)
    expect((await bob.inbox.list({ after: entries[0]!.id })).data).toEqual(entries.slice(1))
    const end = await bob.inbox.list({ after: entries[2]!.id })
    expect(end).toMatchObject({ data: [], next_cursor: null })
    expect((await bob.inbox.list({ after: end.prev_cursor! })).data).toEqual(entries)
    for (const call of [
      () => bob.inbox.list({ after: entries[0]!.id, archived: true }),
      () => bob.inbox.list({ after: entries[0]!.id, about: ['reaction'] }),
      () => cast.vic.inbox.list({ after: entries[0]!.id }),
      () => bob.search.list({ q: 'quokka', after: posts[0]! }),
      () => bob.search.list({ q: 'quokka', after: bob.id }),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'invalid_cursor' })
    for (const id of mentioned) await ada.posts.delete({ id })
  })
})

describe('Link', () => {
  const linksOf = async (path: string) =>
    Object.fromEntries(
      [...((await get(path)).headers.get('link') ?? '').matchAll(/<([^>]+)>; rel="(\w+)"/g)].map(([, url, rel]) => [
        rel!,
        url!,
      ]),
    )

  test('has the next and previous page, with the same filters', async () => {
    const first = await linksOf(`/v2/posts?limit=2&channel_id=${cast.general.id}`)
    expect(Object.keys(first)).toEqual(['next'])
    expect(first.next).toStartWith(`${cast.baseUrl}/v2/posts?`)
    const second = await linksOf(first.next!.slice(cast.baseUrl.length))
    expect(Object.keys(second)).toEqual(['next', 'prev'])
    const back = await page(second.prev!.slice(cast.baseUrl.length))
    expect(back.data).toEqual((await page('/v2/posts?limit=2')).data)
  })

  test('is missing if it would be longer than proxies accept', async () => {
    const short = await get(`/v2/search?limit=1&q=-${'x'.repeat(100)}`)
    expect(short.headers.get('link')).toContain('rel="next"')
    const long = await get(`/v2/search?limit=1&q=-${'x'.repeat(4_000)}`)
    expect(long.headers.get('link')).toBeNull()
    expect(((await long.json()) as { next_cursor: string }).next_cursor).toBeString()
  })

  test('is missing if there is only one page', async () => {
    expect((await get('/v2/posts')).headers.get('link')).toBeNull()
    expect((await get(`/v2/posts/${posts[0]}`)).headers.get('link')).toBeNull()
  })
})
