import { MAX_COUNTED } from '../../contract/search'
import type { Direction } from '../../contract/shapes'
import { opposite } from '../../domain/lists/paging'
import type { Reader } from '../engines/db'
import { searchIndexOf } from '../engines/search'
import type { Match, MatchQuery } from '../engines/search/search-index'
import { findInTitle } from './texts'

/** A match. Among the newest ones, matches with all words in the title come first. */
export interface Hit extends Match {
  isInTitle: boolean
}

/** A position among the results. A key that no match has is between two. */
export interface HitPosition {
  isInTitle: boolean
  key: number
  /** Whether a match at this position counts. */
  inclusive: boolean
  /**
   * The keys of the matches that come first for their title: all of them; when reading from the newest on, only the ones before this position.
   * Titles and the newest matches change while someone reads page after page; a record that was returned as a match of the title
   * stays one. Undefined if not known.
   */
  titles?: Titles
}

export type Titles = ReadonlySet<number>

export interface HitSlice {
  /** Whether matches of the title come first. Otherwise the order is that of time. */
  byTitle: boolean
  /** The direction of the list. */
  direction: Direction
  scan: Direction
  limit: number
  start?: HitPosition | MatchStart
}

/** After the match with this key, if there is one. */
export interface MatchStart {
  matchKey: number
}

export interface FoundHits {
  /** At most one more than the limit. */
  hits: Hit[]
  /** There are others on the other side of the start. */
  behind: boolean
  total: number
  /** Where the slice starts; undefined if it was to start after a match that is not among the results. */
  start?: HitPosition
  /** The matches before the start, and the ones that were found. */
  titles: Titles
}

export type HitQuery = Omit<MatchQuery, 'scan' | 'limit'>

const NO_TITLES: Titles = new Set()

/** What the parts of a search share: the query, and the newest matches, one more than are counted. */
interface Search {
  db: Reader
  query: HitQuery
  newest: readonly Match[]
}

/**
 * A slice of what matches, and how many match in all, up to one more than is counted. As many as are counted are ordered by
 * their title; if there are more, the older ones follow in the order of time: so much is read at most, however many match.
 */
export async function findHits(db: Reader, query: HitQuery, request: HitSlice): Promise<FoundHits> {
  const newest = await findMatches(db, query, 'desc', MAX_COUNTED + 1)
  const total = newest.length
  const nothing = { hits: [], behind: false, total, titles: NO_TITLES }
  if (total === 0) return nothing
  const search = { db, query, newest }
  const start = await findStart(search, request)
  if (request.start && !start) return nothing
  const { direction, scan, limit, byTitle } = request
  const known = start?.titles ?? (scan === 'asc' && byTitle ? await findTitles(search) : NO_TITLES)
  // From the newest on, the titles are known once they have been passed.
  const isOpen = byTitle && direction === 'desc' && (start === undefined || start.isInTitle)
  const ahead = await readHits(search, scan, start, known, isOpen, limit + 1)
  const behind = start && (await readHits(search, opposite(scan), flip(start), known, isOpen, 1)).length > 0
  const titles = new Set([...known, ...ahead.filter(({ isInTitle }) => isInTitle).map(({ key }) => key)])
  return { hits: ahead, behind: behind ?? false, total, start, titles }
}

const findMatches = (db: Reader, query: HitQuery, scan: Direction, limit: number): Promise<Match[]> =>
  searchIndexOf(db).find(db, { ...query, scan, limit })

/** Whether there is anything to find. */
export const hasHit = async (db: Reader, query: HitQuery): Promise<boolean> =>
  (await findMatches(db, query, 'desc', 1)).length > 0

/** The titles that a cursor at this hit has to know. */
export const titlesBefore = (
  { isInTitle, key }: Pick<Hit, 'isInTitle' | 'key'>,
  direction: Direction,
  titles: Titles,
) => (isInTitle && direction === 'desc' ? new Set([...titles].filter((title) => title >= key)) : titles)

const flip = (start: HitPosition): HitPosition => ({ ...start, inclusive: !start.inclusive })

/** Where a slice starts, with the titles that are known there: as they are now, if the cursor does not say. */
async function findStart(
  search: Search,
  { start, byTitle, direction }: Pick<HitSlice, 'start' | 'byTitle' | 'direction'>,
): Promise<HitPosition | undefined> {
  if (!start) return undefined
  const isMatchStart = 'matchKey' in start
  if (isMatchStart && !(await isMatch(search, start.matchKey))) return undefined
  if (!byTitle) return isMatchStart ? { isInTitle: false, key: start.matchKey, inclusive: false } : start
  if (!isMatchStart && start.titles) return start
  const titles = await findTitles(search)
  const position = isMatchStart
    ? { isInTitle: titles.has(start.matchKey), key: start.matchKey, inclusive: false }
    : { ...start }
  return { ...position, titles: titlesBefore(position, direction, titles) }
}

async function isMatch({ db, query, newest }: Search, key: number): Promise<boolean> {
  if (newest.some((match) => match.key === key)) return true
  const { from = -Infinity, to = Infinity } = query
  // It may be older than the newest.
  return from <= key && key <= to && hasHit(db, { ...query, from: key, to: key })
}

/** The keys of the newest matches that have all words in the title. */
const findTitles = ({ db, query, newest }: Search): Promise<Titles> =>
  findInTitle(db, query.terms, newest.slice(0, MAX_COUNTED), Infinity)

/** Up to `wanted` hits from a position on, or from the beginning of the scan. */
async function readHits(
  search: Search,
  scan: Direction,
  start: HitPosition | undefined,
  titles: Titles,
  isOpen: boolean,
  wanted: number,
): Promise<Hit[]> {
  const inText = start?.isInTitle ? undefined : start
  if (scan === 'asc') {
    const texts = start?.isInTitle ? [] : await readTexts(search, scan, inText, titles, wanted)
    if (texts.length === wanted) return texts.map(toTextHit)
    const rest = await readTitles(search, scan, start, titles, wanted - texts.length)
    return [...texts.map(toTextHit), ...rest.map(toTitleHit)]
  }
  const first = inText
    ? []
    : await (isOpen ? findNewTitles(search, start, titles, wanted) : readTitles(search, scan, start, titles, wanted))
  if (first.length === wanted) return first.map(toTitleHit)
  const passed = new Set([...titles, ...first.map(({ key }) => key)])
  const rest = await readTexts(search, scan, inText, passed, wanted - first.length)
  return [...first.map(toTitleHit), ...rest.map(toTextHit)]
}

const toTextHit = (match: Match): Hit => ({ ...match, isInTitle: false })
const toTitleHit = (match: Match): Hit => ({ ...match, isInTitle: true })

/** The newest matches after a position that have all words in the title now, and no more than wanted. */
async function findNewTitles(
  { db, query, newest }: Search,
  start: HitPosition | undefined,
  titles: Titles,
  wanted: number,
) {
  const candidates = newest.slice(0, MAX_COUNTED).filter(isBeyond('desc', start))
  const most = Math.min(wanted, MAX_COUNTED - titles.size)
  if (most <= 0) return []
  const found = await findInTitle(db, query.terms, candidates, most)
  return candidates.filter(({ key }) => found.has(key)).slice(0, most)
}

/** The matches that come first for their title, from a position on, if they still match. */
async function readTitles(
  { db, query, newest }: Search,
  scan: Direction,
  start: HitPosition | undefined,
  titles: Titles,
  wanted: number,
): Promise<Match[]> {
  const isAhead = isBeyond(scan, start?.isInTitle ? start : undefined)
  const keys = new Set([...titles].filter((key) => isAhead({ key })))
  const isWanted = ({ key }: Match) => keys.has(key)
  const oldestKey = oldestOf(newest)
  // Some may no longer be among the newest.
  const range = rangeOf(
    [...keys].filter((key) => key < oldestKey),
    query,
  )
  const older = await readInSteps(db, { ...query, ...range }, scan, isWanted, wanted)
  const known = newest.filter(isWanted)
  return (scan === 'desc' ? [...known, ...older] : [...older, ...known.reverse()]).slice(0, wanted)
}

const rangeOf = (keys: readonly number[], { from = -Infinity, to = Infinity }: HitQuery) => ({
  from: Math.max(
    from,
    keys.reduce((least, key) => Math.min(least, key), Infinity),
  ),
  to: Math.min(
    to,
    keys.reduce((greatest, key) => Math.max(greatest, key), -Infinity),
  ),
})

/** The matches of a range that are wanted, until there are enough. */
async function readInSteps(
  db: Reader,
  query: HitQuery & { from: number; to: number },
  scan: Direction,
  isWanted: (match: Match) => boolean,
  wanted: number,
): Promise<Match[]> {
  const found: Match[] = []
  let { from, to } = query
  while (from <= to && found.length < wanted) {
    const step = await findMatches(db, { ...query, from, to }, scan, MAX_COUNTED)
    found.push(...step.filter(isWanted))
    if (step.length < MAX_COUNTED) break
    if (scan === 'desc') to = step.at(-1)!.key - 1
    else from = step.at(-1)!.key + 1
  }
  return found
}

/** Matches in the order of time from a position on, without the ones that come first for their title. */
async function readTexts(
  { db, query, newest }: Search,
  scan: Direction,
  start: HitPosition | undefined,
  titles: Titles,
  wanted: number,
): Promise<Match[]> {
  const isWanted = ({ key }: Match) => !titles.has(key)
  const known = newest.filter(isBeyond(scan, start)).filter(isWanted)
  if (newest.length <= MAX_COUNTED) return (scan === 'desc' ? known : known.reverse()).slice(0, wanted)

  const oldestKey = oldestOf(newest)
  const readOlder = async (count: number) => {
    if (count <= 0 || (scan === 'asc' && start && start.key >= oldestKey)) return []
    const range = { ...query, to: Math.min(query.to ?? Infinity, oldestKey - 1) }
    const unwanted = [...titles].filter((key) => key < oldestKey).length
    return (await findMatches(db, beyond(range, scan, start), scan, count + unwanted)).filter(isWanted)
  }
  if (scan === 'desc') return [...known, ...(await readOlder(wanted - known.length))].slice(0, wanted)
  return [...(await readOlder(wanted)), ...known.reverse()].slice(0, wanted)
}

const oldestOf = (newest: readonly Match[]): number => newest.at(-1)!.key

/** Whether a key is after the start of a scan. */
const isBeyond =
  (scan: Direction, start: HitPosition | undefined) =>
  ({ key }: { key: number }): boolean => {
    if (!start) return true
    return key === start.key ? start.inclusive : scan === 'desc' ? key < start.key : key > start.key
  }

/** The keys after the start of a scan, as a range. */
function beyond(query: HitQuery, scan: Direction, start: HitPosition | undefined): HitQuery {
  if (!start) return query
  const { key, inclusive } = start
  const { from = -Infinity, to = Infinity } = query
  if (scan === 'desc') return { ...query, to: Math.min(to, inclusive ? Math.floor(key) : Math.ceil(key) - 1) }
  return { ...query, from: Math.max(from, inclusive ? Math.ceil(key) : Math.floor(key) + 1) }
}
