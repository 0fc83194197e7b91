import type { Dice } from '../random-writes'
import type { Documented } from './fuzz-document'
import { strangeTexts, unfitting, written } from './fuzz-values'

const SMALL_BODY = 5_000

/** A request that is still being made. */
export interface Draft {
  method: string
  path: string
  query: [string, string][]
  headers: [string, string][]
  body: string | Buffer | undefined
  isChunked: boolean
  isAddressed: boolean
  isWrong: boolean
}

type Twist = (draft: Draft, operation: Documented, dice: Dice) => void

/** What can be odd about a request. */
export const twists: Twist[] = [
  function anUnfittingField(draft, { body }, dice) {
    if (!body) return
    const fields = fieldsOf(draft)
    const name = dice.of(Object.keys(body.properties!))
    fields[name] = unfitting(body.properties![name]!, dice)
    draft.body = written(fields)
  },
  function anUnknownField(draft, { body }, dice) {
    if (!body || typeof draft.body !== 'string') return
    const name = dice.of(['__proto__', 'constructor', 'toString', 'id', 'workspace_id', '', '\u0000', 'é', 'a.b[0]'])
    draft.body = `{${JSON.stringify(name)}:${written(unfitting({}, dice))}${draft.body === '{}' ? '}' : `,${draft.body.slice(1)}`}`
  },
  function aMissingField(draft, { body }, dice) {
    if (!body) return
    const fields = fieldsOf(draft)
    delete fields[dice.of(Object.keys(body.properties!))]
    draft.body = written(fields)
  },
  function anotherBody(draft, _, dice) {
    draft.body = written(unfitting({}, dice))
  },
  function brokenJson(draft, _, dice) {
    const whole = String(draft.body ?? '{"a":1}')
    draft.body = dice.of<string | Buffer>([
      whole.slice(0, dice.below(whole.length + 1)),
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
  function aGreatBody(draft, { body }, dice) {
    if (!body || dice.below(20) > 0) return
    const size = dice.of([1024 * 1024 - 40, 1024 * 1024 + 1, 3 * 1024 * 1024])
    draft.body = written({ ...fieldsOf(draft), [Object.keys(body.properties!)[0]!]: 'z'.repeat(size) })
  },
  function aBodyInPieces(draft) {
    draft.isChunked = draft.body !== undefined
  },
  function anotherContentType(draft, _, dice) {
    const types = [
      'text/plain',
      'application/xml',
      'application/json;charset=utf-16',
      'multipart/form-data',
      'x',
      ';;=',
    ]
    draft.headers = draft.headers.filter(([name]) => name !== 'Content-Type')
    if (dice.below(4) > 0) draft.headers.push(['Content-Type', dice.of(types)])
  },
  function aGoodContentType(draft, _, dice) {
    const types = ['Application/JSON', 'application/json; charset=UTF-8', 'application/json;charset="utf-8"']
    draft.headers = draft.headers.filter(([name]) => name !== 'Content-Type')
    draft.headers.push(['Content-Type', dice.of(types)])
  },
  function anUnfittingParameter(draft, { query }, dice) {
    if (query.length === 0) return
    const { name, schema } = dice.of(query)
    const given = unfitting(schema, dice)
    const value = typeof given === 'string' ? given : written(given)
    // A wait that fits would be waited for.
    if (name === 'wait' && Number(value) > 1) return
    draft.query = [...draft.query.filter((each) => each[0] !== name), [name, value]]
  },
  function anUnknownParameter(draft, _, dice) {
    draft.query.push([
      dice.of(['limits', '__proto__', 'constructor', 'Limit', ' limit', 'limit[]', 'é', '\u0000']),
      dice.of(strangeTexts),
    ])
  },
  function aParameterTwice(draft, { query }, dice) {
    if (query.length === 0) return
    const { name, schema } = dice.of(query)
    if (schema.type === 'array' || name === 'wait') return
    draft.query = [...draft.query.filter((each) => each[0] !== name), [name, '2'], [name, '3']]
  },
  function anotherId(draft, operation, dice) {
    if (operation.params.length === 0) return
    const id = dice.of([
      ...strangeTexts.map((text) => escaped(text)),
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
    words[dice.of(places)] = id || '%20'
    draft.path = words.join('/')
    draft.isAddressed &&= !/^(\.|%2e)+$/i.test(id)
    draft.isWrong = true
  },
  function anotherAddress(draft, _, dice) {
    const { path } = draft
    draft.path = dice.of([
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
    draft.isAddressed = false
  },
  function anotherMethod(draft, _, dice) {
    draft.method = dice.of(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PURGE', 'PROPFIND'])
  },
  function anotherToken(draft, _, dice) {
    const own = draft.headers.find(([name]) => name === 'Authorization')?.[1] ?? 'Bearer x'
    draft.headers = draft.headers.filter(([name]) => name !== 'Authorization')
    const other = dice.of([
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
    if (dice.below(3) > 0) draft.headers.push(['Authorization', other])
    if (dice.below(5) === 0) draft.headers.push(['Cookie', `parley_session=${own.slice(7)}`])
  },
  function anotherKey(draft, { takesKey }, dice) {
    if (!takesKey) return
    const key = dice.of(['a b', 'é', 'x'.repeat(255), 'x'.repeat(256), '__proto__', `key-${dice.below(20)}`, ''])
    draft.headers = [...draft.headers.filter(([name]) => name !== 'Idempotency-Key'), ['Idempotency-Key', key]]
  },
  function strangeHeaders(draft, _, dice) {
    for (let left = 1 + dice.below(3); left > 0; left--) draft.headers.push(dice.of(harmlessHeaders))
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

/** The fields of the body, which is a small object as long as no twist made it another thing. */
function fieldsOf({ body }: Draft): Record<string, unknown> {
  if (!body || body.length > SMALL_BODY) return {}
  try {
    const value = JSON.parse(String(body))
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

export const escaped = (text: string) => (text.isWellFormed() ? encodeURIComponent(text) : '%ed%a0%80')
