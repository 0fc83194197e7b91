import { Problem } from '../../contract/errors'
import { MAX_TEXT_LENGTH } from '../../contract/shapes'
import { escapeMarkdown } from '../markdown/attributes'

export type Fields = Record<string, unknown>

export const invalidPayload = (detail: string) => new Problem('malformed_request', detail)

/** Other systems leave out fields, or send null or an empty text, for what there is not. */
const isAbsent = (value: unknown) => value === undefined || value === null || value === ''

/** A text, or a number as text; empty if absent. */
export function readText(fields: Fields, name: string, path: string): string {
  const value = fields[name]
  if (isAbsent(value)) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw invalidPayload(`${path}${name} must be a text.`)
}

/** A number, also one that is a text; NaN if it is neither. Objects may have a `toString` that is no function. */
export const toNumber = (value: unknown): number =>
  typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN

/** Slack allows 100; GitHub sends up to 2,048 commits. */
const MAX_ITEMS = 3_000

/** A list of objects; empty if absent. */
export function readList(fields: Fields, name: string, path: string): Fields[] {
  const value = fields[name]
  if (isAbsent(value)) return []
  if (!Array.isArray(value)) throw invalidPayload(`${path}${name} must be a list.`)
  if (value.length > MAX_ITEMS) throw invalidPayload(`${path}${name} must have at most ${MAX_ITEMS} items.`)
  return value.map((item, at) => {
    if (!isFields(item)) throw invalidPayload(`${path}${name}[${at}] must be an object.`)
    return item
  })
}

/** An object; undefined if absent. */
export function readFields(fields: Fields, name: string, path: string): Fields | undefined {
  const value = fields[name]
  if (isAbsent(value)) return undefined
  if (!isFields(value)) throw invalidPayload(`${path}${name} must be an object.`)
  return value
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Looks up a sender's word in a table, own properties only: `constructor` and the like are not found. */
export const lookUp = <T>(table: Readonly<Record<string, T>>, word: string): T | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined

/** No text is longer than a post, and all together are not much longer: converting what would be cut takes time. */
const MAX_TEXTS = 150_000
/** Nothing that is read lies deeper. */
const MAX_DEPTH = 20

/** Shortens the texts in a payload, in place: each text that is too long, and all that follows once there is enough for a post. */
export function cutTexts(payload: Fields): void {
  let left = MAX_TEXTS
  const visit = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') {
      const length = Math.min(value.length, left, MAX_TEXT_LENGTH)
      left -= length
      return length === value.length ? value : length === 0 ? '' : `${value.slice(0, length)}…`
    }
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value
    if (Array.isArray(value)) {
      for (let at = 0; at < value.length; at++) value[at] = visit(value[at], depth + 1)
      return value
    }
    const fields = value as Fields
    for (const name of Object.keys(fields)) {
      const field = fields[name]
      const cut = visit(field, depth + 1)
      if (cut !== field) fields[name] = cut
    }
    return value
  }
  visit(payload, 0)
}

/** Converts items until there is enough for a post: what follows would be cut. */
export function convertUntilFull<T>(items: readonly T[], convert: (item: T, at: number) => string[]): string[] {
  const converted: string[] = []
  let length = 0
  for (let at = 0; at < items.length && length <= MAX_TEXT_LENGTH; at++)
    for (const part of convert(items[at]!, at)) {
      converted.push(part)
      length += part.length
    }
  return converted
}

/** A block of code in Markdown. Its fence is longer than any run of backticks inside. */
export const toFence = (code: string): string => {
  const longest = (code.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2)
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${code.replace(/^\n|\n$/g, '')}\n${fence}`
}

/** The same within a line. */
export function toCode(code: string): string {
  const runs = new Set(code.match(/`+/g)?.map((run) => run.length))
  let length = 1
  while (runs.has(length)) length += 1
  const ticks = '`'.repeat(length)
  const space = /^`|`$/.test(code) ? ' ' : ''
  return `${ticks}${space}${code}${space}${ticks}`
}

const LINKED = /^(?:https?:\/\/|mailto:|tel:)[^\s]/i
const UNSAFE = /[\s()<>\\|*_~`[\]]/g

/** Whether an address can be a link. */
export const isAddress = (url: string): boolean => LINKED.test(url)

/** A link in Markdown. The label is Markdown already; what leads nowhere is its label alone. */
export const toLink = (url: string, label: string): string =>
  isAddress(url) ? `[${label || escapeMarkdown(url)}](${encode(url)})` : label || escapeMarkdown(url)

/** A picture in Markdown. */
export const toImage = (url: string, alt: string): string =>
  /^https?:/i.test(url) ? `![${escapeMarkdown(alt)}](${encode(url)})` : escapeMarkdown(alt)

/** The address as Markdown reads it: without what would end it, and with no entity that Markdown would decode. */
const encode = (url: string) =>
  url
    .trim()
    .replace(UNSAFE, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
    .replace(/&(?=#?\w+;)/g, '&amp;')
