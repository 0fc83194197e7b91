import { describe, expect, test } from 'bun:test'
import { ids } from '../expectations'
import { engineUnderTest } from '../server'
import { type Person, world } from '../world'
import { overSocket } from './wire'

const newCast = async () => {
  const { baseUrl, ada, general, raw } = await world()
  const post = (content_markdown: string) => ada.posts.create({ channel_id: general.id, content_markdown })
  const posts = await Promise.all(['One', 'Two', 'Three', 'Four'].map(post))
  return { baseUrl, ada, raw, general, posts: ids(posts) }
}

const get = ({ token }: Person, path: string, connection = 'keep-alive') =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nConnection: ${connection}\r\n\r\n`

const create = ({ token }: Person, channel: string, content_markdown: string) => {
  const body = JSON.stringify({ channel_id: channel, content_markdown })
  const type = `Content-Type: application/json\r\nContent-Length: ${body.length}`
  return `POST /v2/posts HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n${type}\r\n\r\n${body}`
}

/** The bodies of the responses that arrived in full. */
function bodiesOf(answer: string): string[] {
  const heads = [...answer.matchAll(/HTTP\/1\.1 \d{3} .*?\r\n\r\n/gs)]
  return heads.flatMap(({ 0: head, index }) => {
    const start = index + head.length
    const end = start + Number(head.match(/content-length: (\d+)/i)![1])
    return end <= answer.length ? [answer.slice(start, end)] : []
  })
}

describe('several requests on one connection', () => {
  test('get their answers in order if each is sent after the answer to the one before', async () => {
    const { baseUrl, ada, posts } = await newCast()
    const requests = posts.map((id, at) => get(ada, `/v2/posts/${id}`, at === 3 ? 'close' : 'keep-alive'))
    const { port } = new URL(baseUrl)
    let answer = ''
    const closed = Promise.withResolvers<void>()
    const socket = await Bun.connect({
      hostname: '127.0.0.1',
      port: Number(port),
      socket: {
        data(_, bytes) {
          answer += bytes.toString()
          const next = requests[bodiesOf(answer).length]
          if (next) socket.write(next)
        },
        close: () => closed.resolve(),
      },
    })
    socket.write(requests[0]!)
    await closed.promise
    expect(bodiesOf(answer).map((body) => JSON.parse(body).id)).toEqual(posts)
  })

  test('that are sent at once get their answers in order, or none: never that of another', async () => {
    const { baseUrl, ada, raw, posts } = await newCast()
    const requests = posts.map((id, at) => get(ada, `/v2/posts/${id}`, at === 3 ? 'close' : 'keep-alive'))
    const answered = bodiesOf(await overSocket(baseUrl, requests.join('')).catch(() => '')).map(
      (body) => JSON.parse(body).id,
    )
    // Bun closes a connection on which a request arrives before the answer to the one before it is there.
    expect(answered).toEqual(engineUnderTest === 'sqlite' ? posts : posts.slice(0, answered.length))
    expect((await raw(ada, `/v2/posts/${posts[0]}`)).status).toBe(200)
  })

  test('that are sent at once write what they say once, or not at all', async () => {
    const { baseUrl, ada, general, posts } = await newCast()
    const texts = ['Five', 'Six', 'Seven']
    const answer = await overSocket(baseUrl, texts.map((text) => create(ada, general.id, text)).join('')).catch(
      () => '',
    )
    await ada.posts.create({ channel_id: general.id, content_markdown: 'Last' })
    const { data } = await ada.posts.list({ direction: 'asc' })
    const written = data.slice(posts.length, -1).map(({ content }) => content.replaceAll(/<[^>]+>/g, ''))
    expect(written).toEqual(texts.slice(0, written.length))
    expect(bodiesOf(answer).length).toBeLessThanOrEqual(written.length)
  })
})
