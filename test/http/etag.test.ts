import { describe, expect, test } from 'bun:test'
import { statementsOf } from '../server'
import { type Person, type World, world } from '../world'
import { lasting } from './wire'

async function twoPosts() {
  const cast = await world()
  const { ada, general } = cast
  const post = await ada.posts.create({ channel_id: general.id, content_markdown: '**One**' })
  await ada.posts.create({ channel_id: general.id, content_markdown: 'Two' })
  return { ...cast, post }
}

const etagOf = async ({ raw }: World, who: Person, path: string, headers = {}) =>
  (await raw(who, path, { headers })).headers.get('etag')!

const ask = ({ raw }: World, who: Person, path: string, ifNoneMatch: string, headers = {}) =>
  raw(who, path, { headers: { 'If-None-Match': ifNoneMatch, ...headers } })

describe('an ETag', () => {
  test('gets a 304 for an unchanged list and record', async () => {
    const cast = await twoPosts()
    for (const path of ['/v2/posts', '/v2/posts?limit=1', `/v2/posts/${cast.post.id}`, '/v2/members', '/v2/me']) {
      const first = await cast.raw(cast.ada, path)
      const etag = first.headers.get('etag')!
      expect(etag).toMatch(/^"[^"]+"$/)
      const again = await ask(cast, cast.ada, path, etag)
      expect(again.status).toBe(304)
      expect(await again.text()).toBe('')
      expect(again.headers.get('etag')).toBe(etag)
      for (const name of ['cache-control', 'vary', 'access-control-allow-origin'])
        expect(lasting(again)[name]).toBe(lasting(first)[name]!)
    }
  })

  test('gets a 304 without reading the list', async () => {
    const cast = await twoPosts()
    const etag = await etagOf(cast, cast.ada, '/v2/posts')
    await cast.server.inboxFiller()!.whilePaused(async () => {
      const statements = statementsOf(cast.server)
      statements.length = 0
      expect((await ask(cast, cast.ada, '/v2/posts', etag)).status).toBe(304)
      expect(statements.filter((sql) => /posts|channels|comments/.test(sql))).toEqual([])
    })
  })

  test('changes with every write that others can see, for every read', async () => {
    const cast = await twoPosts()
    const { ada, bob, root, general, post } = cast
    const writes: (() => Promise<unknown>)[] = [
      () => bob.posts.create({ channel_id: general.id, content_markdown: 'Three' }),
      () => ada.posts.update({ id: post.id, title: 'Other' }),
      () => ada.comments.create({ post_id: post.id, content_markdown: 'Hi' }),
      () => ada.posts.resolve({ post_id: post.id }),
      () => ada.posts.unresolve({ post_id: post.id }),
      () => root.channels.update({ id: general.id, name: 'renamed' }),
      () => root.members.update({ id: ada.id, display_name: 'Countess' }),
    ]
    for (const write of writes) {
      const paths = ['/v2/posts', `/v2/posts/${post.id}`]
      const etags = await Promise.all(paths.map((path) => etagOf(cast, ada, path)))
      await write()
      for (const [at, path] of paths.entries()) {
        const after = await ask(cast, ada, path, etags[at]!)
        expect(after.status).toBe(200)
        expect(await after.json()).toEqual(await (await cast.raw(ada, path)).json())
      }
    }
  })

  test('stays the same after a write without effect', async () => {
    const cast = await twoPosts()
    const etag = await etagOf(cast, cast.ada, '/v2/posts')
    await cast.ada.posts.unresolve({ post_id: cast.post.id })
    await cast.bob.posts.create({ channel_id: 'chan_x', content_markdown: 'x' }).catch(() => {})
    expect((await ask(cast, cast.ada, '/v2/posts', etag)).status).toBe(304)
  })

  test('differs by what the viewer may see, scopes, URL and content type', async () => {
    const cast = await twoPosts()
    const { ada, root, vic, post, tokenFor } = cast
    const one = `/v2/posts/${post.id}`
    const etags = [
      await etagOf(cast, ada, one),
      await etagOf(cast, root, one),
      await etagOf(cast, vic, one),
      await etagOf(cast, await tokenFor(ada.id, ['read']), one),
      await etagOf(cast, ada, one, { Accept: 'text/markdown' }),
      await etagOf(cast, ada, '/v2/posts'),
      await etagOf(cast, ada, '/v2/posts?limit=1'),
      await etagOf(cast, ada, '/v2/posts?limit=2'),
    ]
    expect(new Set(etags).size).toBe(etags.length)
    expect((await ask(cast, root, one, etags[0]!)).status).toBe(200)
  })

  test('matches as a weak tag and in a list, but not partially', async () => {
    const cast = await twoPosts()
    const etag = await etagOf(cast, cast.ada, '/v2/posts')
    for (const header of [`W/${etag}`, `"x", ${etag}`, `"x",W/${etag},"y"`])
      expect((await ask(cast, cast.ada, '/v2/posts', header)).status).toBe(304)
    for (const header of ['"x"', etag.slice(1, -1), `${etag.slice(0, -1)}x"`])
      expect((await ask(cast, cast.ada, '/v2/posts', header)).status).toBe(200)
  })

  test('is missing on lists sorted by last_seen_at', async () => {
    const { ada, root, bot, raw } = await world()
    for (const [who, path] of [
      [ada, '/v2/members?sort=last_seen_at'],
      [ada, '/v2/me/tokens'],
      [root, `/v2/apps/${bot.id}/tokens`],
    ] as const) {
      const { headers, status } = await raw(who, path)
      expect([status, headers.get('etag'), headers.get('cache-control')]).toEqual([200, null, 'no-store'])
    }
    const { next_cursor } = await ada.members.list({ sort: 'last_seen_at', limit: 1 })
    expect((await raw(ada, `/v2/members?after=${next_cursor}`)).headers.get('etag')).toBeNull()
  })

  test('never turns a 404 into a 304', async () => {
    const cast = await twoPosts()
    const { ada, root, post } = cast
    const path = `/v2/posts/${post.id}`
    const etag = await etagOf(cast, ada, path)
    await root.posts.delete({ id: post.id })
    expect((await ask(cast, ada, path, etag)).status).toBe(404)
    expect((await ask(cast, ada, '/v2/posts/post_x', '*')).status).toBe(404)
  })

  test('does not match after the token or access is lost', async () => {
    const cast = await twoPosts()
    const { root, gus, general } = cast
    await root.channels.addMember({ channel_id: general.id, member_id: gus.id })
    const etag = await etagOf(cast, gus, '/v2/posts')
    await root.channels.removeMember({ channel_id: general.id, member_id: gus.id })
    const after = await ask(cast, gus, '/v2/posts', etag)
    expect(await after.json()).toMatchObject({ data: [], total_count: 0 })
    await root.members.update({ id: gus.id, is_deactivated: true })
    expect((await ask(cast, gus, '/v2/posts', etag)).status).toBe(401)
  })
})

describe('Accept: text/markdown', () => {
  const form = async ({ raw }: World, who: Person, path: string, accept: string) => {
    const response = await raw(who, path, { headers: { Accept: accept } })
    return [response.headers.get('content-type'), await response.text()] as const
  }

  test('returns the source of a post, a comment and a message', async () => {
    const cast = await twoPosts()
    const { ada, post } = cast
    const comment = await ada.comments.create({ post_id: post.id, content_markdown: '*Hm*' })
    const thread = await ada.threads.create({ member_ids: [] })
    const message = await ada.messages.create({ thread_id: thread.id, content_markdown: '`ok`' })
    for (const [path, source] of [
      [`/v2/posts/${post.id}`, '**One**'],
      [`/v2/comments/${comment.id}`, '*Hm*'],
      [`/v2/messages/${message.id}`, '`ok`'],
    ] as const)
      expect(await form(cast, ada, path, 'text/markdown')).toEqual(['text/markdown; charset=utf-8', source])
  })

  test.each([
    ['text/markdown', true],
    ['text/markdown, application/json', true],
    ['application/json;q=0.5, text/markdown', true],
    ['Text/Markdown', true],
    ['text/markdown;q=0.5, application/json', false],
    ['text/markdown;q=0', false],
    ['application/json', false],
    ['*/*', false],
    ['text/html', false],
    ['', false],
  ])('%j', async (accept, isMarkdown) => {
    const cast = await twoPosts()
    const [type] = await form(cast, cast.ada, `/v2/posts/${cast.post.id}`, accept)
    expect(type).toBe(isMarkdown ? 'text/markdown; charset=utf-8' : 'application/json')
  })

  test('returns JSON if there is no source, and problems for errors', async () => {
    const cast = await twoPosts()
    expect((await form(cast, cast.ada, '/v2/posts', 'text/markdown'))[0]).toBe('application/json')
    expect((await form(cast, cast.ada, '/v2/posts/x', 'text/markdown'))[0]).toBe('application/problem+json')
    expect((await form(cast, cast.zed, `/v2/posts/${cast.post.id}`, 'text/markdown'))[0]).toBe(
      'application/problem+json',
    )
  })
})
