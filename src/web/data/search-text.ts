import { type Operator, parseSearchQuery, type QueryOperator } from '../../contract/browser/search-query'

interface Filter {
  name: Operator
  /** Of an operator that stands for two filters, the values of this one. */
  values?: string[]
}

/** What a search can be narrowed down by, as operators in the text. */
const filters = {
  type: { name: 'is', values: ['post', 'comment', 'message'] },
  state: { name: 'is', values: ['open', 'resolved'] },
  channel: { name: 'in' },
  author: { name: 'from' },
  after: { name: 'after' },
  before: { name: 'before' },
} satisfies Record<string, Filter>

export type FilterName = keyof typeof filters
export const filterNames = Object.keys(filters) as FilterName[]

function listOperators(q: string, filter: FilterName): QueryOperator[] {
  const { name, values }: Filter = filters[filter]
  return parseSearchQuery(q)
    .filter((part) => part.kind === 'operator')
    .filter((part) => part.name === name && !part.isExcluded && (values?.includes(part.value) ?? true))
}

/** The value of a filter in the text of a query. Several values are alternatives. */
export const readFilter = (q: string, filter: FilterName): string | undefined =>
  [...new Set(listOperators(q, filter).map(({ value }) => value))].join(', ') || undefined

/** Sets a filter in the text of a query, or removes it. */
export function writeFilter(q: string, filter: FilterName, value: string | undefined): string {
  const [first, ...others] = listOperators(q, filter)
  const text = value ? formatOperator(filters[filter].name, value) : ''
  if (!first) return value ? addOperator(q, filter, text) : q
  const changed = others.reverse().reduce((rest, part) => replacePart(rest, part, ''), q)
  return replacePart(changed, first, text)
}

export const removeFilters = (q: string) => filterNames.reduce((rest, name) => writeFilter(rest, name, undefined), q)

const QUOTES = /["“”„‟＂«»]/g

function formatOperator(name: Operator, value: string) {
  const plain = value.replace(QUOTES, ' ')
  return `${name}:${/\s/.test(plain) ? `"${plain}"` : plain}`
}

const replacePart = (q: string, { start, end }: QueryOperator, text: string) =>
  [q.slice(0, start).trim(), text, q.slice(end).trim()].filter(Boolean).join(' ')

/** Adds an operator at the end; at the start if a quotation that is still open would include it. */
function addOperator(q: string, filter: FilterName, text: string): string {
  const atEnd = `${q.trim()} ${text}`.trim()
  return listOperators(atEnd, filter).length > 0 ? atEnd : `${text} ${q.trim()}`
}

const MIN_PREFIX = 3

/** The query with its last word as a prefix, because it may not be typed to its end. */
export function completeQuery(q: string): string {
  const last = parseSearchQuery(q).at(-1)
  if (last?.kind !== 'words' || last.isPhrase || last.isExcluded || last.isPrefix || last.end !== q.length) return q
  const word = q.match(/[\p{L}\p{M}\p{N}]+$/u)?.[0] ?? ''
  return [...word].length >= MIN_PREFIX ? `${q}*` : q
}
