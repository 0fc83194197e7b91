export interface ParsedFamily {
  help: string
  type: string
  /** Values by name and labels. */
  samples: Map<string, number>
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"'
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)\\})? (-?[0-9.]+(?:e[+-]?[0-9]+)?)$`)
const COMMENT = new RegExp(`^# (HELP|TYPE) (${NAME}) (.+)$`)

/** Parses the Prometheus text format strictly. */
export function parseMetrics(text: string): Map<string, ParsedFamily> {
  if (!text.endsWith('\n')) throw new Error('The last line has no newline.')
  const families = new Map<string, ParsedFamily>()
  let open = ''
  for (const line of text.slice(0, -1).split('\n')) {
    const [, word, name, rest] = line.match(COMMENT) ?? []
    if (word === 'HELP') {
      if (families.has(name!)) throw new Error(`${name} is duplicated.`)
      families.set(name!, { help: rest!, type: '', samples: new Map() })
      open = name!
    } else if (word === 'TYPE') {
      if (open !== name || families.get(open)!.type) throw new Error(`The type of ${name} is in the wrong place.`)
      families.get(open)!.type = rest!
    } else addSample(families.get(open), open, line)
  }
  for (const [name, family] of families) checkFamily(name, family)
  return families
}

function addSample(family: ParsedFamily | undefined, open: string, line: string) {
  const [, name, labels = '', value] = line.match(SAMPLE) ?? []
  if (!name || !family) throw new Error(`Not a sample: ${line}`)
  const suffixes = family.type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
  if (!suffixes.some((suffix) => name === open + suffix)) throw new Error(`${line} does not belong to ${open}.`)
  const key = labels ? `${name}{${labels}}` : name
  if (family.samples.has(key)) throw new Error(`${key} is duplicated.`)
  if (new Set(labels.match(/\w+(?==")/g)).size !== (labels.match(/\w+(?==")/g)?.length ?? 0))
    throw new Error(`A label is duplicated: ${line}`)
  family.samples.set(key, Number(value))
}

function checkFamily(name: string, { help, type, samples }: ParsedFamily) {
  if (!['counter', 'gauge', 'histogram'].includes(type)) throw new Error(`${name} is of type ${type}.`)
  if (!/[.?]$/.test(help)) throw new Error(`The help of ${name} is no sentence: ${help}`)
  if ((type === 'counter') !== name.endsWith('_total')) throw new Error(`${name} has the name of another type.`)
  if (type !== 'gauge') for (const [key, value] of samples) if (value < 0) throw new Error(`${key} is below 0.`)
  if (type === 'histogram') checkBuckets(name, samples)
}

/** Buckets must be cumulative, and the last one must equal the count. */
function checkBuckets(name: string, samples: ParsedFamily['samples']) {
  const last = new Map<string, { bound: number; count: number }>()
  for (const [key, count] of samples) {
    const bound = key.match(/le="([^"]+)"/)?.[1]
    if (bound === undefined) continue
    const labels = key.replace(/^[^{]+\{|,?le="[^"]+"|\}$/g, '')
    const before = last.get(labels)
    const now = { bound: bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound), count }
    if (before && (before.bound >= now.bound || before.count > now.count)) throw new Error(`${key} does not grow.`)
    last.set(labels, now)
  }
  for (const [labels, { bound, count }] of last) {
    const total = samples.get(labels ? `${name}_count{${labels}}` : `${name}_count`)
    if (bound !== Number.POSITIVE_INFINITY || count !== total) throw new Error(`${name} lacks some: ${labels}`)
  }
}

/** Polls the metrics of a server until they match. */
export async function waitForMetrics(url: string, words: RegExp): Promise<Map<string, ParsedFamily>> {
  let last = ''
  for (const end = Date.now() + 120_000; Date.now() < end; await Bun.sleep(100)) {
    // The connection may go to a process that was just killed.
    const response = await fetch(`${url}/metrics`, { headers: { Connection: 'close' } }).catch(() => undefined)
    const text = (await response?.text()) ?? ''
    if (words.test(text)) return parseMetrics(text)
    const [name] = words.source.match(/\w{5,}/)!
    last = response
      ? `${response.status}\n${text
          .split('\n')
          .filter((line) => line.startsWith(name))
          .join('\n')}`
      : 'no connection'
  }
  throw new Error(`The metrics never say ${words}. In the end: ${last}`)
}
