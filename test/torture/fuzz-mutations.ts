import type { Random } from '../random-writes'
import type { Documented } from './fuzz-document'
import { invalidValue, strangeTexts, toJson } from './fuzz-values'

const SMALL_BODY = 5_000

/** A request before it is serialized. */
export interface Draft {
  method: string
  path: string
  query: [string, string][]
  headers: [string, string][]
  body: string | Buffer | undefined
  isChunked: boolean
  matchesOperation: boolean
  isInvalid: boolean
}

type Mutation = (draft: Draft, operation: Documented, random: Random) => void

/** Changes that make a request unusual or invalid. */
export const mutations: Mutation[] = [
  function setInvalidField(draft, { body }, random) {
    if (!body) return
    const fields = fieldsOf(draft)
    const name = random.pick(Object.keys(body.properties!))
    fields[name] = invalidValue(body.properties![name]!, random)
    draft.body = toJson(fields)
  },
  function addUnknownField(draft, { body }, random) {
    if (!body || typeof draft.body !== 'string') return
    const name = random.pick([
      '__proto__',
      'constructor',
      'toString',
      'id',
      'workspace_id',
      '',
      '\u0000',
      'é',
      'a.b[0]',
    ])
    draft.body = `{${JSON.stringify(name)}:${toJson(invalidValue({}, random))}${draft.body === '{}' ? '}' : `,${draft.body.slice(1)}`}`
  },
  function removeField(draft, { body }, random) {
    if (!body) return
    const fields = fieldsOf(draft)
    delete fields[random.pick(Object.keys(body.properties!))]
    draft.body = toJson(fields)
  },
  function replaceBody(draft, _, random) {
    draft.body = toJson(invalidValue({}, random))
  },
  function breakJson(draft, _, random) {
    const whole = String(draft.body ?? '{"a":1}')
    draft.body = random.pick<string | Buffer>([
      whole.slice(0, random.below(whole.length + 1)),
      `${whole}}`,
      `${whole.slice(0, -1)},}`,
      `// ${whole}`,
      whole.replaceAll('"', "'"),
      `${whole}\u0000`,
      '{"a":NaN}',
      '{"a":01}',
      '{"a":"\n"}',
      '{a:1}',
      '[',
      '"',
      Buffer.from(`\ufeff${whole}`, 'utf16le'),
      Buffer.concat([
        Buffer.from('{"a":"'),
        Buffer.from([0xff, 0xfe, 0xc0, 0x80, 0xed, 0xa0, 0x80]),
        Buffer.from('"}'),
      ]),
      Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]),
    ])
  },
  function enlargeBody(draft, { body }, random) {
    if (!body || random.below(20) > 0) return
    const size = random.pick([1024 * 1024 - 40, 1024 * 1024 + 1, 3 * 1024 * 1024])
    draft.body = toJson({ ...fieldsOf(draft), [Object.keys(body.properties!)[0]!]: 'z'.repeat(size) })
  },
  function sendChunked(draft) {
    draft.isChunked = draft.body !== undefined
  },
  function setWrongContentType(draft, _, random) {
    const types = [
      'text/plain',
      'application/xml',
      'application/json;charset=utf-16',
      'multipart/form-data',
      'x',
      ';;=',
    ]
    draft.headers = draft.headers.filter(([name]) => name !== 'Content-Type')
    if (random.below(4) > 0) draft.headers.push(['Content-Type', random.pick(types)])
  },
  function setContentType(draft, _, random) {
    const types = ['Application/JSON', 'application/json; charset=UTF-8', 'application/json;charset="utf-8"']
    draft.headers = draft.headers.filter(([name]) => name !== 'Content-Type')
    draft.headers.push(['Content-Type', random.pick(types)])
  },
  function setInvalidParameter(draft, { query }, random) {
    if (query.length === 0) return
    const { name, schema } = random.pick(query)
    const given = invalidValue(schema, random)
    const value = typeof given === 'string' ? given : toJson(given)
    // A valid wait would slow the test down.
    if (name === 'wait' && Number(value) > 1) return
    draft.query = [...draft.query.filter((each) => each[0] !== name), [name, value]]
  },
  function addUnknownParameter(draft, _, random) {
    draft.query.push([
      random.pick(['limits', '__proto__', 'constructor', 'Limit', ' limit', 'limit[]', 'é', '\u0000']),
      random.pick(strangeTexts),
    ])
  },
  function repeatParameter(draft, { query }, random) {
    if (query.length === 0) return
    const { name, schema } = random.pick(query)
    if (schema.type === 'array' || name === 'wait') return
    draft.query = [...draft.query.filter((each) => each[0] !== name), [name, '2'], [name, '3']]
  },
  function replaceId(draft, operation, random) {
    if (operation.params.length === 0) return
    const id = random.pick([
      ...strangeTexts.map((text) => percentEncode(text)),
      'a'.repeat(3_000),
      '%',
      '%zz',
      '%c0%af',
      '%2e%2e',
      '..',
      '.',
      '%00',
    ])
    const words = draft.path.split('/')
    const places = operation.path.split('/').flatMap((word, at) => (word.startsWith('{') ? [at] : []))
    const place = random.pick(places)
    words[place] = id || '%20'
    draft.path = words.join('/')
    draft.matchesOperation &&= !/^(\.|%2e)+$/i.test(id)
    // An emoji may be named `true`, and the item of a checklist `0`.
    draft.isInvalid ||= !['{name}', '{item}'].includes(operation.path.split('/')[place]!)
  },
  function replacePath(draft, _, random) {
    const { path } = draft
    draft.path = random.pick([
      `${path}/`,
      `/${path}`,
      path.toUpperCase(),
      path.replace('/v2', '/v1'),
      `${path}/x`,
      path.replace('/v2/', '/v2/./'),
      `${path}%00`,
      `/${path.slice(1).replaceAll('/', '\\')}`,
      `${path};a=b`,
      `http://elsewhere.example${path}`,
      `${path}#part`,
      '/v2',
      '/',
      '/healthz',
      '/metrics',
      '/docs',
      '/v2/openapi.json',
      '/avatars/-1/%00.svg',
      '/avatars/99999999/x.svg',
      '/posts/%ff',
      '/threads/x',
      '/members/x?after=%00',
      '/sign-in?token=%ff',
      '/sign-out',
    ])
    draft.matchesOperation = false
  },
  function replaceMethod(draft, { params }, random) {
    const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'TRACE', 'PURGE', 'PROPFIND']
    // The record could be one that must not be deleted.
    draft.method = random.pick(params.length > 0 ? methods : [...methods, 'DELETE'])
  },
  function replaceToken(draft, _, random) {
    const own = draft.headers.find(([name]) => name === 'Authorization')?.[1] ?? 'Bearer x'
    draft.headers = draft.headers.filter(([name]) => name !== 'Authorization')
    const other = random.pick([
      '',
      'Bearer',
      'Bearer ',
      own.toLowerCase(),
      `${own} x`,
      `${own}x`,
      own.slice(0, -1),
      own.replace('Bearer', 'Basic'),
      `Bearer ${'a'.repeat(6_000)}`,
      'Bearer \u00ff\u00fe',
      own.replace('Bearer', 'bEaReR'),
      own.replace(' ', '   '),
      `${own}, ${own}`,
    ])
    if (random.below(3) > 0) draft.headers.push(['Authorization', other])
    if (random.below(5) === 0) draft.headers.push(['Cookie', `parley_session=${own.slice(7)}`])
  },
  function replaceKey(draft, { takesKey }, random) {
    if (!takesKey) return
    const key = random.pick(['a b', 'é', 'x'.repeat(255), 'x'.repeat(256), '__proto__', `key-${random.below(20)}`, ''])
    draft.headers = [...draft.headers.filter(([name]) => name !== 'Idempotency-Key'), ['Idempotency-Key', key]]
  },
  function addHeaders(draft, _, random) {
    for (let left = 1 + random.below(3); left > 0; left--) draft.headers.push(random.pick(harmlessHeaders))
  },
]

const harmlessHeaders: [string, string][] = [
  ['Accept', 'text/markdown'],
  ['Accept', 'text/markdown;q=0.1, application/json;q=zz, */*;q=-1'],
  ['Accept', ';;;,,,q=q=q='],
  ['Accept', 'a'.repeat(4_000)],
  ['Accept', 'text/event-stream'],
  ['Accept-Encoding', 'gzip, br, zstd;q=1e400'],
  ['Accept-Language', '\u00ff\u00fe'],
  ['Last-Event-ID', 'evt_zzzzzzzzzzzzzzzzzzzzzzzzzz'],
  ['If-None-Match', '*'],
  ['If-None-Match', `${'"x",'.repeat(500)}W/"y`],
  ['If-Match', '"nothing"'],
  ['If-Modified-Since', 'Thu, 99 Foo 99999'],
  ['Range', 'bytes=0-1,-5,9999999999999999999-'],
  ['X-Forwarded-For', '1.2.3.4, ::1, <script>, 999.999.999.999'],
  ['X-Forwarded-Host', 'elsewhere.example'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['X-Request-Id', 'req_mine'],
  ['Cookie', `parley_session=${'x'.repeat(2_000)}; __proto__=1`],
  ['Origin', 'null'],
  ['Expect', '100-continue'],
  ['Upgrade', 'websocket'],
  ['Connection', 'Upgrade, keep-alive'],
  ['Content-Encoding', 'gzip'],
  ['__proto__', 'x'],
  ['Constructor', 'x'],
  ['X-Empty', ''],
]

/** The fields of the body; none if a mutation replaced it by something else. */
function fieldsOf({ body }: Draft): Record<string, unknown> {
  if (!body || body.length > SMALL_BODY) return {}
  try {
    const value = JSON.parse(String(body))
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

export const percentEncode = (text: string) => (text.isWellFormed() ? encodeURIComponent(text) : '%ed%a0%80')
