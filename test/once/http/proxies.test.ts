import { describe, expect, test } from 'bun:test'
import { clientAddress } from '../../../src/http/limits'
import { openLog } from '../../../src/log'
import { isNetwork, networksFrom } from '../../../src/networks'
import { startTestServer } from '../../server'

/** The address the log names, for a request with this header, on a server that trusts these proxies. */
async function loggedAddress(trusted: string, forwardedFor: string) {
  const lines: string[] = []
  const log = openLog({ level: 'info', format: 'json', write: (text) => void lines.push(text) })
  const server = await startTestServer({ TRUSTED_PROXIES: trusted }, { log })
  await fetch(`${server.url}/v2/posts`, { headers: { 'X-Forwarded-For': forwardedFor } })
  await server.stop()
  const line = lines
    .join('')
    .split('\n')
    .find((text) => text.includes('"message":"request"'))!
  return JSON.parse(line).ip as string
}

describe('the address of a client', () => {
  test('is the peer address without a trusted proxy', async () => {
    expect(await loggedAddress('', '203.0.113.9')).toBe('127.0.0.1')
    expect(await loggedAddress('10.0.0.0/8', '203.0.113.9')).toBe('127.0.0.1')
  })

  test('is taken from a trusted proxy', async () => {
    expect(await loggedAddress('127.0.0.0/8', '203.0.113.9')).toBe('203.0.113.9')
    expect(await loggedAddress('127.0.0.1, 10.0.0.0/8', '198.51.100.1, 203.0.113.9, 10.1.2.3')).toBe('203.0.113.9')
  })

  const proxies = networksFrom(['10.0.0.0/8', '192.0.2.7', 'fd00::/8'])
  test.each([
    ['10.0.0.1', null, '10.0.0.1'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['10.0.0.1', '1.1.1.1, 203.0.113.9', '203.0.113.9'],
    ['10.0.0.1', '203.0.113.9, 10.0.0.2', '203.0.113.9'],
    ['10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['10.0.0.1', 'unknown', '10.0.0.1'],
    ['10.0.0.1', '"><script>', '10.0.0.1'],
    ['10.0.0.1', '203.0.113.9, nonsense', '10.0.0.1'],
    ['192.0.2.7', '203.0.113.9', '203.0.113.9'],
    ['192.0.2.8', '203.0.113.9', '192.0.2.8'],
    ['::ffff:10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['fd00::1', '2001:db8::5', '2001:db8::5'],
    ['2001:db8::1', '203.0.113.9', '2001:db8::1'],
  ])('from %s with %j is %s', (peer, header, address) => expect(clientAddress(peer, header, proxies)).toBe(address))

  test.each([
    ['10.0.0.0/8', true],
    ['10.0.0.1', true],
    ['::1', true],
    ['fd00::/8', true],
    ['10.0.0.0/33', false],
    ['10.0.0.0/', false],
    ['10.0.0.0/8/8', false],
    ['10.0.0', false],
    ['proxy.example', false],
    ['fd00::/129', false],
  ])('%s is a network: %j', (text, answer) => expect(isNetwork(text)).toBe(answer))
})
