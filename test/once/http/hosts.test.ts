import { describe, expect, test } from 'bun:test'
import { overSocket } from '../../http/wire'
import { world } from '../../world'

/** What stands where a host belongs, and what is left out, which HTTP/1.0 allows. */
const hosts = {
  none: 'HTTP/1.0',
  empty: 'HTTP/1.1\r\nHost:',
  'no host': 'HTTP/1.1\r\nHost: a/b?c',
  'with a user': 'HTTP/1.1\r\nHost: u:p@h',
  'half an address': 'HTTP/1.1\r\nHost: [::1',
}

describe.each(Object.entries(hosts))('with a Host that is %s', (_, version) => {
  test('each path has its own response', async () => {
    const { ada, baseUrl } = await world()
    await ada.posts.list()
    const get = async (path: string) => {
      const text = await overSocket(
        baseUrl,
        `GET ${path} ${version}\r\nAuthorization: Bearer ${ada.token}\r\nConnection: close\r\n\r\n`,
      )
      return JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4))
    }
    expect(await get('/v2/channels')).toEqual(await ada.channels.list())
    expect(await get('/v2/threads')).toEqual(await ada.threads.list())
    expect(await get('/v2/members?limit=2')).toEqual(await ada.members.list({ limit: 2 }))
    expect(await get('/v2/members?limit=x')).toMatchObject({ status: 422, instance: '/v2/members' })
    expect(await get('/v2/posts/none')).toMatchObject({ status: 404, instance: '/v2/posts/none' })
  })

  test('pages open', async () => {
    const { baseUrl } = await world()
    for (const path of ['/', '/sign-in?token=x', '/posts/x', '/docs']) {
      const answer = await overSocket(baseUrl, `GET ${path} ${version}\r\nConnection: close\r\n\r\n`)
      expect([path, Number(answer.slice(9, 12)) < 500]).toEqual([path, true])
    }
  })
})
