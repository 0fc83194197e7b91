import { describe, expect, test } from 'bun:test'
import { operations } from '../../../src/contract'
import { lasting, overSocket, problem } from '../../http/wire'
import { world } from '../../world'

const all = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']
const paths = Map.groupBy(Object.values(operations), ({ path }) => path)

describe('methods', () => {
  test.each([...paths.keys()])('%s refuses other methods, with an Allow header', async (path) => {
    const { ada, raw } = await world()
    const taken: string[] = paths.get(path)!.map(({ method }) => method)
    const allow = [...taken, ...(taken.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].toSorted()
    const refused = all.filter((method) => !taken.includes(method))
    for (const method of refused) {
      const response = await raw(ada, path.replace(/:\w+/g, 'x'), { method })
      expect(response.headers.get('allow')?.split(', ').toSorted()).toEqual(allow)
      await problem(response, 'method_not_allowed')
    }
  })

  test.each([
    '/healthz',
    '/readyz',
    '/metrics',
    '/docs',
    '/docs/errors',
    '/v2/openapi.json',
    '/plain.css',
    '/',
    '/posts/x',
    '/avatars/32/1-A.svg',
  ])('%s is only read', async (path) => {
    const { raw } = await world()
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const response = await raw(undefined, path, { method })
      expect(response.headers.get('allow')).toBe('GET, HEAD')
      await problem(response, 'method_not_allowed')
    }
  })

  test.each([
    ['/sign-in', 'GET, HEAD'],
    ['/session', 'POST, DELETE'],
    ['/session/link', 'POST'],
    ['/session/token', 'POST'],
  ])('%s takes %s', async (path, allow) => {
    const { raw } = await world()
    const response = await raw(undefined, path, { method: 'PUT' })
    expect(response.headers.get('allow')).toBe(allow)
    await problem(response, 'method_not_allowed')
  })
})

describe('HEAD', () => {
  test('has the headers and length of GET, without a body', async () => {
    const { ada, general, raw, baseUrl, server } = await world()
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Ünïcode' })
    // When a token was used last is in the list of tokens.
    await server.parley.presence.settled()
    for (const path of [
      '/v2/posts',
      `/v2/posts/${post.id}`,
      '/v2/me/tokens',
      '/v2/nothing',
      '/v2/openapi.json',
      '/healthz',
      '/docs',
      '/plain.css',
      '/avatars/32/1-A.svg',
      '/',
    ]) {
      const headers = { 'Accept-Encoding': 'identity' }
      const get = await raw(ada, path, { headers })
      const head = await raw(ada, path, { headers, method: 'HEAD' })
      expect([path, head.status, lasting(head)]).toEqual([path, get.status, lasting(get)])
      const { byteLength } = await get.arrayBuffer()
      if (path !== '/v2/nothing') expect([path, head.headers.get('content-length')]).toEqual([path, String(byteLength)])
    }
    const bytes = await overSocket(
      baseUrl,
      `HEAD /v2/posts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ada.token}\r\nConnection: close\r\n\r\n`,
    )
    expect(bytes).toStartWith('HTTP/1.1 200')
    expect(bytes.split('\r\n\r\n')[1]).toBe('')
  })

  test('supports If-None-Match like GET', async () => {
    const { ada, raw } = await world()
    const etag = (await raw(ada, '/v2/posts')).headers.get('etag')!
    expect((await raw(ada, '/v2/posts', { method: 'HEAD', headers: { 'If-None-Match': etag } })).status).toBe(304)
  })
})
