import { describe, expect, test } from 'bun:test'
import { MAX_HOOKS, type NewHook } from '../src/contract/hooks'
import { expectInvalid } from './expectations'
import { picture } from './me/pictures'
import { time } from './server'
import { type Person, type World, world } from './world'

/** A world in which ada, a member, has an incoming webhook for #general. */
async function worldWithHook() {
  const cast = await world()
  const { ada, general } = cast
  await ada.channels.join({ channel_id: general.id })
  const hook = await ada.hooks.create({ name: 'Grafana', channel_id: general.id })
  return { ...cast, hook, posts: () => ada.posts.list({ channel_id: general.id }) }
}

const send = (hook: NewHook, payload: unknown, headers: Record<string, string> = {}) =>
  fetch(hook.url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof payload === 'string' ? payload : JSON.stringify(payload),
  })

/** The status and the text of the answer. */
async function answer(...request: Parameters<typeof send>): Promise<[number, string]> {
  const response = await send(...request)
  return [response.status, await response.text()]
}

const asGuest = async ({ root }: World, person: Person) => root.members.update({ id: person.id, role: 'guest' })

describe('an incoming webhook', () => {
  test('posts into its channel, as an app of its own', async () => {
    const { ada, hook, general, posts, events, eventRows } = await worldWithHook()
    const response = await send(hook, { text: '*Disk* is full: <https://example.com|graph>' })
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      'text/plain; charset=utf-8',
      'ok',
    ])
    const [post] = (await posts()).data
    expect(response.headers.get('location')).toBe(post!.url)
    expect(post).toMatchObject({
      title: 'Disk is full: graph',
      content: expect.stringContaining('<strong>Disk</strong> is full: <a href="https://example.com"'),
      channel: { id: general.id },
      author: { ...hook.author, name: 'Grafana', type: 'app' },
    })
    expect(await events()).toEqual(['hook.created', 'post.created'])
    const { data } = await ada.events.list({ types: ['post.created'] })
    expect(data[0]).toMatchObject({ actor: { id: hook.author.id }, via: null })
    expect(JSON.stringify(await eventRows())).not.toContain('/hooks/parley_')
  })

  test('comments on a post, and writes into a thread', async () => {
    const { ada, bob, general } = await worldWithHook()
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Release 2' })
    const thread = await ada.threads.create({ member_ids: [bob.id], title: 'Release' })
    const onPost = await ada.hooks.create({ name: 'CI', post_id: post.id })
    const inThread = await ada.hooks.create({ name: 'CI', thread_id: thread.id })
    expect([onPost.target, inThread.target]).toEqual([
      { type: 'post', id: post.id, title: 'Release 2', url: post.url },
      { type: 'thread', id: thread.id, title: 'Release', url: thread.url },
    ])
    const payload = { title: '2.0 *is* out', content_markdown: 'Built in _3_ min' }
    for (const hook of [onPost, inThread]) expect(await answer(hook, payload)).toEqual([200, 'ok'])
    const [comment] = (await ada.comments.list({ post_id: post.id })).data
    const [message] = (await bob.messages.list({ thread_id: thread.id })).data
    for (const record of [comment, message])
      expect(record).toMatchObject({
        content: '<p><strong>2.0 *is* out</strong></p>\n<p>Built in <em>3</em> min</p>',
        author: { name: 'CI', type: 'app' },
      })
    expect(await answer(inThread, { title: 'Only this' })).toEqual([200, 'ok'])
    const messages = (await bob.messages.list({ thread_id: thread.id })).data
    expect(messages.map(({ content }) => content)).toContain('<p><strong>Only this</strong></p>')
  })

  test('takes JSON under any content type, and forms', async () => {
    const { hook, posts } = await worldWithHook()
    const form = new URLSearchParams({ payload: JSON.stringify({ text: 'a form' }) })
    const bodies: [BodyInit, string | undefined][] = [
      [form.toString(), 'application/x-www-form-urlencoded'],
      ['{"text":"curl -d"}', 'application/x-www-form-urlencoded'],
      ['{"text":"no type"}', 'text/plain'],
      ['{"title":"A title","content_markdown":""}', 'application/json; charset=utf-8'],
      ['{"title":"Only a title"}', 'application/json'],
    ]
    for (const [body, type] of bodies) {
      const response = await fetch(hook.url, { method: 'POST', body, headers: type ? { 'Content-Type': type } : {} })
      expect(await response.text()).toBe('ok')
    }
    expect((await posts()).data.map(({ title }) => title)).toEqual([
      'Only a title',
      'A title',
      'no type',
      'curl -d',
      'a form',
    ])
  })

  test('what GitHub sends by itself is posted, or left out', async () => {
    const { hook, posts } = await worldWithHook()
    expect(await answer(hook, { action: 'labeled', issue: {} }, { 'X-GitHub-Event': 'issues' })).toEqual([200, 'ok'])
    expect((await posts()).total_count).toBe(0)
    const issue = { number: 1, title: 'Broken', html_url: 'https://github.com/acme/shop/issues/1', body: 'Help' }
    const opened = { action: 'opened', issue, sender: { login: 'ada' }, repository: { full_name: 'acme/shop' } }
    expect(await answer(hook, opened, { 'X-GitHub-Event': 'issues' })).toEqual([200, 'ok'])
    expect((await posts()).data[0]!.title).toBe('Broken')
  })

  test('says in words of Slack, and in a sentence, what is wrong', async () => {
    const { hook, ada, posts, baseUrl } = await worldWithHook()
    const unknown = { ...hook, url: `${baseUrl}/hooks/parley_${'x'.repeat(43)}` }
    const withToken = { ...hook, url: `${baseUrl}/hooks/${ada.token}` }
    const cases: [Parameters<typeof send>, number, string][] = [
      [[hook, '{'], 400, 'invalid_payload: The body is not valid JSON.'],
      [[hook, ''], 400, 'invalid_payload: The body is not valid JSON.'],
      [[hook, '['.repeat(100_000)], 400, 'invalid_payload: The body is not valid JSON.'],
      [[hook, { blocks: 3 }], 400, 'invalid_payload: blocks must be a list.'],
      [[hook, { content_markdown: 5 }], 400, 'invalid_payload: content_markdown must be a text.'],
      [[hook, {}], 400, 'no_text: There is no text.'],
      [[hook, { status: 'firing', alerts: [] }], 400, 'no_text: There is no text. In Grafana'],
      [[hook, { text: 'x'.repeat(1024 * 1024) }], 413, 'payload_too_large: '],
      [[hook, { text: 'x' }, { 'Idempotency-Key': 'a b' }], 400, 'invalid_payload: Idempotency-Key: '],
      [[unknown, { text: 'x' }], 404, 'no_service: There is no incoming webhook with this address'],
      [[withToken, { text: 'x' }], 404, 'no_service: There is no incoming webhook with this address'],
    ]
    for (const [request, status, text] of cases) {
      const response = await send(...request)
      expect([response.status, response.headers.get('content-type')]).toEqual([status, 'text/plain; charset=utf-8'])
      expect(await response.text()).toStartWith(text)
      expect(response.headers.get('x-request-id')).toStartWith('req_')
    }
    const looked = await fetch(hook.url)
    expect([looked.status, looked.headers.get('allow')]).toEqual([405, 'POST'])
    expect(await looked.text()).not.toContain(hook.url.slice(-20))
    expect((await posts()).total_count).toBe(0)
  })

  test('its secret opens nothing else, and is stored as a hash', async () => {
    const { hook, baseUrl, server } = await worldWithHook()
    const secret = hook.url.split('/').at(-1)!
    const response = await fetch(`${baseUrl}/v2/me`, { headers: { Authorization: `Bearer ${secret}` } })
    expect(response.status).toBe(401)
    const { hash } = await server.parley.engine.read((db) =>
      db.selectFrom('hooks').where('id', '=', hook.id).select('hash').executeTakeFirstOrThrow(),
    )
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
  })

  test('an Idempotency-Key makes a repeated request post once', async () => {
    const { hook, posts } = await worldWithHook()
    const key = { 'Idempotency-Key': 'build-42' }
    const first = await send(hook, { text: 'Built' }, key)
    const second = await send(hook, { text: 'Built' }, key)
    expect([await first.text(), await second.text()]).toEqual(['ok', 'ok'])
    expect(second.headers.get('location')).toBe(first.headers.get('location'))
    expect((await answer(hook, { text: 'Other' }, key))[0]).toBe(422)
    expect((await posts()).total_count).toBe(1)
  })

  test('shows when it was last used', async () => {
    const { hook, ada } = await worldWithHook()
    expect(hook.last_used_at).toBeNull()
    await send(hook, { text: 'x' })
    const { last_used_at } = await ada.hooks.get({ id: hook.id })
    expect(Math.abs(Date.parse(last_used_at!) - time.now())).toBeLessThan(60_000)
  })

  test('a mention of a member is one, and of someone it cannot see is not', async () => {
    const { hook, bob, zed, posts, fillInboxes } = await worldWithHook()
    await send(hook, { text: `<@${bob.id}> <@${zed.id}> <!here>` })
    const [post] = (await posts()).data
    expect(post!.title).toBe(`@Bob Moore <@${zed.id}> @here`)
    await fillInboxes()
    expect((await bob.inbox.list()).data[0]).toMatchObject({ reason: 'mention' })
  })
})

describe('its owner', () => {
  test.each([
    [
      'loses the right to write',
      403,
      'action_prohibited',
      async ({ root, ada }: World) => root.members.update({ id: ada.id, role: 'viewer' }),
    ],
    ['becomes a guest', 403, 'action_prohibited', async (cast: World) => asGuest(cast, cast.ada)],
    [
      'is deactivated',
      404,
      'no_service',
      async ({ root, ada }: World) => root.members.update({ id: ada.id, is_deactivated: true }),
    ],
  ])('%s: it refuses from then on', async (_, status, word, change) => {
    const cast = await worldWithHook()
    await change(cast)
    const [given, text] = await answer(cast.hook, { text: 'x' })
    expect([given, text.split(':')[0]]).toEqual([status, word])
    expect((await cast.root.hooks.get({ id: cast.hook.id })).problem).toStartWith('Its owner')
    expect((await cast.root.posts.list()).total_count).toBe(0)
  })

  test('is back after a deactivation: the old address is dead, a new one works', async () => {
    const { root, ada, hook, tokenFor } = await worldWithHook()
    await root.members.update({ id: ada.id, is_deactivated: true })
    await root.members.update({ id: ada.id, is_deactivated: false })
    expect((await answer(hook, { text: 'x' }))[0]).toBe(404)
    const back = await tokenFor(ada.id, ['write'])
    await expect(back.hooks.test({ id: hook.id })).rejects.toMatchObject({ code: 'forbidden' })
    const renewed = await back.hooks.rotateSecret({ id: hook.id })
    expect(renewed.problem).toBeNull()
    expect(await answer(renewed, { text: 'x' })).toEqual([200, 'ok'])
  })

  test('sends a test', async () => {
    const { ada, hook, posts } = await worldWithHook()
    await ada.me.update({ display_name: 'Ada *Lovelace* [x](http://a.example)' })
    const posted = await ada.hooks.test({ id: hook.id })
    const [post] = (await posts()).data
    expect(posted).toEqual({ type: 'post', id: post!.id, url: post!.url })
    expect(post).toMatchObject({
      author: { id: hook.author.id },
      content: expect.stringContaining('Ada *Lovelace* [x]('),
    })
  })
})

describe('where it writes', () => {
  test('a private channel is closed to it once its owner is out; admins outside never see its name', async () => {
    const { root, ada, bob, eventRows } = await worldWithHook()
    const secret = await root.channels.create({ name: 'secret-plans', private: true })
    for (const { id } of [ada, bob]) await root.channels.addMember({ channel_id: secret.id, member_id: id })
    await root.channels.leave({ channel_id: secret.id })
    const hook = await ada.hooks.create({ name: 'CI', channel_id: secret.id })
    expect(hook.target.title).toBe('secret-plans')
    expect(await answer(hook, { text: 'x' })).toEqual([200, 'ok'])
    expect((await root.hooks.get({ id: hook.id })).target.title).toBeNull()
    const logged = (await eventRows()).filter(({ type }) => type.startsWith('hook.'))
    expect(JSON.stringify(logged)).not.toContain('secret-plans')

    await ada.channels.leave({ channel_id: secret.id })
    const [status, text] = await answer(hook, { text: 'x' })
    expect([status, text.split(':')[0]]).toEqual([404, 'channel_not_found'])
    expect(await ada.hooks.get({ id: hook.id })).toMatchObject({
      problem: 'Its owner can no longer see the channel.',
      target: { title: null },
    })
    await expect(ada.hooks.test({ id: hook.id })).rejects.toMatchObject({ code: 'not_found' })
    expect((await bob.posts.list({ channel_id: secret.id })).total_count).toBe(1)
  })

  test('an archived channel or a deleted post takes nothing', async () => {
    const { root, ada, general, hook } = await worldWithHook()
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Release' })
    const onPost = await ada.hooks.create({ name: 'CI', post_id: post.id })
    await ada.posts.delete({ id: post.id })
    expect((await answer(onPost, { text: 'x' }))[0]).toBe(404)
    expect(await ada.hooks.get({ id: onPost.id })).toMatchObject({
      problem: 'The post was deleted.',
      target: { id: post.id, title: null },
    })
    await root.channels.delete({ id: general.id })
    expect((await answer(hook, { text: 'x' }))[0]).toBe(404)
    expect((await ada.hooks.get({ id: hook.id })).problem).toBe('The channel is archived.')
    await root.channels.update({ id: general.id, archived: false })
    expect(await answer(hook, { text: 'x' })).toEqual([200, 'ok'])
    // Who can no longer see the channel does not hear that it was archived.
    await root.channels.update({ id: general.id, private: true })
    await root.channels.removeMember({ channel_id: general.id, member_id: ada.id })
    await root.channels.delete({ id: general.id })
    expect((await ada.hooks.get({ id: hook.id })).problem).toBe('Its owner can no longer see the channel.')
  })

  test('is one place, which its owner can write in', async () => {
    const { ada, bob, bot, general } = await worldWithHook()
    const thread = await ada.threads.create({ member_ids: [] })
    for (const target of [{}, { channel_id: general.id, thread_id: thread.id }, { post_id: 'post_x' }])
      await expect(ada.hooks.create({ name: 'CI', ...target })).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(bob.hooks.create({ name: 'CI', thread_id: thread.id })).rejects.toMatchObject({
      code: 'invalid_input',
    })
    await expect(bot.hooks.create({ name: 'CI', channel_id: general.id })).rejects.toThrow('with their own token')
  })
})

test('an incoming webhook writes wherever its owner can, also in a public channel they are not in', async () => {
  const { root, ada } = await world()
  const { id: channel_id } = await root.channels.create({ name: 'alerts' })
  const post = await root.posts.create({ channel_id, content_markdown: 'Disk is full' })
  const hooks = [
    await ada.hooks.create({ name: 'Grafana', channel_id }),
    await ada.hooks.create({ name: 'CI', post_id: post.id }),
  ]
  for (const hook of hooks) expect(await answer(hook, { text: 'x' })).toEqual([200, 'ok'])
  expect((await ada.posts.list({ channel_id })).total_count).toBe(2)
  expect((await ada.comments.list({ post_id: post.id })).total_count).toBe(1)
  expect((await ada.channels.list({ joined: true, name: 'alerts' })).total_count).toBe(0)

  const secret = await root.channels.create({ name: 'secret', private: true })
  await expectInvalid(ada.hooks.create({ name: 'CI', channel_id: secret.id }), 'channel_id')
})

describe('managing', () => {
  test('a name and a picture change what was posted too; deleting keeps it', async () => {
    const { ada, root, hook, posts, events } = await worldWithHook()
    await send(hook, { text: 'x' })
    await root.hooks.update({ id: hook.id, name: 'Grafana Cloud' })
    await ada.hooks.setAvatar({ id: hook.id, file: await picture() })
    const shown = (await posts()).data[0]!.author
    expect([shown.name, shown.avatar_urls.xl.endsWith('.webp')]).toEqual(['Grafana Cloud', true])
    expect((await fetch(shown.avatar_urls.xl)).status).toBe(200)
    await root.hooks.delete({ id: hook.id })
    expect((await root.posts.list({ author_id: hook.author.id })).total_count).toBe(1)
    expect((await answer(hook, { text: 'x' }))[1]).toStartWith('no_service')
    expect((await posts()).data.map(({ author }) => author)).toEqual([shown])
    expect((await ada.hooks.list()).total_count).toBe(0)
    expect((await events()).slice(1)).toEqual(['post.created', 'hook.updated', 'hook.updated', 'hook.deleted'])
  })

  test('an owner who has become a guest can delete it, and no longer change what others see of it', async () => {
    const cast = await worldWithHook()
    const { ada, root, hook, general, raw } = cast
    await root.channels.removeMember({ channel_id: general.id, member_id: ada.id })
    await asGuest(cast, ada)
    await expect(ada.hooks.update({ id: hook.id, name: 'Root Admin' })).rejects.toMatchObject({ code: 'forbidden' })
    await expect(ada.hooks.deleteAvatar({ id: hook.id })).rejects.toMatchObject({ code: 'forbidden' })
    const body = await picture('png', [8, 8])
    const refused = await raw(ada, `/v2/hooks/${hook.id}/avatar`, { method: 'PUT', body })
    expect(refused.status).toBe(403)
    expect((await root.hooks.update({ id: hook.id, name: 'Loki' })).author.name).toBe('Loki')
    await ada.hooks.delete({ id: hook.id })
  })

  test('a new address replaces the old one at once', async () => {
    const { ada, hook } = await worldWithHook()
    const renewed = await ada.hooks.rotateSecret({ id: hook.id })
    expect((await answer(hook, { text: 'x' }))[0]).toBe(404)
    expect(await answer(renewed, { text: 'x' })).toEqual([200, 'ok'])
  })

  test('pages of the list, and the number of them a member may have', async () => {
    const { ada, root, hook, general } = await worldWithHook()
    const second = await ada.hooks.create({ name: 'CI', channel_id: general.id })
    const roots = await root.hooks.create({ name: 'CI', channel_id: general.id })
    const first = await root.hooks.list({ limit: 2 })
    expect([first.total_count, ...first.data.map(({ id }) => id)]).toEqual([3, hook.id, second.id])
    const next = await root.hooks.list({ limit: 2, after: first.next_cursor! })
    expect(next.data.map(({ id }) => id)).toEqual([roots.id])
    expect((await ada.hooks.list()).data.map(({ id }) => id)).toEqual([hook.id, second.id])

    const others = Array.from({ length: MAX_HOOKS - 2 }, () => ada.hooks.create({ name: 'CI', channel_id: general.id }))
    await Promise.all(others)
    await expect(ada.hooks.create({ name: 'CI', channel_id: general.id })).rejects.toMatchObject({
      code: 'too_many_hooks',
    })
  })

  test('its owner and admins see its events', async () => {
    const { ada, bob, root, hook } = await worldWithHook()
    const seen = async (who: Person) => (await who.events.list({ types: ['hook.created'] })).data.length
    expect([await seen(ada), await seen(root), await seen(bob)]).toEqual([1, 1, 0])
    expect(hook.owner.id).toBe(ada.id)
  })
})
