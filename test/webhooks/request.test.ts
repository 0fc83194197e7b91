import { describe, expect, test } from 'bun:test'
import { networksFrom } from '../../src/networks'
import { checkDestination, type Lookup } from '../../src/networks/destination'
import { authorityOf, type DeliveryRequest, fetchBytes, sendRequest } from '../../src/networks/requests'
import { version } from '../../src/version'
import { answers, floods, hasOpenssl, receiver, secureReceiver, selfSigned, trickles } from './receivers'

const allowed = networksFrom(['127.0.0.0/8', '::1'])

const at =
  (...addresses: string[]): Lookup =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

const here = at('127.0.0.1')

/** Long enough for a busy machine. */
const TIMEOUT_MS = 30_000

/** Sends to a name that exists nowhere but in the look-up. */
async function send(url: string, options: Partial<DeliveryRequest> = {}, lookup = here) {
  const destination = await checkDestination(url, { allowed, lookup })
  return sendRequest({ url, destination, headers: {}, body: '{}', timeoutMs: TIMEOUT_MS, maxBytes: 1024, ...options })
}

const hook = ({ port }: { port: number }, path = '/') => `http://hooks.example.com:${port}${path}`
const secureHook = ({ port }: { port: number }, host = 'hooks.example.com') => `https://${host}:${port}/`

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

describe('a request', () => {
  test('is a POST with the given headers and body only', async () => {
    await using server = await receiver(answers(OK))
    const headers = { 'Content-Type': 'application/json', 'Webhook-Id': 'evt_1' }
    const answer = await send(hook(server, '/in box?a=1&b=ü#part'), { headers, body: '{"grüße":1}' })

    expect(answer).toMatchObject({ status: 200, headers: { 'content-length': '2' }, body: 'ok' })
    expect(answer.durationMs).toBeWithin(0, TIMEOUT_MS)
    expect(server.received).toEqual([
      [
        'POST /in%20box?a=1&b=%C3%BC HTTP/1.1',
        `Host: hooks.example.com:${server.port}`,
        `User-Agent: Parley/${version}`,
        'Content-Type: application/json',
        'Webhook-Id: evt_1',
        'Content-Length: 13',
        'Accept-Encoding: identity',
        'Connection: close',
        '',
        '{"grüße":1}',
      ].join('\r\n'),
    ])
  })

  test('is valid for a real server', async () => {
    using server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async (request) =>
        Response.json({ url: request.url, length: (await request.text()).length }, { status: 202 }),
    })
    const body = 'x'.repeat(300_000)
    const answer = await send(hook({ port: server.port! }, '/a?b'), { body })
    expect(answer.status).toBe(202)
    expect(JSON.parse(answer.body)).toEqual({ url: `http://hooks.example.com:${server.port}/a?b`, length: 300_000 })
  })

  test.each([
    ['https:', 'example.com', 443, 'example.com'],
    ['http:', 'example.com', 80, 'example.com'],
    ['http:', 'example.com', 443, 'example.com:443'],
    ['https:', 'example.com', 80, 'example.com:80'],
    ['https:', '2606:4700::1', 443, '[2606:4700::1]'],
    ['http:', '2606:4700::1', 8080, '[2606:4700::1]:8080'],
  ] as const)('names its host: %s %s %d is %s', (protocol, host, port, authority) => {
    const address = { address: '1.1.1.1', family: 4 as const }
    expect(authorityOf({ ...address, addresses: [address], protocol, host, port })).toBe(authority)
  })

  test.each([
    ['X', 'a\r\nEvil: 1'],
    ['X', 'a\nb'],
    ['X', 'a\rb'],
    ['X', 'a\0b'],
    ['X', 'ü'],
    ['X', '\u010a'],
    ['X\r\nEvil', '1'],
    ['X: 1\r\nEvil', '1'],
    ['X Y', '1'],
    ['X:', '1'],
    ['', '1'],
    ['Host', 'evil.example'],
    ['content-length', '0'],
    ['Transfer-Encoding', 'chunked'],
    ['CONNECTION', 'keep-alive'],
    ['User-Agent', 'other'],
  ])('cannot be given the header %p: %p', async (name, value) => {
    await using server = await receiver(answers(OK))
    await expect(send(hook(server), { headers: { [name]: value } })).rejects.toMatchObject({
      reason: 'malformed_request',
    })
    expect(server.received).toEqual([])
  })
})

describe('the destination of a request', () => {
  test('is the checked address, even if the name resolves to another now', async () => {
    await using checked = await receiver(answers(OK), '127.0.0.1')
    let times = 0
    const rebinding: Lookup = async () => {
      times += 1
      return [{ address: times === 1 ? '127.0.0.1' : '127.0.0.66', family: 4 }]
    }
    expect(await send(hook(checked), {}, rebinding)).toMatchObject({ status: 200 })
    expect(times).toBe(1)
    expect(checked.received).toHaveLength(1)
  })

  test('is the next address if the first does not listen', async () => {
    await using server = await receiver(answers(OK))
    expect(await send(hook(server), {}, at('::1', '127.0.0.1'))).toMatchObject({ status: 200 })
    expect(server.received).toHaveLength(1)
  })

  test('must match the URL that was checked', async () => {
    await using server = await receiver(answers(OK))
    const destination = await checkDestination(hook(server), { allowed, lookup: here })
    for (const url of [`http://other.example.com:${server.port}/`, 'http://hooks.example.com/', secureHook(server)]) {
      await expect(send(url, { destination })).rejects.toMatchObject({ reason: 'refused_destination' })
    }
    expect(server.received).toEqual([])
  })

  test('does not change by a redirect', async () => {
    await using other = await receiver(answers(OK))
    for (const status of [301, 302, 303, 307, 308]) {
      const moved = `HTTP/1.1 ${status} Moved\r\nLocation: http://127.0.0.1:${other.port}/\r\nContent-Length: 0\r\n\r\n`
      await using server = await receiver(answers(moved))
      const answer = await send(hook(server))
      expect(answer).toMatchObject({ status, headers: { location: `http://127.0.0.1:${other.port}/` } })
      expect(server.received).toHaveLength(1)
    }
    expect(other.received).toEqual([])
  })

  test('is no proxy that the environment names', async () => {
    await using proxy = await receiver(answers(OK))
    await using server = await receiver(answers(OK))
    const before = process.env.HTTP_PROXY
    process.env.HTTP_PROXY = `http://127.0.0.1:${proxy.port}`
    try {
      expect(await send(hook(server))).toMatchObject({ status: 200 })
    } finally {
      if (before === undefined) delete process.env.HTTP_PROXY
      else process.env.HTTP_PROXY = before
    }
    expect([proxy.received.length, server.received.length]).toEqual([0, 1])
  })

  test('gets a connection of its own for each request', async () => {
    await using server = await receiver((socket) => void socket.write(OK))
    for (let times = 1; times <= 3; times++) {
      await send(hook(server))
      expect(server.received).toHaveLength(times)
    }
  })

  test('gets a connection error if nothing listens', async () => {
    const { port } = await receiver(answers(OK)).then(async (server) => {
      await server[Symbol.asyncDispose]()
      return server
    })
    await expect(send(hook({ port }))).rejects.toMatchObject({ reason: 'connection' })
    await expect(send(hook({ port }), {}, at('127.0.0.1', '::1'))).rejects.toMatchObject({ reason: 'connection' })
  })
})

describe('a response', () => {
  test('does not need the connection to end', async () => {
    for (const text of [
      OK,
      'HTTP/1.1 204 No Content\r\n\r\n',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
    ]) {
      await using server = await receiver((socket) => void socket.write(text))
      const { status, durationMs } = await send(hook(server))
      expect(status).toBeWithin(200, 205)
      expect(durationMs).toBeLessThan(TIMEOUT_MS / 2)
      await server.clientLeft
    }
  })

  test('is not decompressed', async () => {
    const body = Bun.gzipSync('x'.repeat(10_000))
    await using server = await receiver((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`)
      socket.end(body)
    })
    const url = hook(server)
    const destination = await checkDestination(url, { allowed, lookup: here })
    const { bytes } = await fetchBytes({ url, destination, headers: {}, timeoutMs: TIMEOUT_MS, maxBytes: 1024 })
    expect(bytes.equals(body)).toBe(true)
  })

  test('may end with the connection', async () => {
    await using server = await receiver(answers('HTTP/1.1 500 Oh\r\n\r\nno length'))
    expect(await send(hook(server))).toMatchObject({ status: 500, body: 'no length' })
  })

  test.each([
    ['with a length', 'HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n', 'x'.repeat(4096)],
    ['without a length', 'HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(4096)],
    ['in chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '4\r\nxxxx\r\n'.repeat(500)],
  ])('without end, %s, is read as far as was asked for', async (_, start, piece) => {
    await using server = await receiver(floods(start, piece))
    expect((await send(hook(server), { maxBytes: 10_000 })).body).toBe('x'.repeat(10_000))
    await server.clientLeft
  })

  test.each([
    ['SSH-2.0-OpenSSH_9.6\r\n', 'malformed_answer'],
    ['HTTP/1.1 abc\r\n\r\n', 'malformed_answer'],
    ['HTTP/1.1 200 OK\r\nnonsense\r\n\r\n', 'malformed_answer'],
    ['', 'connection'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc', 'connection'],
  ])('%p is not one: %s', async (text, reason) => {
    await using server = await receiver(answers(text))
    await expect(send(hook(server))).rejects.toMatchObject({ name: 'DeliveryError', reason })
  })

  test('with endless headers is refused', async () => {
    await using server = await receiver(
      floods('HTTP/1.1 200 OK\r\n', 'X-Header: yyyyyyyyyyyyyyyyyyyyyy\r\n'.repeat(100)),
    )
    await expect(send(hook(server))).rejects.toMatchObject({ reason: 'malformed_answer' })
    await server.clientLeft
  })

  test('that is incomplete is an error', async () => {
    await using server = await receiver((socket) => socket.resetAndDestroy())
    await expect(send(hook(server))).rejects.toMatchObject({ reason: 'connection' })
  })
})

describe('the timeout', () => {
  const timeoutMs = 150

  test.each<[string, Parameters<typeof receiver>[0]]>([
    ['that never answers', () => {}],
    ['that trickles its status', trickles('H', '')],
    ['that trickles headers', trickles('HTTP/1.1 200 OK\r\n', 'X: y\r\n')],
    ['that trickles one header', trickles('HTTP/1.1 200 OK\r\nX: ', 'x')],
    ['that trickles a body with a length', trickles('HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n', 'x')],
    ['that trickles a body without a length', trickles('HTTP/1.1 200 OK\r\n\r\n', 'x')],
    ['that trickles chunks', trickles('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\nx\r\n')],
    ['that stops in the middle', (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no')],
  ])('of a receiver %s is up', async (_, behave) => {
    await using server = await receiver(behave)
    const started = performance.now()
    await expect(send(hook(server), { timeoutMs })).rejects.toMatchObject({ reason: 'timeout' })
    expect(performance.now() - started).toBeWithin(timeoutMs - 10, TIMEOUT_MS)
    await server.clientLeft
  })

  test('ends a TLS handshake that does not finish', async () => {
    await using server = await receiver(() => {})
    await expect(send(secureHook(server), { timeoutMs })).rejects.toMatchObject({ reason: 'timeout' })
    await server.clientLeft
  })

  test('ends a request that is not read', async () => {
    await using server = await receiver((socket) => socket.pause())
    const body = 'x'.repeat(50_000_000)
    await expect(send(hook(server), { timeoutMs, body })).rejects.toMatchObject({ reason: 'timeout' })
  })
})

describe.skipIf(!hasOpenssl)('a secure request', () => {
  const pair = hasOpenssl ? selfSigned('DNS:hooks.example.com,DNS:*.wild.example.com,IP:127.0.0.1') : undefined

  test('is sent to a receiver with a valid certificate', async () => {
    const { key, cert } = await pair!
    await using server = await secureReceiver({ key, cert }, answers(OK))
    expect(await send(secureHook(server), { ca: cert })).toMatchObject({ status: 200, body: 'ok' })
    expect(await send(secureHook(server, 'Hooks.Example.com.'), { ca: [cert] })).toMatchObject({ status: 200 })
    expect(await send(secureHook(server, 'a.wild.example.com'), { ca: cert })).toMatchObject({ status: 200 })
    expect(server.names).toEqual(['hooks.example.com', 'hooks.example.com', 'a.wild.example.com'])
    expect(server.received[0]).toContain(`Host: hooks.example.com:${server.port}\r\n`)
  })

  test('is sent to an IP address that the certificate is for', async () => {
    const { key, cert } = await pair!
    await using server = await secureReceiver({ key, cert }, answers(OK))
    expect(await send(secureHook(server, '127.0.0.1'), { ca: cert })).toMatchObject({ status: 200 })
    expect(server.names).toEqual([false])
  })

  test('is not sent to a receiver with a self-signed certificate', async () => {
    await using server = await secureReceiver(await pair!, answers(OK))
    await expect(send(secureHook(server))).rejects.toMatchObject({ reason: 'tls' })
    const { cert } = await selfSigned('DNS:hooks.example.com')
    await expect(send(secureHook(server), { ca: cert })).rejects.toMatchObject({ reason: 'tls' })
    expect(server.received.join('')).toBe('')
  })

  test.each(['other.example.com', 'example.com', 'a.b.wild.example.com', 'hooks.example.com.evil.example'])(
    'is not sent to %s with the certificate of another',
    async (host) => {
      const { key, cert } = await pair!
      await using server = await secureReceiver({ key, cert }, answers(OK))
      await expect(send(secureHook(server, host), { ca: cert })).rejects.toMatchObject({ reason: 'tls' })
      expect(server.received.join('')).toBe('')
    },
  )

  test('is not sent to a receiver with another name in its certificate', async () => {
    const { key, cert } = await selfSigned('DNS:hooks.example.com,IP:127.0.0.2')
    await using server = await secureReceiver({ key, cert }, answers(OK))
    await expect(send(secureHook(server, '127.0.0.1'), { ca: cert })).rejects.toMatchObject({ reason: 'tls' })
    expect(server.received.join('')).toBe('')
  })

  test('is checked even with NODE_TLS_REJECT_UNAUTHORIZED=0', async () => {
    await using server = await secureReceiver(await pair!, answers(OK))
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    try {
      await expect(send(secureHook(server))).rejects.toMatchObject({ reason: 'tls' })
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
    }
    expect(server.received.join('')).toBe('')
  })

  test('is encrypted', async () => {
    await using server = await receiver(answers('HTTP/1.1 400 Bad Request\r\n\r\n'))
    await expect(send(secureHook(server))).rejects.toMatchObject({ reason: 'tls' })
    expect(server.received.join('')).not.toContain('POST')
    await using closing = await receiver((socket) => socket.destroy())
    await expect(send(secureHook(closing))).rejects.toMatchObject({ reason: 'tls' })
  })

  test('has the same limits of time and size', async () => {
    const { key, cert } = await pair!
    await using slow = await secureReceiver({ key, cert }, trickles('HTTP/1.1 200 OK\r\n\r\n', 'x'))
    await expect(send(secureHook(slow), { ca: cert, timeoutMs: 150 })).rejects.toMatchObject({ reason: 'timeout' })
    await slow.clientLeft
    await using big = await secureReceiver({ key, cert }, floods('HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(4096)))
    expect((await send(secureHook(big), { ca: cert })).body).toBe('x'.repeat(1024))
    await big.clientLeft
  })
})
