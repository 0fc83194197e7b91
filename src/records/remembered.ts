import type { Page } from '../contract/page'
import { type PageRequest, pageCursors } from '../domain/paging'
import type { Viewer } from '../domain/permissions'
import type { Reader } from '../store/db'
import type { ListedKeys } from '../store/filtered'
import { listKeys, type Ranges } from '../store/keyset'
import type { Links } from './links'
import { END, type List, type ListName } from './lists'
import { Recall } from './memory'
import type { Kind, Passage, Sheet } from './shelf'
import { type Written, writtenPage } from './written'

/** What is needed to answer from memory, and from the database where that does not do. */
interface Remembering {
  db: Reader
  viewer: Viewer
  links: Links
  revision: number
  memory: Recall
}

/** How records of a kind are read, written out, and remembered. */
export interface Remembered<Row, Record extends object> {
  kind: Kind
  find(db: Reader, keys: readonly number[]): Promise<Row[]>
  keyOf(row: Row): number
  toRecord(links: Links, row: Row): Record & { id: string }
  /** What is remembered besides the record: what its lists are sorted by, at least. */
  factsOf(row: Row): Sheet['facts']
}

/** Writes a record out, and keeps it for whoever asks for it again. */
export function remember<Row, Record extends object>(
  { links, memory }: Remembering,
  { kind, keyOf, toRecord, factsOf }: Remembered<Row, Record>,
  row: Row,
): Sheet {
  const record = toRecord(links, row)
  return memory.keep({ kind, key: keyOf(row), id: record.id, facts: factsOf(row) }, record)
}

/** A list that pages are asked of. */
export interface Listing {
  name: ListName
  /** Where the database finds it. */
  ranges(): Ranges
  total: number
}

/** A page from memory alone; undefined where the database has to be asked. */
export function recalledPage<T>(
  memory: Recall,
  { name, total }: Omit<Listing, 'ranges'>,
  request: PageRequest<string>,
) {
  const listed = recalledKeys(memory, name, request)
  return listed && recalledSheets<T>(memory, name.kind, { ...listed, total }, request)
}

/** The same for a list of which it is known already what is on the page. */
export function recalledSheets<T>(memory: Recall, kind: Kind, listed: ListedKeys, request: PageRequest<string>) {
  const { ahead, keys } = shownOf(listed.keys, request)
  const passages = memory.passages(kind, keys)
  if (!passages) return undefined
  const ends = [keys[0], keys.at(-1)].map((key) => (key === undefined ? undefined : memory.withKey(kind, key)))
  return pageOf<T>(passages, ends, request, { ahead, behind: listed.behind }, listed.total)
}

/** A page of a list of which it is known already what is on it. */
export async function listedPage<Row, Record extends object>(
  context: Remembering,
  remembered: Remembered<Row, Record>,
  listed: ListedKeys,
  request: PageRequest<string>,
): Promise<Written<Page<Record>>> {
  const { ahead, keys } = shownOf(listed.keys, request)
  const sheets = await sheetsOf(context, remembered, keys)
  return pageOf(sheets, endsOf(sheets), request, { ahead, behind: listed.behind }, listed.total)
}

/**
 * One page of a list: memory or the database says which records are on it, memory what they are. Those that are not
 * remembered are read in one further statement. Undefined if the workspace has moved on since the request came in: then
 * what was taken from memory does not go with what the database says.
 */
export async function rememberedPage<Row, Record extends object>(
  context: Remembering,
  remembered: Remembered<Row, Record>,
  { name, ranges, total }: Listing,
  request: PageRequest<string>,
): Promise<Written<Page<Record>> | undefined> {
  const { memory } = context
  const recalled = recalledKeys(memory, name, request)
  const listed = recalled ?? (await foundKeys(context, ranges(), name, request))
  if (!listed) return undefined

  const { keys, ahead } = shownOf(listed.keys, request)
  const sheets = await sheetsOf(context, remembered, keys)
  // All of them gone between the two statements, as when a backup is restored: whoever asks looks again.
  if (sheets.length === 0 && keys.length > 0) return undefined
  if (!recalled) keepOrder(memory, name, request, listed.keys, sheets)
  return pageOf<Page<Record>>(sheets, endsOf(sheets), request, { ahead, behind: listed.behind }, total)
}

/** In the order of the scan: one more than the page holds, where there are more. */
type Scanned = Pick<ListedKeys, 'keys' | 'behind'>

function recalledKeys(memory: Recall, name: ListName, request: PageRequest<string>): Scanned | undefined {
  const list = memory.list(name)
  const start = list && startOf(memory, list, request)
  if (start === undefined) return undefined
  const keys = list!.from(start, request.scan, request.limit + 1)
  // Where the scan starts after a record, that one is behind it.
  return keys && { keys, behind: start !== END }
}

/** The record of the list that the scan starts after, where it is still in its place. */
function startOf(memory: Recall, list: List, { from, sort }: PageRequest<string>): number | undefined {
  if (!from) return END
  const sheet = from.inclusive ? undefined : memory.withId(from.id)
  return sheet && sheet.facts[sort] === from.at && list.has(sheet.key) ? sheet.key : undefined
}

async function foundKeys(
  { db, viewer, memory, revision }: Remembering,
  ranges: Ranges,
  { kind }: ListName,
  request: PageRequest<string>,
) {
  const listed = await listKeys(db, kind, viewer.workspace.key, ranges, request)
  return listed.revision === revision || memory === Recall.none ? listed : undefined
}

/** Keeps which record follows which, for whoever asks for this part of the list again. */
function keepOrder(
  memory: Recall,
  name: ListName,
  request: PageRequest<string>,
  keys: readonly number[],
  sheets: readonly Sheet[],
) {
  const { scan, sort, limit } = request
  const list = memory.list(name)
  const start = request.from ? list && startOf(memory, list, request) : END
  const hasMore = keys.length > limit
  const run = [...(start === undefined ? [] : [start]), ...keys, ...(hasMore ? [] : [END])]
  // One more was found than is shown; where later ones come last, nobody has looked how much later it is.
  const latest =
    hasMore && scan === 'asc' ? Number.POSITIVE_INFINITY : Math.max(...sheets.map(({ facts }) => facts[sort]!))
  memory.link(name, run, scan, latest)
}

/** What is on the page, in the order of the list. */
function shownOf(found: readonly number[], { limit, way }: PageRequest<string>) {
  const ahead = found.length > limit
  const keys = ahead ? found.slice(0, limit) : found
  return { ahead, keys: way === 'prev' ? keys.toReversed() : keys }
}

type Ends = readonly (Sheet | undefined)[]

const endsOf = (sheets: readonly Sheet[]): Ends => [sheets[0], sheets.at(-1)]

function pageOf<T>(
  records: readonly Passage[],
  [first, last]: Ends,
  request: PageRequest<string>,
  around: { ahead: boolean; behind: boolean },
  total_count: number,
): Written<T> {
  const placeOf = (sheet: Sheet | undefined) => sheet && { at: sheet.facts[request.sort]!, tie: sheet.id }
  const cursors = pageCursors(request, around, placeOf(first), placeOf(last))
  return writtenPage<T>(records, { total_count, ...cursors })
}

async function sheetsOf<Row, Record extends object>(
  context: Remembering,
  remembered: Remembered<Row, Record>,
  keys: readonly number[],
): Promise<Sheet[]> {
  const sheets = keys.map((key) => context.memory.withKey(remembered.kind, key))
  const missing = keys.filter((_, at) => sheets[at] === undefined)
  if (missing.length === 0) return sheets as Sheet[]

  const rows = await remembered.find(context.db, missing)
  const read = new Map(rows.map((row) => [remembered.keyOf(row), remember(context, remembered, row)]))
  // On PostgreSQL a record may have gone between the two statements; then it is not on the page.
  return keys.map((key, at) => sheets[at] ?? read.get(key)).filter((sheet) => sheet !== undefined)
}
