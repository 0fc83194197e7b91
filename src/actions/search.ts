import type { Input } from '../contract'
import { parseSearchQuery } from '../contract/browser/search-query'
import { MAX_COUNTED, type SearchPage } from '../contract/search'
import { JsonText } from '../domain/json-text'
import {
  type ListPoint,
  type ListPosition,
  type PageRequest,
  pageCursors,
  pageRequest,
  startsAtRecord,
} from '../domain/lists/paging'
import { type Terms, toTerms } from '../domain/search/terms'
import { type BuildState, findBuildState } from '../store/search/build'
import { type FoundHits, findHits, type HitSlice } from '../store/search/hits'
import { readRecords } from '../store/search/results'
import type { ReadContext } from './context'
import { resolveQuery } from './search-query'
import {
  findPosition,
  findRecord,
  MAX_SHARE,
  positionOf,
  type SearchSort,
  type ShownHit,
  suggestQuery,
  toResults,
} from './search-results'

const NOTHING: FoundHits = { hits: [], behind: false, total: 0, titles: new Set() }

export async function list(context: ReadContext, input: Input<'search.list'>): Promise<JsonText<SearchPage>> {
  const { db } = context
  const request = pageRequest<SearchSort>(listNameOf(input), input, {
    sorts: ['relevance', 'created_at'],
    direction: 'desc',
  })
  const q = input.q ?? ''
  const parts = parseSearchQuery(q)
  const terms = toTerms(parts)
  const [before, query] = await Promise.all([findBuildState(db), resolveQuery(context, input, parts, terms)])
  const record = startsAtRecord(request.from) ? await findRecord(context, request.from) : undefined
  const start = record ? { matchKey: record.key } : await findStart(context, request, before)
  const started = performance.now()
  const found = query ? await findHits(db, query, sliceOf(request, terms, start)) : NOTHING
  const maxMs = MAX_SHARE * context.searchBudget
  const isQuick = performance.now() - started < maxMs
  const from =
    record && found.start && pointAt(positionOf({ ...request, ...found, index: before }, found.start, record))

  // Not every engine reads all as of one moment: the build may have begun or ended meanwhile.
  const isBuilt = before.isBuilt && (await findBuildState(db)).isBuilt
  if (!isBuilt) context.volatile()
  const { data, cursors } = await toPage(context, { ...request, index: before }, terms, found, from)
  const rest: Omit<SearchPage, 'data'> = {
    ...cursors,
    total_count: Math.min(found.total, MAX_COUNTED),
    total_is_capped: found.total > MAX_COUNTED,
    is_incomplete: !isBuilt,
    did_you_mean: query && isQuick && found.total === 0 ? await suggestQuery(db, query, q, parts, maxMs) : null,
  }
  return new JsonText(joinPage(data, rest), cursors)
}

/** Each result is on a line of its own, as in all lists. */
function joinPage(results: readonly Buffer[], rest: object): Buffer<ArrayBuffer> {
  const tail = Buffer.from(`],${JSON.stringify(rest).slice(1)}`)
  return Buffer.concat([OPENING, ...results.flatMap((result, at) => (at === 0 ? [result] : [SEPARATOR, result])), tail])
}

const OPENING = Buffer.from('{"data":[')
const SEPARATOR = Buffer.from(',\n')

/** The name of the list that a cursor belongs to: all that selects results, but not the page. */
function listNameOf({ after: _, limit, sort, direction, ...filters }: Input<'search.list'>): string {
  return `search.list ${JSON.stringify(Object.entries(filters).sort())}`
}

const findStart = async (context: ReadContext, { sort, from }: PageRequest<SearchSort>, index: BuildState) =>
  from && !startsAtRecord(from) ? findPosition(context, sort, from, index) : undefined

function sliceOf(request: PageRequest<SearchSort>, { all }: Terms, start: HitSlice['start']): HitSlice {
  const { sort, direction, scan, limit } = request
  // Without words that could be in a title, the order is that of time.
  const byTitle = sort === 'relevance' && all.length > 0
  return { byTitle, direction, scan, limit, start }
}

const pointAt = ({ at, tie }: ListPosition): ListPoint => ({ at, id: tie, inclusive: false })

async function toPage(
  { db, viewer, links }: ReadContext,
  request: PageRequest<SearchSort> & { index: BuildState },
  terms: Terms,
  { hits, behind, titles }: FoundHits,
  from: ListPoint | undefined,
) {
  const recordOf = await readRecords(db, viewer, links.base, hits)
  const known = hits.flatMap((hit) => {
    const found = recordOf(hit)
    return found ? [{ hit, found }] : []
  })
  const shown = known.slice(0, request.limit)
  if (request.way === 'prev') shown.reverse()
  // If all that was found has been deleted since, there is no record to continue from.
  const ahead = hits.length > request.limit && shown.length > 0
  const position = (row: ShownHit | undefined) => row && positionOf({ ...request, titles }, row.hit, row.found)
  return {
    data: await toResults(links, terms, shown),
    cursors: pageCursors(request, { ahead, behind, from }, position(shown[0]), position(shown.at(-1))),
  }
}
