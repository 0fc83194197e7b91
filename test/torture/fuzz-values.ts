import type { Random } from '../random-writes'
import type { Schema } from './fuzz-document'
import { longQueries, syntaxQueries } from './fuzz-queries'

/** JSON that no JavaScript value serializes to: huge numbers, deep nesting, duplicate fields. */
export class Raw {
  constructor(readonly text: string) {}
}

/** Text that is known to break programs. */
export const strangeTexts = [
  '',
  ' ',
  '\t\r\n',
  'null',
  'undefined',
  'NaN',
  '-1',
  '0',
  'true',
  '[]',
  '{}',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'a\u0000b',
  '\u0000',
  '\ud800',
  'x\udfff\ud800y',
  '\ufeffBOM',
  '\ufffe\uffff',
  '\u202Egnp.exe',
  '\u2028\u2029',
  '👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  `Z${'\u0300\u0301\u0316'.repeat(40)}algo`,
  'İıßſK Å',
  'ÀÉÎõü ñ 日本語 العربية עברית',
  "' OR '1'='1' --",
  '"; DROP TABLE posts; --',
  '%_\\%',
  '" OR * NEAR(',
  'a AND NOT -b:c^2 (',
  '$(id) {{7*7}} #{7*7}',
  '../../../etc/passwd',
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '[x](javascript:alert(1))',
  '<@mem_00000000000000000000000000> <@app_x> <@>',
  `${'['.repeat(500)}x${']'.repeat(500)}`,
  `${'> '.repeat(200)}deep`,
  `${'* '.repeat(200)}deep`,
  `${'`'.repeat(301)}`,
  `${'**a '.repeat(300)}`,
  `| ${'a |'.repeat(100)}\n| ${'- |'.repeat(100)}\n`,
  '# Title\n\n- [ ] task\n- [x] done\n\n```js\nlet a\n```\n\n~~no~~ https://example.com <b>bold</b>',
  '&#0;&#xD800;&amp;&nosuch;',
  '9'.repeat(400),
  '1e309',
  '2026-02-30T25:61:61Z',
  'a@b',
] as const

/** Values of all types, most of them invalid. */
export const strangeValues: readonly unknown[] = [
  null,
  true,
  0,
  -0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e308,
  [],
  {},
  [[]],
  [null],
  ['', '', ''],
  { length: 1e9 },
  { toString: 'x', valueOf: null },
  new Raw('1e400'),
  new Raw('-1e400'),
  new Raw('123456789012345678901234567890'),
  new Raw('0.1e-400'),
  new Raw('{"__proto__":{"admin":true},"constructor":{"prototype":{}}}'),
  new Raw(`${'['.repeat(200)}${']'.repeat(200)}`),
  new Raw(`${'['.repeat(20_000)}${']'.repeat(20_000)}`),
  new Raw(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`),
  new Raw(`[${'0,'.repeat(5_000)}0]`),
]

/** Ids by the noun in their path, and cursors by operation, collected from responses. */
export interface Known {
  ids(noun: string): readonly string[]
  /** The ids that can be deleted. */
  spareIds(noun: string): readonly string[]
  cursors(operation: string): readonly string[]
  /** The id of the parent among those of a noun, such as the webhook of a delivery. */
  parentOf(noun: string, id: string): string | undefined
}

export interface Slot {
  /** The name of its operation. */
  operation: string
  /** The last noun of its path. */
  noun: string
  name: string
}

const FAR = 1_000
/** Nothing listens on this port. */
const ADDRESS = 'http://127.0.0.1:9/hook'
/** One for everybody, so that a password can be changed after a response that got lost. */
const PASSWORD = 'correct horse'
/** In most texts, so that there are boxes to check. */
const CHECKLIST = '- [ ] Chairs\n- [x] Door'

/** A random value that matches the schema. */
export function validValue(schema: Schema, slot: Slot, known: Known, random: Random): unknown {
  if (schema.anyOf) return validValue(random.pick(schema.anyOf), slot, known, random)
  if (Array.isArray(schema.type)) return validValue({ ...schema, type: random.pick(schema.type) }, slot, known, random)
  if (schema.enum) return random.pick(schema.enum)
  if (schema.type === 'boolean') return random.below(2) === 0
  if (schema.type === 'integer') return wholeNumber(schema, slot, random)
  if (schema.type === 'array') {
    const max = Math.min(schema.maxItems ?? 3, 3)
    const size = Math.max(schema.minItems ?? 0, random.below(max + 1))
    return [...new Set(Array.from({ length: size }, () => validValue(schema.items!, slot, known, random)))]
  }
  if (schema.type === 'object')
    return Object.fromEntries(
      Object.entries(schema.properties ?? {})
        .filter(([name]) => schema.required?.includes(name) || random.below(2) === 0)
        .map(([name, each]) => [name, validValue(each, { ...slot, name }, known, random)]),
    )
  if (schema.type !== 'string') return null
  return text(schema, slot, known, random)
}

function wholeNumber({ minimum = 0, maximum = 1_000 }: Schema, { name }: Slot, random: Random): number {
  // A longer wait would slow the test down.
  const max = name === 'wait' ? Math.min(maximum, 1) : maximum
  return random.pick([minimum, max, minimum + random.below(max - minimum + 1)])
}

function text(schema: Schema, slot: Slot, known: Known, random: Random): string {
  const { name } = slot
  if (name === 'after') return random.pick(cursorsFor(slot, known, random))
  const noun = nounOf(slot)
  const one = random.below(2 ** 30)
  if (noun) return known.ids(noun).length > 0 ? known.ids(noun)[one % known.ids(noun).length]! : `none_${one}`
  if (schema.format === 'email') return `${one}.é@example.com`.replace('é', random.pick(['e', 'x+y', "o'b"]))
  if (schema.format === 'date-time') return random.pick(['2099-01-01T00:00:00Z', '2031-12-31T23:59:59.123456789+14:00'])
  if (name === 'emoji') return random.pick(['👍', '❤️', '🧑‍🚀', 'party'])
  if (name === 'url') return ADDRESS
  if (name === 'password' || name === 'current_password') return PASSWORD
  if (name === 'content_markdown' && random.below(2) === 0) return CHECKLIST
  // Names of groups have no spaces.
  if (slot.noun === 'groups' && name === 'name' && random.below(2) === 0) return `group-${one}`
  if (name === 'label') return random.pick(['Chairs', 'Door', 'Windows'])
  if (name === 'q' && random.below(2) === 0) return query(schema, random)
  const { minLength = 0 } = schema
  const maxLength = reached(schema.maxLength ?? 200, random)
  const strange = random.pick(strangeTexts)
  const plain = `Text ${one}`
  const candidate = random.pick([
    plain,
    plain,
    `${plain} ${strange}`,
    'y'.repeat(random.pick([minLength, maxLength])),
    strange,
  ])
  const isValid = candidate.isWellFormed() && !candidate.includes('\0') && candidate.trim() !== ''
  const length = [...candidate].length
  const chosen = isValid && length >= minLength && length <= maxLength ? candidate : plain
  return name === 'content_markdown' && random.below(2) === 0 ? `${CHECKLIST}\n\n${chosen}` : chosen
}

/** A hostile search, or one that finds texts of the fuzzer. */
function query({ maxLength = 200 }: Schema, random: Random): string {
  const parts = [
    random.pick(Object.keys(syntaxQueries)),
    random.pick(strangeTexts),
    random.pick(['text', 'tex*', '"lunch text"', '-noon', 'title:lunch', 'in:general', '-from:me', 'is:open', 'is:x']),
    random.below(10) === 0 ? random.pick(longQueries) : '',
  ]
  return parts
    .filter(() => random.below(2) === 0)
    .join(' ')
    .slice(0, maxLength)
}

/** High limits are reached only now and then, since large values are slow. */
const reached = (limit: number, random: Random) => (limit < FAR || random.below(20) === 0 ? limit : FAR)

/** Cursors of this operation, or of the events if it has none; or now and then the ids of records. */
function cursorsFor({ operation, noun }: Slot, known: Known, random: Random): readonly string[] {
  if (random.below(4) === 0 && known.ids(noun).length > 0) return known.ids(noun)
  const own = known.cursors(operation)
  return own.length > 0 ? own : ['', ...known.cursors('events.list')]
}

/** `channel_id` is an id of `/channels`, `member_ids` are of `/members`, `parent_id` of the same noun. */
function nounOf({ name, noun }: Slot): string | undefined {
  if (name === 'id' || name === 'ids' || name === 'around') return noun
  const [, kind] = name.match(/^(\w+)_ids?$/) ?? []
  return kind === 'parent' ? noun : kind && `${kind}s`
}

/** A value at a limit of the schema, beyond it, or of another type. */
export function invalidValue(schema: Schema, random: Random): unknown {
  const { minLength = 0, minimum = 0, maximum = 100, maxItems = 3 } = schema
  const maxLength = reached(schema.maxLength ?? 100, random)
  const edges = [
    () => 'y'.repeat(maxLength + 1),
    () => '😀'.repeat(Math.min(maxLength, 2_000)),
    () => 'y'.repeat(Math.max(0, minLength - 1)),
    () => minimum - 1,
    () => maximum + 1,
    () => Array.from({ length: Math.min(maxItems + 1, 200) }, (_, at) => `x${at}`),
  ]
  return random.below(3) === 0
    ? random.pick(edges)()
    : random.pick<unknown>(random.pick<readonly unknown[]>([strangeTexts, strangeValues]))
}

/** Serializes as JSON; a lone surrogate is escaped. */
export function toJson(value: unknown): string {
  if (value instanceof Raw) return value.text
  if (Array.isArray(value)) return `[${value.map(toJson).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  return `{${Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}:${toJson(each)}`)}}`
}
