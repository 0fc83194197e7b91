import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { networksFrom } from '../../src/networks'
import { checkDestination, DeliveryError } from '../../src/networks/destination'
import { type DeliveryResponse, sendRequest } from '../../src/networks/requests'
import { receiver } from './receivers'

/** What is read from a receiver that sends these chunks and ends the connection. */
async function read(chunks: (string | Uint8Array)[], maxBytes = 1024): Promise<DeliveryResponse> {
  await using server = await receiver(async (socket) => {
    for (const chunk of chunks) {
      socket.write(chunk)
      // So that they are packets of their own.
      await Bun.sleep(0)
    }
    socket.end()
  })
  const url = `http://127.0.0.1:${server.port}/`
  const destination = await checkDestination(url, { allowed: networksFrom(['127.0.0.0/8']) })
  return await sendRequest({ url, destination, headers: {}, body: '', timeoutMs: 60_000, maxBytes })
}

describe('valid responses', () => {
  test.each<[string, string, Partial<DeliveryResponse>]>([
    ['a length', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokNO', { status: 200, body: 'ok' }],
    ['no length', 'HTTP/1.1 200 OK\r\n\r\nuntil the end', { status: 200, body: 'until the end' }],
    ['HTTP/1.0', 'HTTP/1.0 404 Not Found\r\n\r\n', { status: 404, body: '' }],
    ['no reason', 'HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n', { status: 200 }],
    ['an empty reason', 'HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n', { status: 200 }],
    ['bare line feeds', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok', { status: 200, body: 'ok' }],
    ['no content', 'HTTP/1.1 204 No Content\r\n\r\nignored', { status: 204, body: '' }],
    ['not modified', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n', { status: 304, body: '' }],
    ['a redirect', 'HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n', { status: 302, headers: { location: '/x' } }],
    [
      'chunks',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x="y"\r\n0123456789\r\n0\r\nT: 1\r\n\r\n',
      { body: 'abc0123456789' },
    ],
    ['chunks, in capitals', 'HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n1\r\na\r\n0\r\n\r\n', { body: 'a' }],
    [
      'chunks rather than a length',
      'HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n',
      { body: 'a' },
    ],
    [
      'another coding',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 1\r\n\r\nabc',
      { body: 'abc' },
    ],
    [
      'interim responses',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 201 Created\r\n\r\nok',
      { status: 201, headers: {}, body: 'ok' },
    ],
    [
      'headers',
      'HTTP/1.1 200 OK\r\nX-One:1\r\nx-two: \t2 \r\nX-Empty:\r\nX-ONE: b\r\n\r\n',
      {
        headers: { 'x-one': '1, b', 'x-two': '2', 'x-empty': '' },
      },
    ],
    ['a NUL', 'HTTP/1.1 200 OK\r\n\r\na\0b', { body: 'a\uFFFDb' }],
  ])('%s', async (_, text, answer) => {
    expect(await read([text])).toMatchObject(answer)
    expect(await read([...text])).toMatchObject(answer)
  })

  test('are read in any chunks', async () => {
    const text =
      'HTTP/1.1 100 Go\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n2\r\nef\r\n0\r\n\r\n'
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(text.length), { maxLength: 8 }), async (cuts) => {
        const ends = [...cuts.sort((a, b) => a - b), text.length]
        const pieces = ends.map((end, i) => text.slice(ends[i - 1] ?? 0, end))
        expect(await read(pieces)).toMatchObject({ status: 200, body: 'abcdef' })
      }),
      { numRuns: 30 },
    )
  })

  test('are read up to the limit, without half characters', async () => {
    expect((await read(['HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(5000)], 100)).body).toBe('x'.repeat(100))
    expect((await read(['HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n', 'x'.repeat(500)], 100)).body).toBe(
      'x'.repeat(100),
    )
    expect(
      (await read([`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFF\r\n${'x'.repeat(500)}`], 100)).body,
    ).toBe('x'.repeat(100))
    expect((await read(['HTTP/1.1 200 OK\r\n\r\nüü'], 3)).body).toBe('ü')
    expect((await read(['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'], 0)).body).toBe('')
  })
})

describe('malformed responses', () => {
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
  test.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['HTTP/2', 'HTTP/2 200\r\n\r\n'],
    ['lower case', 'http/1.1 200 OK\r\n\r\n'],
    ['a short status', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['a long status', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['a status below all', 'HTTP/1.1 099 OK\r\n\r\n'],
    ['a status beyond all', 'HTTP/1.1 600 OK\r\n\r\n'],
    ['a status in words', 'HTTP/1.1 OK\r\n\r\n'],
    ['two spaces', 'HTTP/1.1  200 OK\r\n\r\n'],
    ['a bare return in the status', 'HTTP/1.1 200 O\rK\r\n\r\n'],
    ['another protocol by agreement', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n'],
    ['interim answers without end', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(20)],
    ['a header without a colon', 'HTTP/1.1 200 OK\r\nnonsense\r\n\r\n'],
    ['a header without a name', 'HTTP/1.1 200 OK\r\n: x\r\n\r\n'],
    ['a space after the name', 'HTTP/1.1 200 OK\r\nX : x\r\n\r\n'],
    ['a bare return in a header', 'HTTP/1.1 200 OK\r\nX: a\rb\r\n\r\n'],
    ['one long header', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(40_000)}`],
    ['many headers', `HTTP/1.1 200 OK\r\n${'X: yyyyyyyyyyyy\r\n'.repeat(3_000)}\r\n`],
    ['a long status line', `HTTP/1.1 200 ${'x'.repeat(40_000)}`],
    ['a length below zero', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n'],
    ['a length in hex', 'HTTP/1.1 200 OK\r\nContent-Length: 0x10\r\n\r\n'],
    ['an empty length', 'HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n'],
    ['an absurd length', `HTTP/1.1 200 OK\r\nContent-Length: ${'9'.repeat(30)}\r\n\r\n`],
    ['the same length twice', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nab'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['a chunk without a size', `${chunked}\r\nabc\r\n`],
    ['a chunk of a strange size', `${chunked}xyz\r\nabc\r\n`],
    ['a chunk of less than nothing', `${chunked}-3\r\nabc\r\n`],
    ['a chunk of an absurd size', `${chunked}${'f'.repeat(40)}\r\nabc\r\n`],
  ])('%s', async (_, text) => {
    await expect(read([text])).rejects.toMatchObject({ name: 'DeliveryError', reason: 'malformed_answer' })
  })

  test.each([
    ['nothing', ''],
    ['half a status', 'HTTP/1.1 2'],
    ['half a header', 'HTTP/1.1 200 OK\r\nX: y'],
    ['only an interim answer', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['half a body', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'],
    ['half a chunk', `${chunked}A\r\nabc`],
    ['no last chunk', `${chunked}3\r\nabc\r\n`],
  ])('%s is an answer that was broken off', async (_, text) => {
    await expect(read([text])).rejects.toMatchObject({ name: 'DeliveryError', reason: 'connection' })
  })

  test('random bytes give a response or a delivery error', async () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom(
        'HTTP/1.1 200 OK\r\n',
        '\r\n',
        'Content-Length: 3\r\n',
        'Transfer-Encoding: chunked\r\n',
        '3\r\n',
      ),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(piece), async (pieces) => {
        try {
          expect((await read(pieces, 16)).body.length).toBeLessThanOrEqual(16)
        } catch (error) {
          expect(error).toBeInstanceOf(DeliveryError)
        }
      }),
      { numRuns: 200 },
    )
  })
})
