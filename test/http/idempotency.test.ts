import { afterEach, describe, expect, test } from 'bun:test'
import { cleanUp } from '../../src/jobs/clean-up'
import { time } from '../server'
import { type Person, type World, world } from '../world'
import { json, problem } from './wire'

afterEach(() => time.unfreeze())

const HOUR = 60 * 60 * 1000

/** A post under a key; a new workspace has no other. */
const postUnder = ({ raw, general }: World, who: Person, key: string, content_markdown = 'Once') =>
  raw(who, '/v2/posts', json({ channel_id: general.id, content_markdown }, { 'Idempotency-Key': key }))

describe('the same key', () => {
  test('and request get the same response, and nothing happens twice', async () => {
    const cast = await world()
    const first = await postUnder(cast, cast.ada, 'k1')
    const second = await postUnder(cast, cast.ada, 'k1')
    expect([first.status, second.status]).toEqual([201, 201])
    expect(await second.text()).toBe(await first.text())
    expect([first, second].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true'])
    expect(await cast.events()).toEqual(['post.created'])
  })

  test('and the same body with its fields in another order is the same request', async () => {
    const { ada, general, raw, events } = await world()
    const send = (body: string) =>
      raw(ada, '/v2/posts', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'k' },
        body,
      })
    const first = await send(`{"channel_id":"${general.id}","content_markdown":"Hi","title":"T"}`)
    const second = await send(`{ "title": "T", "content_markdown": "Hi", "channel_id": "${general.id}" }`)
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expect(await second.json()).toEqual(await first.json())
    expect(await events()).toEqual(['post.created'])
  })

  test('and another body is refused', async () => {
    const cast = await world()
    await postUnder(cast, cast.ada, 'k1')
    const { errors } = await problem(await postUnder(cast, cast.ada, 'k1', 'Other'), 'idempotency_key_reused')
    expect(errors![0]).toMatchObject({ in: 'header', name: 'Idempotency-Key' })
    expect(await cast.events()).toEqual(['post.created'])
  })

  test('and another operation, or another path, is refused', async () => {
    const { ada, general, raw } = await world()
    const posts = [1, 2].map(() => ada.posts.create({ channel_id: general.id, content_markdown: 'Hi' }))
    const [one, two] = await Promise.all(posts)
    const comment = (id: string) =>
      raw(ada, `/v2/posts/${id}/comments`, json({ content_markdown: 'x' }, { 'Idempotency-Key': 'k' }))
    expect((await comment(one!.id)).status).toBe(201)
    await problem(await comment(two!.id), 'idempotency_key_reused')
    await problem(
      await raw(ada, `/v2/posts/${one!.id}/resolution`, json({}, { 'Idempotency-Key': 'k' })),
      'idempotency_key_reused',
    )
  })

  test('of another author is a different key', async () => {
    const cast = await world()
    const [first, second] = [await postUnder(cast, cast.ada, 'k'), await postUnder(cast, cast.bob, 'k')]
    expect(second.headers.get('idempotency-replayed')).toBeNull()
    expect(((await first.json()) as { id: string }).id).not.toBe(((await second.json()) as { id: string }).id)
  })

  test('with another token of the same author is the same key', async () => {
    const cast = await world()
    await postUnder(cast, cast.ada, 'k')
    const other = await cast.tokenFor(cast.ada.id, ['write'])
    expect((await postUnder(cast, other, 'k')).headers.get('idempotency-replayed')).toBe('true')
  })

  test('can be used again after a failure', async () => {
    const cast = await world()
    const { ada, raw } = cast
    await problem(
      await raw(ada, '/v2/posts', json({ channel_id: 'chan_x', content_markdown: 'x' }, { 'Idempotency-Key': 'k' })),
      'invalid_input',
    )
    await problem(await raw(ada, '/v2/posts', json({}, { 'Idempotency-Key': 'k' })), 'invalid_input')
    expect((await postUnder(cast, ada, 'k')).status).toBe(201)
  })

  test('can be used again after a day', async () => {
    const cast = await world()
    time.freeze()
    await postUnder(cast, cast.ada, 'k')
    time.advance(24 * HOUR - 1)
    expect((await postUnder(cast, cast.ada, 'k')).headers.get('idempotency-replayed')).toBe('true')
    time.advance(1)
    const later = await postUnder(cast, cast.ada, 'k', 'Another day')
    expect([later.status, later.headers.get('idempotency-replayed')]).toEqual([201, null])
    expect((await postUnder(cast, cast.ada, 'k', 'Another day')).headers.get('idempotency-replayed')).toBe('true')
    expect(await cast.events()).toEqual(['post.created', 'post.created'])
  })

  test('is kept by the clean-up for a day', async () => {
    const cast = await world()
    time.freeze()
    await postUnder(cast, cast.ada, 'k')
    time.advance(23 * HOUR)
    await cleanUp(cast.server.parley, 30)
    expect((await postUnder(cast, cast.ada, 'k')).headers.get('idempotency-replayed')).toBe('true')
  })

  test('sent 40 times at once creates one record', async () => {
    const cast = await world()
    const responses = await Promise.all(Array.from({ length: 40 }, () => postUnder(cast, cast.ada, 'rush')))
    const made = responses.filter(({ status, headers }) => status === 201 && !headers.has('idempotency-replayed'))
    expect(made).toHaveLength(1)
    for (const response of responses.filter(({ status }) => status !== 201)) {
      expect(response.headers.get('retry-after')).toBe('1')
      await problem(response, 'idempotency_in_progress')
    }
    expect((await cast.ada.posts.list()).total_count).toBe(1)
    expect(await cast.events()).toEqual(['post.created'])
  })

  test('never shows a secret twice', async () => {
    const { ada, root, bot, raw } = await world()
    for (const [who, path] of [
      [ada, '/v2/me/tokens'],
      [root, `/v2/apps/${bot.id}/tokens`],
    ] as const) {
      const make = () => raw(who, path, json({ scopes: ['read'] }, { 'Idempotency-Key': 'secret' }))
      const { token } = (await (await make()).json()) as { token: string }
      expect(token).toStartWith('parley_')
      const again = await problem(await make(), 'secret_already_shown')
      expect(JSON.stringify(again)).not.toContain(token)
    }
  })
})

describe('a key', () => {
  test.each(['', 'with space', 'é', 'x'.repeat(256)])('%j is malformed', async (key) => {
    const cast = await world()
    const response = await postUnder(cast, cast.ada, key)
    // An empty header is no header to some clients; nothing is kept either way.
    if (key === '' && response.status === 201) return
    const { errors } = await problem(response, 'invalid_input')
    expect(errors![0]).toMatchObject({ in: 'header', name: 'Idempotency-Key' })
    expect(await cast.events()).toEqual([])
  })

  test('may have 255 characters', async () => {
    const cast = await world()
    expect((await postUnder(cast, cast.ada, '~'.repeat(255))).status).toBe(201)
  })

  test('is ignored for other methods than POST', async () => {
    const { ada, general, raw } = await world()
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Hi' })
    for (const title of ['A', 'B']) {
      const response = await raw(ada, `/v2/posts/${post.id}`, json({ title }, { 'Idempotency-Key': 'k' }, 'PATCH'))
      expect(await response.json()).toMatchObject({ title })
    }
  })

  test('does not give a viewer write access', async () => {
    const cast = await world()
    await problem(await postUnder(cast, cast.vic, 'k'), 'forbidden')
  })
})
