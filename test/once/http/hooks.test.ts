import { expect, test } from 'bun:test'
import { openLog } from '../../../src/log'
import { startTestServer, time } from '../../server'
import { world } from '../../world'

test('an incoming webhook takes a message a second, in bursts, whatever the others do', async () => {
  const server = await startTestServer({ RATE_LIMIT: '5' })
  const { root, general } = await world(server)
  const [hook, other] = [
    await root.hooks.create({ name: 'Grafana', channel_id: general.id }),
    await root.hooks.create({ name: 'CI', channel_id: general.id }),
  ]
  const send = ({ url }: { url: string }) => fetch(url, { method: 'POST', body: '{"text":"x"}' })
  time.freeze()
  const burst = await Promise.all(Array.from({ length: 31 }, () => send(hook)))
  expect(burst.filter(({ status }) => status === 200)).toHaveLength(30)
  const refused = burst.find(({ status }) => status === 429)!
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(await refused.text()).toStartWith('rate_limited: An incoming webhook takes 1 message per second')
  expect((await send(other)).status).toBe(200)
  time.advance(1_000)
  expect([(await send(hook)).status, (await send(hook)).status]).toEqual([200, 429])
  time.unfreeze()
  await server.stop()
})

test('addresses that are none are limited by client network, as wrong tokens are', async () => {
  const server = await startTestServer({ ANONYMOUS_RATE_LIMIT: '1' })
  const statuses = []
  time.freeze()
  for (let at = 0; at < 7; at++)
    statuses.push((await fetch(`${server.url}/hooks/x${at}`, { method: 'POST', body: '{"text":"x"}' })).status)
  time.unfreeze()
  expect(statuses).toContain(404)
  expect(statuses.at(-1)).toBe(429)
  await server.stop()
})

test('no log line holds an address', async () => {
  const written: string[] = []
  const log = openLog({ level: 'debug', format: 'json', write: (text) => void written.push(text) })
  const server = await startTestServer({}, { log })
  const { root, general } = await world(server)
  const { url } = await root.hooks.create({ name: 'Grafana', channel_id: general.id })
  for (const [at, body] of [
    [url, '{"text":"x"}'],
    [url, '{'],
    [`${server.url}/hooks/my-own-secret`, '{}'],
  ])
    await fetch(at!, { method: 'POST', body })
  await server.stop()
  log.flush()
  const lines = written.join('')
  expect(lines.match(/"path":"\/hooks\/…"/g)).toHaveLength(3)
  expect(lines).not.toContain(url.slice(-20))
  expect(lines).not.toContain('my-own-secret')
})
