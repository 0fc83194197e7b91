import { describe, expect, test } from 'bun:test'
import * as exported from '../../../src/client'
import { ApiError, Parley } from '../../../src/client'
import { type ErrorCode, errors } from '../../../src/contract/errors'
import { world } from '../../world'
import { errorOf, openScriptedServer, problem } from './scripted-server'

const options = { retries: 0 }

describe('an error', () => {
  const statuses = new Map(Object.entries(errors).map(([code, { status }]) => [status, code as ErrorCode]))

  test('has a class for each status', async () => {
    const names = new Set<string>()
    for (const [status, code] of statuses) {
      await using server = await openScriptedServer([problem(code)], options)
      const error = await errorOf(server.client.me.get())
      expect(error).toBeInstanceOf(ApiError)
      expect(error).toBeInstanceOf((exported as never)[error.name])
      expect(error).toMatchObject({ status, code, detail: `About ${code}.`, requestId: 'req_1', errors: [] })
      expect(error.message).toBe(`${code}: About ${code}.`)
      names.add(error.name)
    }
    expect(names.size).toBe(statuses.size)
    expect(names).not.toContain('ApiError')
  })

  test('of invalid input names the fields', async () => {
    const { ada } = await world()
    const error = await errorOf(ada.posts.list({ limit: 100, sort: 'x' } as never))
    const fields = (error as never as ApiError).errors.map(({ in: place, name }) => `${place} ${name}`)
    expect(fields).toEqual(['query limit', 'query sort'])
    expect((error as never as ApiError).requestId).toStartWith('req_')
  })

  test.each([
    [502, 'ServerError'],
    [403, 'PermissionError'],
    [418, 'ApiError'],
    [200, 'ApiError'],
  ])('is useful if a proxy answers %d with HTML', async (status, name) => {
    const body = '<html>Sign in to the network</html>'
    const headers = { 'Content-Type': 'text/html', 'X-Request-Id': 'proxy-1' }
    await using server = await openScriptedServer([{ status, headers, body }], options)
    const error = await errorOf(server.client.me.get())
    expect(error).toMatchObject({ name, status, code: 'unexpected_response', body, requestId: 'proxy-1', errors: [] })
    expect(error.message).toContain(`status ${status}`)
  })

  test('is useful if the JSON is not that of Parley', async () => {
    for (const body of ['null', '[]', '"x"', '{"code":1}', '{"code":"x","errors":"y"}', '{"message":"x"}']) {
      await using server = await openScriptedServer([{ status: 503, body }], options)
      expect(await errorOf(server.client.me.get())).toMatchObject({ code: 'unexpected_response', errors: [] })
    }
  })

  test('says where a redirection leads; nothing is sent there', async () => {
    const headers = { Location: 'https://parley.example.com/v2/posts' }
    await using server = await openScriptedServer([{ status: 301, headers }], options)
    const error = await errorOf(server.client.posts.create({ channel_id: 'x', title: 'x' }))
    expect(error.message).toContain('redirects to https://parley.example.com/v2/posts')
    expect(server.asked.length).toBe(1)
  })

  test('is reported once, also if only the response is awaited', async () => {
    await using server = await openScriptedServer([problem('not_found')], options)
    // A promise that is rejected without anyone noticing would fail this file.
    expect(await errorOf(server.client.me.get().withResponse())).toMatchObject({ code: 'not_found' })
    await expect(Array.fromAsync(server.client.posts.list())).rejects.toMatchObject({ code: 'not_found' })
  })

  test('names what is missing, before anything is sent', async () => {
    expect(() => new Parley({ baseUrl: 'http://localhost' } as never)).toThrow('`token` is missing.')
    expect(() => new Parley({ token: 'x' } as never)).toThrow('`baseUrl` is missing.')
    await using server = await openScriptedServer([{ body: {} }], options)
    for (const token of ['parley_a\nparley_b', 'parley_€'])
      expect(() => new Parley({ baseUrl: 'http://localhost', token })).toThrow(/^`token` must be visible ASCII/)
    const withKey = server.client.posts.create({ channel_id: 'chan_x' }, { idempotencyKey: 'build-of-é' })
    expect((await errorOf(withKey)).message).toStartWith('`idempotencyKey` must be')
    for (const id of ['', '.', '..', undefined, null])
      expect((await errorOf(server.client.posts.delete({ id: id as string }))).message).toContain('`id`')
    await server.client.posts.get({ id: '../channels?x=1#y' })
    expect(server.asked.map(({ url }) => url)).toEqual(['/v2/posts/..%2Fchannels%3Fx%3D1%23y'])
  })
})

describe('a response', () => {
  test('may have unknown fields and values', async () => {
    const body = { id: 'mem_1', role: 'owner', pronouns: { subject: 'she' } }
    await using server = await openScriptedServer([{ body }], options)
    expect<unknown>(await server.client.members.get({ id: 'mem_1' })).toEqual(body)
  })

  test('is available with its headers', async () => {
    const { ada, general } = await world()
    const { data, response } = await ada.posts.create({ channel_id: general.id, title: 'Lunch?' }).withResponse()
    expect([data.title, response.status, response.headers.has('X-Request-Id')]).toEqual(['Lunch?', 201, true])
    const page = await ada.posts.list().withResponse()
    expect([page.data.total_count, page.response.headers.has('ETag')]).toEqual([1, true])
  })

  test('may be the Markdown source', async () => {
    const { ada, general } = await world()
    const { id } = await ada.posts.create({ channel_id: general.id, content_markdown: '# Lunch\n\n*Noon*' })
    expect(await ada.posts.getMarkdown({ id })).toBe('# Lunch\n\n*Noon*')
  })
})

describe('a list', () => {
  test('is one page if awaited, and all records if iterated', async () => {
    const { ada, general } = await world()
    for (const title of ['1', '2', '3', '4', '5']) await ada.posts.create({ channel_id: general.id, title })
    const list = (extra: object = {}) =>
      ada.posts.list({ channel_id: general.id, direction: 'asc', limit: 2, ...extra })
    const page = await list()
    expect([page.data.length, page.total_count]).toEqual([2, 5])
    const titles = (records: AsyncIterable<{ title: string }>) => Array.fromAsync(records, ({ title }) => title)
    expect(await titles(list())).toEqual(['1', '2', '3', '4', '5'])
    expect(await titles(list({ after: page.next_cursor }))).toEqual(['3', '4', '5'])
    for await (const { title } of list()) if (title === '3') break
    const events = await Array.fromAsync(ada.events.list({ limit: 2, types: ['post.created'] }))
    expect(events.length).toBe(5)
  })

  test('continues after the first page, wherever that one was', async () => {
    const pages = [{ body: { data: [1], next_cursor: 'c' } }, { body: { data: [2], next_cursor: null } }]
    await using server = await openScriptedServer(pages, options)
    const list = server.client.messages.list({ thread_id: 't', around: 'msg_1', limit: 1 } as never)
    expect<unknown>(await Array.fromAsync(list)).toEqual([1, 2])
    expect(server.asked.map(({ url }) => url)).toEqual([
      '/v2/threads/t/messages?around=msg_1&limit=1',
      '/v2/threads/t/messages?limit=1&after=c',
    ])
  })
})
