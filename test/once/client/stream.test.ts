import { describe, expect, test } from 'bun:test'
import { Parley } from '../../../src/client'
import type { Event } from '../../../src/contract/events'
import { allEvents, endOfLog } from '../../events/log'
import { openCuttingProxy, seededRandom } from '../../lossy-proxy'
import { world } from '../../world'
import { type Answer, errorOf, openScriptedServer, problem } from './scripted-server'

const streamed = { 'Content-Type': 'text/event-stream' }

describe('a stream', () => {
  test('has every event once and in order, wherever its connections are cut', async () => {
    const { baseUrl, ada, general } = await world()
    const random = seededRandom(13)
    await using proxy = await openCuttingProxy(baseUrl, () => 800 + random() * 15_000)
    const after = await endOfLog(ada)
    for (let n = 0; n < 20; n++)
      await ada.posts.create({ channel_id: general.id, title: `Łódź ${n}`, content_markdown: '🦊'.repeat(50) })
    const expected = await allEvents(ada, after)
    const received: Event[] = []
    for await (const event of new Parley({ baseUrl: proxy.url, token: ada.token }).events.stream({ after })) {
      received.push(event)
      if (received.length === expected.length) break
    }
    expect(received).toEqual(expected)
    expect(proxy.cuts()).toBeGreaterThan(2)
  })

  test('passes on events of unknown types, and ignores unknown fields and comments', async () => {
    const body =
      ': hello\r\nretry: 5\r\nfuture: x\r\n\r\nid: 1\nevent: poll.closed\ndata: {"type":"poll.closed",\ndata: "x":1}\n\n'
    await using server = await openScriptedServer([{ headers: streamed, body }])
    const { value } = await server.client.events.stream().next()
    expect<unknown>(value).toEqual({ type: 'poll.closed', x: 1 })
  })

  test('continues after the last event it yielded', async () => {
    const event = (id: number) => `id: evt_${id}\ndata: {"id":"evt_${id}"}\n\n`
    const answers = [
      { headers: streamed, body: `: after evt_0\n\n${event(1)}${event(2)}id: evt_3\ndata: {"id":"ev` },
      { status: 502, body: '<h1>Bad gateway</h1>' },
      { headers: streamed, body: event(3) },
    ]
    await using server = await openScriptedServer(answers)
    const ids: string[] = []
    for await (const { id } of server.client.events.stream()) if (ids.push(id) === 3) break
    expect(ids).toEqual(['evt_1', 'evt_2', 'evt_3'])
    const sent = server.asked.map(({ headers }) => headers['last-event-id'])
    expect(sent).toEqual([undefined, 'evt_2', 'evt_2'])
  })

  test('is not asked for again and again, whatever the server says', async () => {
    const answers: Answer[] = [
      problem('unavailable', { 'Retry-After': '99999999999' }),
      problem('unavailable', { 'Retry-After': 'Fri, 31 Dec 9999 23:59:59 GMT' }),
      { status: 410, body: { code: 'event_gone', detail: 'Gone.', resume_after: 'evt_1' } },
    ]
    for (const answer of answers) {
      await using server = await openScriptedServer([answer])
      const signal = AbortSignal.timeout(300)
      for await (const _ of server.client.events.stream({ onReset: () => {} }, { signal })) throw new Error('An event')
      // The signal may come late.
      const early = server.asked.filter(({ at }) => at - server.asked[0]!.at < 300)
      expect(early.length).toBeLessThan(4)
    }
  })

  test('ends if the server sends what never becomes an event', async () => {
    const body = `data: ${'x'.repeat(17 * 1024 * 1024)}`
    await using server = await openScriptedServer([{ headers: streamed, body }])
    const error = await errorOf(server.client.events.stream().next())
    expect([error.name, error.message]).toEqual(['ParleyError', 'The server sent an event that is too long.'])
  })

  test('throws if what responds is not a Parley server', async () => {
    await using server = await openScriptedServer([{ body: '<html>', headers: { 'Content-Type': 'text/html' } }])
    expect(await errorOf(server.client.events.stream().next())).toMatchObject({ code: 'unexpected_response' })
  })
})
