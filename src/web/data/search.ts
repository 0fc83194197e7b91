import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { fold, foldLetters } from '../../contract/browser/fold'
import {
  type Operator,
  parseSearchQuery,
  type QueryOperator,
  unspacedScripts,
} from '../../contract/browser/search-query'
import type { SearchPage, SearchResult, SearchSubject } from '../../contract/search'
import type { Author } from '../../contract/shapes'
import { paths } from '../paths'
import { usePages } from './cache/pages'
import { parley } from './cache/parley'
import { createStoredValue } from './cache/storage'

export interface Search {
  q: string
  sort: 'relevance' | 'created_at'
}

/** The results within one post or thread. */
export interface ResultGroup {
  id: string
  subject: SearchSubject
  results: SearchResult[]
}

type GroupPage = Omit<SearchPage, 'data'> & { data: ResultGroup[] }

const SEARCH = ['search']
export const searchKey = (search: Search) => [...SEARCH, search]

/** No event says that other records match: results are loaded again when they are shown again, not while someone reads them. */
const STALE_MS = 5_000

/** All results of a search, page by page. The previous results stay until the next ones are loaded. */
export function useResults(search: Search, from?: string) {
  const load = async (after: string | undefined, { signal }: { signal: AbortSignal }): Promise<GroupPage> => {
    const page = await parley.search.list({ ...search, ...(after && { after }) }, { signal })
    return { ...page, data: groupResults(page.data) }
  }
  const options = { from, enabled: search.q !== '', keepPrevious: true, refetchOnFocus: true, staleTime: STALE_MS }
  const found = usePages<ResultGroup, GroupPage>(searchKey(search), load, options)
  return { ...found, records: mergeGroups(found.records) }
}

const MAX_QUICK_RESULTS = 12

/** The best results, for the palette. */
export const useQuickResults = (q: string) =>
  useQuery({
    queryKey: [...SEARCH, 'quick', q],
    queryFn: ({ signal }) => parley.search.list({ q, limit: MAX_QUICK_RESULTS }, { signal }),
    enabled: q !== '',
    placeholderData: keepPreviousData,
    gcTime: 60_000,
  })

const groupResults = (results: SearchResult[]): ResultGroup[] =>
  mergeGroups(results.map((result) => ({ id: result.subject.id, subject: result.subject, results: [result] })))

/** Puts the results of the same post or thread where the first of them is. */
function mergeGroups(groups: ResultGroup[]): ResultGroup[] {
  const merged = new Map<string, ResultGroup>()
  for (const group of groups) {
    const known = merged.get(group.id)
    merged.set(group.id, known ? { ...known, results: [...known.results, ...group.results] } : group)
  }
  return [...merged.values()]
}

/** What was found. */
export function getRecord(result: SearchResult): { id: string; author: Author; created_at: string } {
  if (result.type === 'post') return result.post
  return result.type === 'comment' ? result.comment : result.message
}

/** The page that shows a result in its context. */
export function getResultPath(result: SearchResult): string {
  const { id } = result.subject
  if (result.type === 'post') return paths.post(id)
  return result.type === 'comment' ? paths.post(id, result.comment.id) : paths.thread(id, result.message.id)
}

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

/** What the member searched for on this device, latest first. */
const searches = createStoredValue<string[]>('searches', [])
const MAX_SEARCHES = 10

export const useRecentSearches = () => useSyncExternalStore(searches.subscribe, searches.get)

export function rememberSearch(q: string) {
  const text = q.trim()
  if (text) searches.set([text, ...without(text)].slice(0, MAX_SEARCHES))
}

export const forgetSearch = (q: string) => searches.set(without(q))
export const clearSearches = () => searches.set([])

const without = (q: string) => searches.get().filter((other) => fold(other) !== fold(q))

type Range = [from: number, to: number]

/** A text without case and accents, and where each of its characters was. */
interface Folded {
  plain: string
  starts: number[]
  length: number
}

function foldWithPositions(text: string): Folded {
  let plain = ''
  const starts: number[] = []
  let at = 0
  for (const letter of text) {
    const part = foldLetters(letter)
    for (let unit = 0; unit < part.length; unit++) starts.push(at)
    plain += part
    at += letter.length
  }
  return { plain, starts, length: at }
}

/** The range in the original text. */
function toRange({ starts, length }: Folded, from: number, to: number): Range {
  const end = starts.slice(to).find((start) => start > starts[to - 1]!)
  return [starts[from]!, end ?? length]
}

/** Finds a query in a text, ignoring case and accents as the server does. Returns its range in the text. */
export function findMatch(text: string, query: string): Range | undefined {
  const folded = fold(query)
  if (!folded) return undefined
  const within = foldWithPositions(text)
  const found = within.plain.indexOf(folded)
  return found < 0 ? undefined : toRange(within, found, found + folded.length)
}

/** Finds every occurrence of a folded text. */
function findAll(text: string, folded: string): Range[] {
  const within = foldWithPositions(text)
  const found: Range[] = []
  for (let at = within.plain.indexOf(folded); at >= 0; at = within.plain.indexOf(folded, at + folded.length))
    found.push(toRange(within, at, at + folded.length))
  return found
}

interface Word {
  folded: string
  isPrefix: boolean
}

const WORDS = /[\p{L}\p{M}\p{N}]+/gu
const UNSPACED = new RegExp(`[${unspacedScripts.map((script) => `\\p{scx=${script}}`).join('')}]`, 'u')

/** The words that a query looks for. */
export const listQueryWords = (q: string): Word[] =>
  parseSearchQuery(q).flatMap((part) => {
    if (part.kind !== 'words' || part.isExcluded) return []
    const words = fold(part.text).match(WORDS) ?? []
    return words.map((folded, at) => ({ folded, isPrefix: part.isPrefix && at === words.length - 1 }))
  })

/** Finds words in a text, ignoring case and accents as the server does. */
export const findWords = (text: string, words: Word[]): Range[] =>
  [...text.matchAll(WORDS)].flatMap(({ 0: run, index }) => {
    const folded = fold(run)
    return words.flatMap((word): Range[] => {
      if (UNSPACED.test(word.folded)) return findAll(run, word.folded).map(([from, to]) => [index + from, index + to])
      const isFound = word.isPrefix ? folded.startsWith(word.folded) : folded === word.folded
      return isFound ? [[index, index + run.length]] : []
    })
  })
