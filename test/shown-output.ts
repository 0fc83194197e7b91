/**
 * Compares what a document shows with what a server sent. Both have to be the same, in the same order, but for what differs each time:
 * `…` stands for any text, and any id, time and address of a server for any other of its kind. Returns what differs.
 */
export function findDifferences(shown: { kind: string; text: string }, actual: string, baseUrl: string): string[] {
  const output = unify(actual.replaceAll(baseUrl, 'http://localhost:3000'))
  const text = unify(shown.text)
  return shown.kind === 'json'
    ? compareValues(JSON.parse(text), JSON.parse(output), '')
    : compareResponses(text, output)
}

const unify = (text: string) =>
  text
    .replaceAll('https://parley.example.com', 'http://localhost:3000')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '2026-11-15T10:00:00.000Z')
    .replace(/\b([a-z]+)_[0-9a-hjkmnp-tv-z]{26,}(?![\w…])/g, '$1_…')

function compareValues(shown: unknown, actual: unknown, at: string): string[] {
  if (typeof shown === 'string' && typeof actual === 'string')
    return isLike(shown, actual) ? [] : [`${at} is ${JSON.stringify(actual)}, not ${JSON.stringify(shown)}`]
  if (!isObject(shown) || !isObject(actual) || Array.isArray(shown) !== Array.isArray(actual))
    return shown === actual ? [] : [`${at} is ${JSON.stringify(actual)}, not ${JSON.stringify(shown)}`]

  const [expected, found] = [shown, actual].map((each) => Object.keys(each).join()) as [string, string]
  if (expected !== found) return [`${at} has ${found || 'nothing'}, not ${expected || 'nothing'}`]
  return Object.entries(shown).flatMap(([key, value]) => compareValues(value, actual[key], `${at}.${key}`))
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Whether a text is like the one shown, in which each `…` stands for one character or more. */
function isLike(shown: string, actual: string): boolean {
  const parts = shown.split('…').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${parts.join('.+')}$`, 's').test(actual)
}

/** Of several responses, the last one counts. A line `…` in the head stands for other headers, or for a body that is not shown. */
function compareResponses(shown: string, output: string): string[] {
  const last = output.replaceAll('\r', '').match(/.*(HTTP\/1\.1 .*)/s)?.[1] ?? output
  const [expected, actual] = [splitResponse(shown), splitResponse(last)]
  const isPartial = expected.lines.includes('…')
  const lines = expected.lines.filter((line) => line !== '…')
  const missing = lines.filter((line) => !actual.lines.some((each) => isLike(line, each)))
  const hidden = isPartial ? [] : actual.lines.filter((line) => !lines.some((each) => isLike(each, line)))
  const isSameBody = (isPartial && expected.body === '') || isLike(expected.body, actual.body)
  return [
    ...missing.map((line) => `no ${line}`),
    ...hidden.map((line) => `also ${line}`),
    ...(isSameBody ? [] : [`the body is ${actual.body}`]),
  ]
}

/** Names of headers are the same in any case. */
function splitResponse(text: string) {
  const [head, ...rest] = text.split('\n\n') as [string, ...string[]]
  const lines = head.trim().split('\n')
  return {
    lines: lines.map((line) => line.trim().replace(/^[^:]+(?=: )/, (name) => name.toLowerCase())),
    body: rest.join('\n\n').trim(),
  }
}
