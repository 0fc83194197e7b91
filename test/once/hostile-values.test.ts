import { describe, expect, test } from 'bun:test'
import { fold } from '../../src/contract/browser/fold'
import { Problem } from '../../src/contract/errors'
import { decodeCursor } from '../../src/domain/lists/cursor'
import { parseQuery, type RawInput, validInput } from '../../src/gate/input'
import { clientAddress } from '../../src/http/limits'
import { browserName } from '../../src/http/session/cookie'
import { networksFrom } from '../../src/networks'
import { cpuTime } from '../cpu-time'
import { world } from '../world'

/** The longest address of a request, and about the most that the server accepts for the address and all headers. */
const MAX_ADDRESS = 16_000
const MAX_HEADERS = 120_000
const MAX_BODY = 1_000_000

const filled = (piece: string, length: number) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length)

/** Delimiters and whitespace of the formats of values. */
const pieces = [
  ...[
    'a',
    ' ',
    'a ',
    ',',
    ', ',
    ';',
    ';q=',
    ';q=1,',
    '; ',
    '=',
    'a=',
    '&',
    'a&',
    'a=b&',
    '%',
    '%4',
    '%41',
    '+',
    '?',
    '#',
  ],
  ...[
    '"',
    '\\',
    'W/"',
    '*',
    '/',
    '//',
    '.',
    'a.',
    '-',
    'a-',
    '@',
    'a@',
    'a@a.',
    '"@',
    '_',
    ':',
    '::',
    '::ffff:',
    '1.1.1.1,',
  ],
  ...[
    '0',
    '1,',
    '00',
    '-1',
    'e1',
    '[',
    ']',
    '[a]',
    '{',
    'A',
    'Bearer ',
    'text/markdown,',
    'text/markdown;q=',
    'application/json;',
  ],
  ...[
    'Version/',
    'Safari/',
    'Version/ Safari',
    'Chrome/',
    'parley_session=',
    'parley_session=;',
    'gzip',
    'é',
    'ß',
    'ﷺ',
    '\u0301',
    'İ',
  ],
]

/**
 * Compared to a plain value of the same size, plus what a busy machine adds. A time that grows with the square of the size is
 * hundreds of milliseconds.
 */
const MAX_RATIO = 10
const UNCERTAIN_MS = 50

/** The values that take much longer than a plain one. */
function slowOnes(make: (piece: string) => string, work: (value: string) => unknown): string[] {
  const plain = cpuTime(() => work(make('x')), 5)
  return pieces.filter((piece) => {
    const value = make(piece)
    let time = cpuTime(() => work(value))
    const limit = MAX_RATIO * plain + UNCERTAIN_MS
    for (let again = 0; again < 4 && time > limit; again++)
      time = Math.min(
        time,
        cpuTime(() => work(value)),
      )
    return time > limit
  })
}

function refusal(raw: Partial<RawInput>, name: Parameters<typeof validInput>[0]): string {
  try {
    validInput(name, { params: {}, query: undefined, body: undefined, ...raw })
    return ''
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return JSON.stringify([error.detail, error.errors])
  }
}

const EVERYWHERE = networksFrom(['0.0.0.0/0', '::/0'])
const member = { email: 'ada@example.com', display_name: 'Ada', role: 'member' }

/** All parsers of untrusted input, each with the largest value it can get. */
const readers: Record<string, { size: number; work: (value: string) => unknown }> = {
  'a query': { size: MAX_ADDRESS, work: parseQuery },
  'a query of a list': { size: MAX_ADDRESS, work: (query) => refusal({ query }, 'members.list') },
  'a filter': { size: MAX_ADDRESS, work: (value) => refusal({ query: `q=${value}` }, 'members.list') },
  'a list of roles': { size: MAX_ADDRESS, work: (value) => refusal({ query: `roles=${value}` }, 'members.list') },
  'a limit': { size: MAX_ADDRESS, work: (value) => refusal({ query: `limit=${value}` }, 'members.list') },
  'a cursor': { size: MAX_ADDRESS, work: (value) => decodeCursor('list', value) },
  'a user agent': { size: MAX_HEADERS, work: browserName },
  'forwarded addresses': {
    size: MAX_HEADERS,
    work: (value) => clientAddress('127.0.0.1', value, EVERYWHERE),
  },
  'a folded name': { size: 10_000, work: fold },
  'an e-mail address': { size: MAX_BODY, work: (email) => refusal({ body: { ...member, email } }, 'members.create') },
  'a display name': {
    size: MAX_BODY,
    work: (display_name) => refusal({ body: { ...member, display_name } }, 'members.create'),
  },
  'a role': { size: MAX_BODY, work: (role) => refusal({ body: { ...member, role } }, 'members.create') },
  'an unknown field': { size: MAX_BODY, work: (name) => refusal({ body: { ...member, [name]: 1 } }, 'members.create') },
  'a date': {
    size: MAX_BODY,
    work: (expires_at) => refusal({ body: { scopes: ['read'], expires_at } }, 'tokens.createMine'),
  },
  'a list of ids': {
    size: 100_000,
    work: (value) => refusal({ body: { member_ids: [...value].map(() => value[0]) } }, 'threads.create'),
  },
}

describe('a hostile value takes about as long as any other of its size', () => {
  test.each(Object.entries(readers))('%s', (_, { size, work }) => {
    expect(slowOnes((piece) => filled(piece, size), work)).toEqual([])
  })

  test('headers, through the whole server', async () => {
    const { raw, bot, general } = await world()
    const names = ['accept', 'authorization', 'cookie', 'idempotency-key', 'if-none-match', 'last-event-id', 'origin']
    names.push('user-agent', 'x-forwarded-for', 'content-type', 'accept-encoding', 'sec-fetch-site')
    const paths = [`/v2/posts?channel_id=${general.id}`, '/docs']
    const ask = async (name: string, value: string) => {
      const before = process.cpuUsage()
      for (const path of paths) {
        const response = await raw(bot, path, { headers: { [name]: value } })
        await response.text()
        expect(response.status).toBeLessThan(500)
        expect(response.status).not.toBe(431)
      }
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1000
    }
    await ask('accept', '*/*')
    const slow: string[] = []
    for (const name of names) {
      const plain = await ask(name, filled('x', MAX_HEADERS))
      for (const piece of pieces.filter((each) => /^[\x20-\x7e]+$/.test(each))) {
        const value = `a${filled(piece, MAX_HEADERS)}b`
        let time = await ask(name, value)
        const limit = MAX_RATIO * plain + 5 * UNCERTAIN_MS
        for (let again = 0; again < 4 && time > limit; again++) time = Math.min(time, await ask(name, value))
        if (time > limit) slow.push(`${name}: ${piece}`)
      }
    }
    expect(slow).toEqual([])
  }, 600_000)
})

describe('errors are short', () => {
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`field${at}`, at]))

  test.each([
    ['many unknown fields', { body: { ...member, ...many } }],
    ['an unknown field with a long name', { body: { ...member, ['😀'.repeat(MAX_BODY / 4)]: 1 } }],
    ['many unknown parameters', { query: filled('a=1&b=2&', 40).concat(Object.keys(many).slice(0, 1_500).join('&')) }],
    ['an unknown parameter with a long name', { query: `${'x'.repeat(MAX_HEADERS)}=1` }],
    [
      'values that are too long',
      { body: { email: 'a'.repeat(MAX_BODY), display_name: 'b'.repeat(MAX_BODY), role: 'c' } },
    ],
  ] as [string, Partial<RawInput>][])('%s', (_, raw) => {
    const message = refusal(raw, 'body' in raw ? 'members.create' : 'members.list')
    expect(message).not.toBe('')
    expect(message.length).toBeLessThan(10_000)
    expect(message.isWellFormed()).toBe(true)
  })

  test('for any body', async () => {
    const { raw, root } = await world()
    const send = async (body: string, type = 'application/json') => {
      const response = await raw(root, '/v2/members', { method: 'POST', body, headers: { 'Content-Type': type } })
      expect(response.status).toBeGreaterThanOrEqual(400)
      expect(response.status).toBeLessThan(500)
      return (await response.text()).length
    }
    const bodies = ['x', '{', '[', '"', '{"a":', '1', '\\u', 'true', "'", '{"x":[', '\t'].map((each) =>
      filled(each, MAX_BODY),
    )
    for (const body of [...bodies, JSON.stringify(many), JSON.stringify({ ['k'.repeat(MAX_BODY)]: 1 })])
      expect(await send(body)).toBeLessThan(10_000)
    expect(await send('{}', filled('text/', 10_000))).toBeLessThan(10_000)
  })
})
