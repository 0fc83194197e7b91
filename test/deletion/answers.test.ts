import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { waitUntil } from '../expectations'
import { startTestServer } from '../server'
import { deliver, openReceiver, type Received } from '../webhooks/receiver'
import { world } from '../world'
import { cases, columnsHolding, found } from './secrets'

let server: Awaited<ReturnType<typeof startTestServer>>
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const echo = ({ body }: Received) => new Response(body)

describe.each(Object.entries(cases))('the responses of receivers about %s', (_, make) => {
  test('are deleted with it', async () => {
    const cast = await world(server)
    const receiver = openReceiver(echo)
    const hook = await cast.root.webhooks.create({ url: receiver.url })
    const made = await make(cast)
    await deliver(server)
    await made.remove()

    const { data } = await cast.root.webhooks.deliveries({ id: hook.id })
    const shown = await Promise.all(data.map(({ id }) => cast.root.webhooks.delivery({ id })))
    expect(found(JSON.stringify(shown), made)).toEqual([])
    expect(await columnsHolding(server, made)).toEqual([])
    receiver.stop()
  })
})

test('a response that arrives after the deletion is not stored', async () => {
  const cast = await world(server)
  const held = Promise.withResolvers<void>()
  const receiver = openReceiver(async (request) => {
    await held.promise
    return echo(request)
  })
  await cast.root.webhooks.create({ url: receiver.url, types: ['post.created'] })
  const made = await cases['a post with its old title and text, its resolution and its comments']!(cast)
  const delivering = deliver(server)
  await waitUntil(async () => receiver.received.length === 1)
  await made.remove()
  held.resolve()
  await delivering
  expect(await columnsHolding(server, made)).toEqual([])
  receiver.stop()
})
