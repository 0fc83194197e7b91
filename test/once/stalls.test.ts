import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { connect } from 'node:net'
import { MAX_INVITED } from '../../src/contract/invitations'
import { MAX_TEXT_LENGTH } from '../../src/contract/shapes'
import { readMarkdown } from '../../src/domain/markdown'
import { toggleCheckBox } from '../../src/domain/markdown/check-boxes'
import { cpuTime, slowness } from '../cpu-time'
import { waitUntil } from '../expectations'
import { type ServerProcess, startServerProcess } from '../server-process'
import { world } from '../world'

setDefaultTimeout(120_000)

const filled = (piece: string) => piece.repeat(Math.ceil(MAX_TEXT_LENGTH / piece.length)).slice(0, MAX_TEXT_LENGTH)
const LINKS = filled('a@b.co ')
/** How long others may wait because of one request. */
const MAX_STALL_MS = 100
/** The same where a text is parsed once before others have their turn: to parse it several times takes longer. */
const MAX_ONE_PARSE_MS = 60

describe('nobody else waits for more than 100 ms', () => {
  let server: ServerProcess
  beforeAll(async () => {
    server = await startServerProcess()
  })
  afterAll(() => server.stop())

  const TRIES = 10
  /** The least of several tries: the first ones also wait for functions to be compiled. */
  async function leastStall(work: (attempt: number) => Promise<number>, status: number, max = MAX_STALL_MS) {
    let least = Number.POSITIVE_INFINITY
    for (let attempt = 0; attempt < TRIES && least > max; attempt++) {
      const { stall } = await server.measure(async () => expect(await work(attempt)).toBe(status))
      least = Math.min(least, stall)
    }
    return Math.floor(least > max ? least / slowness() : least)
  }
  const post = (content_markdown: string) => ({ channel_id: server.general.id, content_markdown })

  test.each([
    ['escaped characters on lines of their own', '<\n'],
    ['links that hide code', '[a](`b)'],
    ['check boxes', '- [ ] a\n'],
    ['images', '![](b) '],
    ['short lines', '&x\n'],
  ])('while a post of the largest size is written: %s', async (_, piece) => {
    const text = filled(piece)
    expect(await leastStall(() => server.ada.send('POST', '/v2/posts', post(text)), 201)).toBeLessThan(MAX_STALL_MS)
    const { id } = await server.ada.json('POST', '/v2/posts', post('Short.'))
    const edit = (attempt: number) =>
      server.ada.send('PATCH', `/v2/posts/${id}`, { content_markdown: `${attempt} ${text.slice(2)}` })
    expect(await leastStall(edit, 200)).toBeLessThan(MAX_STALL_MS)
  })

  test('while as many people as possible are invited into many channels', async () => {
    const channel_ids: string[] = []
    for (let at = 0; at < 20; at++) {
      const { id } = await server.root.json('POST', '/v2/channels', { name: `many-${at}`, private: at % 2 === 1 })
      if (at % 2 === 0 && at < 10) await server.root.send('PATCH', `/v2/channels/${id}`, { default: true })
      else channel_ids.push(id)
    }
    const invite = (role: string) => () => {
      const emails = Array.from({ length: MAX_INVITED }, () => `${crypto.randomUUID()}@example.com`)
      return server.root.send('POST', '/v2/invitations', { emails, role, channel_ids })
    }
    expect(await leastStall(invite('member'), 200)).toBeLessThan(MAX_STALL_MS)
    expect(await leastStall(invite('guest'), 200)).toBeLessThan(MAX_STALL_MS)
  })

  test.each([
    ['links that hide code', '[a](`b)'],
    ['short lines', '&x\n'],
    ['mentions', '<@here> '],
  ])('while a post of the largest size that mentions people is edited by an admin: %s', async (label, piece) => {
    const name = label.replaceAll(' ', '-')
    const { id: group } = await server.root.json('POST', '/v2/groups', { name })
    const { id: app } = await server.root.json('POST', '/v2/apps', { name })
    const { author } = await server.ada.json('GET', '/v2/me')
    const start = `<@${author.id}> <@${app}> <@${group}> <@channel>\n\n`
    const text = (attempt: number) => `${start}${attempt} ${filled(piece)}`.slice(0, MAX_TEXT_LENGTH)
    const { id } = await server.ada.json('POST', '/v2/posts', post(text(-1)))
    const comments = `/v2/posts/${id}/comments`
    const { id: comment } = await server.ada.json('POST', comments, { content_markdown: text(-1) })
    const edit = (path: string) => (attempt: number) =>
      server.root.send('PATCH', path, { content_markdown: text(attempt) })
    for (const path of [`/v2/posts/${id}`, `/v2/comments/${comment}`])
      expect(await leastStall(edit(path), 200, MAX_ONE_PARSE_MS)).toBeLessThan(MAX_ONE_PARSE_MS)
  })

  test('while one of twelve thousand check boxes is checked', async () => {
    const { id } = await server.ada.json('POST', '/v2/posts', post(filled('- [ ] a\n')))
    const check = (attempt: number) =>
      server.ada.send('PUT', `/v2/posts/${id}/checklist/${5_000 + attempt}`, { is_checked: true })
    expect(await leastStall(check, 200)).toBeLessThan(MAX_STALL_MS)
  })

  test('while an incoming webhook is sent a payload of the largest size', async () => {
    await server.ada.send('PUT', `/v2/channels/${server.general.id}/membership`)
    const { url } = await server.ada.json('POST', '/v2/hooks', { name: 'CI', channel_id: server.general.id })
    const send = (payload: object) => async () => {
      const response = await fetch(server.url + new URL(url).pathname, {
        method: 'POST',
        body: JSON.stringify(payload),
      })
      return response.status
    }
    for (const payload of hookPayloads()) expect(await leastStall(send(payload), 200)).toBeLessThan(MAX_STALL_MS)
  })

  test('while a page of the largest posts is read, by a program, by an agent and by a search', async () => {
    for (let count = 0; count < 51; count++) await server.ada.send('POST', '/v2/posts', post(LINKS))
    for (const coding of ['identity', 'zstd', 'gzip']) {
      const list = (attempt: number) =>
        server.ada.send('GET', `/v2/posts?limit=${50 - attempt}`, undefined, { 'Accept-Encoding': coding })
      expect(await leastStall(list, 200)).toBeLessThan(MAX_STALL_MS)
    }
    const call = { name: 'list_posts', arguments: { limit: 50 } }
    const callTool = () =>
      server.ada.send('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }, AGENT_HEADERS)
    expect(await leastStall(callTool, 200)).toBeLessThan(MAX_STALL_MS)
    // On a busy machine the search may be refused or ended before it has all excerpts.
    const search = async (attempt: number) => {
      const status = await server.ada.send('GET', `/v2/search?q=co&limit=${50 - attempt}`)
      return [422, 503].includes(status) ? 200 : status
    }
    expect(await leastStall(search, 200)).toBeLessThan(MAX_STALL_MS)
  })
})

const AGENT_HEADERS = { Accept: 'application/json, text/event-stream' }

/** Payloads of nearly 1 MiB that take long to convert. */
function hookPayloads(): object[] {
  const mrkdwn = (times: number) => '*a*_b_'.repeat(times)
  const many = <T>(count: number, item: T): T[] => Array(count).fill(item)
  const attachment = { title: mrkdwn(5), text: mrkdwn(33), fields: [{ title: '*a*', value: mrkdwn(8) }] }
  const styled = { type: 'text', text: '<', style: { bold: true } }
  return [
    { content_markdown: filled('[a](`b)') },
    { text: mrkdwn(160_000) },
    { attachments: many(2_500, attachment) },
    { blocks: many(2_500, { type: 'section', text: { type: 'mrkdwn', text: mrkdwn(50) } }) },
    { blocks: many(1_000, { type: 'context', elements: many(30, { type: 'mrkdwn', text: '*' }) }) },
    {
      blocks: [{ type: 'rich_text', elements: many(2_900, { type: 'rich_text_section', elements: many(6, styled) }) }],
    },
    Object.fromEntries([['text', 'a'], ...Array.from({ length: 90_000 }, (_, at) => [`k${at}`, 1])]),
  ]
}

/** Requests something, and reads nothing of the response until it is told to. */
function requestWithoutReading(server: string, token: string, path: string) {
  const { hostname, port } = new URL(server)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  socket.pause()
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  return {
    /** Reads all there is, and returns whether that was the whole response. */
    async read(): Promise<boolean> {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      let last = ''
      socket.on('data', (data: Buffer) => {
        last = (last + data.subarray(-5).toString()).slice(-5)
        if (last === '0\r\n\r\n') resolve(true)
      })
      socket.on('close', () => resolve(false))
      socket.resume()
      const isWhole = await promise
      socket.destroy()
      return isWhole
    },
  }
}

describe('clients that do not read', () => {
  test('share a bounded amount of memory: clients that have not read for longest are disconnected', async () => {
    const { ada, bob, general, baseUrl } = await world()
    for (let post = 0; post < 30; post++) await ada.posts.create({ channel_id: general.id, content_markdown: LINKS })
    // Each has a response of 8 MB of its own, as the page ends early; there is room for seven.
    const clients = []
    const countAnswered = async () => {
      const metrics = await (await fetch(`${baseUrl}/metrics`)).text()
      return Number(metrics.match(/^parley_requests_total\{operation="posts.list",status="200"\} (\d+)/m)?.[1] ?? 0)
    }
    const before = await countAnswered()
    for (let limit = 50; limit > 34; limit--) {
      clients.push(requestWithoutReading(baseUrl, ada.token, `/v2/posts?limit=${limit}`))
      expect((await bob.me.get()).author.id).toBe(bob.id)
      await waitUntil(async () => (await countAnswered()) === before + clients.length)
      await Bun.sleep(100)
    }
    expect((await bob.posts.list({ limit: 33 })).next_cursor).not.toBeNull()

    const areWhole = []
    for (const client of clients) areWhole.push(await client.read())
    expect(areWhole.slice(0, 8)).toEqual(Array(8).fill(false))
    expect(areWhole.at(-1)).toBe(true)
  })
})

test('checking one of twelve thousand check boxes takes a few times as long as parsing the text', () => {
  // The code block makes it harder to tell which markers are check boxes.
  const text = `\`\`\`\n- [ ] x\n\`\`\`\n${'- [ ] a\n'.repeat(12_000)}`
  const parsing = cpuTime(() => readMarkdown(text), 7)
  expect(cpuTime(() => toggleCheckBox(text, 5_000, true), 7) / parsing).toBeLessThan(7)
})
