import type { Direction } from '../../contract/page'
import { MAX_COUNTED } from '../../contract/search'
import type { Terms } from '../../domain/search/terms'
import type { Reader } from '../db'
import { searchIndexOf } from '../engines/search'
import type { Match, MatchQuery } from '../engines/search/search-index'
import { findInTitle } from './titles'

/** A match. Of the newest ones, those with all words in the title come first. */
export interface Hit extends Match {
  isInTitle: boolean
}

/** A place among the results. A key that no match has is between two. */
export interface HitPosition {
  isInTitle: boolean
  key: number
  /** Whether a match at this place counts. */
  inclusive: boolean
}

export interface HitSlice {
  /** Whether matches of the title come first. Otherwise the order is that of time. */
  byTitle: boolean
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
}

type LocatedSlice = HitSlice & { start?: HitPosition }

export type HitQuery = Omit<MatchQuery, 'scan' | 'limit'>

/**
 * A slice of what matches, and how many match in all, up to one more than is counted. As many as are counted are ordered by
 * their title; if there are more, the older ones follow in the order of time: so much is read at most, however many match.
 */
export async function findHits(db: Reader, query: HitQuery, request: HitSlice): Promise<FoundHits> {
  const newest = await findMatches(db, query, 'desc', MAX_COUNTED + 1)
  const total = newest.length
  if (total === 0) return { hits: [], behind: false, total }
  const counted = newest.slice(0, MAX_COUNTED)
  const oldestKey = counted.at(-1)!.key
  const ranked = request.byTitle ? await rankByTitle(db, query.terms, counted, request) : counted.map(toTextHit)
  const start = await findStart(db, query, ranked, request.start)
  if (request.start && !start) return { hits: [], behind: false, total }
  const slice = { ...request, start }
  const known = sliceHits(ranked, slice)
  if (total <= MAX_COUNTED) return { ...known, hits: known.hits.slice(0, slice.limit + 1), total, start }
  const older = (await findOlder(db, query, oldestKey, slice, known.hits.length)).map(toTextHit)
  const all = slice.scan === 'desc' ? [...known.hits, ...older] : [...older, ...known.hits]
  return {
    hits: all.slice(0, slice.limit + 1),
    behind: await hasOthersBehind(db, query, oldestKey, slice, known),
    total,
    start,
  }
}

const findMatches = (db: Reader, query: HitQuery, scan: Direction, limit: number): Promise<Match[]> =>
  searchIndexOf(db).find(db, { ...query, scan, limit })

/** Whether there is anything to find. */
export const hasHit = async (db: Reader, query: HitQuery): Promise<boolean> =>
  (await findMatches(db, query, 'desc', 1)).length > 0

async function findStart(
  db: Reader,
  query: HitQuery,
  ranked: readonly Hit[],
  start: HitSlice['start'],
): Promise<HitPosition | undefined> {
  if (!start || !('matchKey' in start)) return start
  const key = start.matchKey
  const hit = ranked.find((each) => each.key === key)
  if (hit) return { isInTitle: hit.isInTitle, key, inclusive: false }
  const { from = -Infinity, to = Infinity } = query
  // It may be older than those that are ranked.
  const isOlderMatch = from <= key && key <= to && (await hasHit(db, { ...query, from: key, to: key }))
  return isOlderMatch ? { isInTitle: false, key, inclusive: false } : undefined
}

const toTextHit = (match: Match): Hit => ({ ...match, isInTitle: false })

/** Matches with those of the title first. The first page needs no more of them than it shows. */
async function rankByTitle(db: Reader, terms: Terms, matches: readonly Match[], slice: HitSlice): Promise<Hit[]> {
  const wanted = slice.scan === 'desc' && !slice.start ? slice.limit + 1 : Infinity
  const keys = await findInTitle(db, terms, matches, wanted)
  const [inTitle, others] = [true, false].map((isInTitle) =>
    matches.filter(({ key }) => keys.has(key) === isInTitle).map((match) => ({ ...match, isInTitle })),
  )
  return [...inTitle!, ...others!]
}

/** What of these hits, which are in descending order, is ahead of the start, in the order of the scan. */
function sliceHits(ranked: readonly Hit[], { scan, start }: LocatedSlice): Omit<FoundHits, 'total'> {
  const isAhead = (hit: Hit) => {
    if (!start) return true
    const order = compare(hit, start)
    return order === 0 ? start.inclusive : scan === 'desc' ? order < 0 : order > 0
  }
  const ahead = ranked.filter(isAhead)
  return { hits: scan === 'desc' ? ahead : ahead.reverse(), behind: ahead.length < ranked.length }
}

const compare = (hit: Hit, start: HitPosition): number =>
  Number(hit.isInTitle) - Number(start.isInTitle) || hit.key - start.key

/** Whether a place is among the hits that are older than those that are counted. */
const isOlder = (start: HitPosition | undefined, oldestKey: number): start is HitPosition =>
  start !== undefined && !start.isInTitle && start.key < oldestKey

/** The older hits of a slice, of which this many newer ones are known already. */
async function findOlder(db: Reader, query: HitQuery, oldestKey: number, slice: LocatedSlice, knownCount: number) {
  const { scan, start, limit } = slice
  const isFromOlder = isOlder(start, oldestKey)
  // Read upwards, these come first, unless the start is after all of them; read downwards, what is known comes first.
  const wanted = limit + 1 - (scan === 'desc' ? knownCount : 0)
  if (wanted <= 0 || (scan === 'asc' && start && !isFromOlder)) return []
  const range = { ...query, to: Math.min(query.to ?? Infinity, oldestKey - 1) }
  return findMatches(db, isFromOlder ? beyond(range, scan, start) : range, scan, wanted)
}

function beyond(query: HitQuery, scan: Direction, { key, inclusive }: HitPosition): HitQuery {
  const { from = -Infinity, to = Infinity } = query
  if (scan === 'desc') return { ...query, to: Math.min(to, inclusive ? Math.floor(key) : Math.ceil(key) - 1) }
  return { ...query, from: Math.max(from, inclusive ? Math.ceil(key) : Math.floor(key) + 1) }
}

/** Whether there is anything before the start of a slice, where there are older hits. */
async function hasOthersBehind(
  db: Reader,
  query: HitQuery,
  oldestKey: number,
  { scan, start }: LocatedSlice,
  known: Omit<FoundHits, 'total'>,
): Promise<boolean> {
  if (!start) return false
  if (scan === 'desc') return known.behind
  if (!isOlder(start, oldestKey)) return true
  return hasHit(db, beyond(query, 'desc', { ...start, inclusive: !start.inclusive }))
}
