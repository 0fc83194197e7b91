import { PAGE_SIZE } from '../../contract/browser/constants'
import { notFound, Problem } from '../../contract/errors'
import type { Direction, Page } from '../../contract/shapes'
import { isTypeId } from '../ids'
import { type Cursor, decodeCursor, encodeCursor, type SortKey } from './cursor'

/** Which records of a list to read, and in which order to scan for them. */
export interface Slice<Sort extends string = string> {
  sort: Sort
  /** The direction of the scan. Reversed when reading backwards. */
  scan: Direction
  limit: number
  from?: ListPoint | RecordStart
}

/** A point in a list, next to a record that may be gone. */
export interface ListPoint {
  at: SortKey
  id: string
  /** Whether the record at this point is included. */
  inclusive: boolean
}

/** A slice that starts after a record of the list, or, if it is centred, so that the record is in its middle. */
export interface RecordStart {
  record: string
  isCentred: boolean
}

/** A slice whose start is known. */
export interface LocatedSlice<Sort extends string = string> extends Slice<Sort> {
  from?: ListPoint
}

/** A slice starts at a record whose position in the list has to be looked up. */
export const startsAtRecord = (from: Slice['from']): from is RecordStart => from !== undefined && 'record' in from

/** The position of a row in its list: its sort key, and the id that breaks ties. */
export interface ListPosition {
  at: SortKey
  tie: string
}

/** What a scan found: at most `limit + 1` rows, and whether there is anything on the other side of its start. */
export interface Found<Row> {
  rows: Row[]
  behind: boolean
  /** Where the scan started, if that had to be looked up. */
  from?: ListPoint
}

/** The same as JSON: the start of a page up to its last record. */
export interface FoundPage {
  json: Uint8Array<ArrayBuffer>
  /** Where the last record of the page ends. What follows is one record more, if there is one, and may be overwritten. */
  end: number
  first: ListPosition | undefined
  last: ListPosition | undefined
  /** More follow in the direction of the scan. */
  ahead: boolean
  behind: boolean
  from?: ListPoint
  /** The revision of the workspace that the statement read. */
  revision: number
}

export interface PageRequest<Sort extends string> extends Slice<Sort> {
  list: string
  direction: Direction
  way: 'next' | 'prev'
}

interface ListInput<Sort extends string> {
  after?: string
  around?: string
  limit?: number
  sort?: Sort
  direction?: Direction
}

/**
 * What the caller requested, from its query. `list` names the list with its path and filters; of the sorts the first is
 * the default.
 */
export function pageRequest<Sort extends string>(
  list: string,
  input: ListInput<Sort>,
  options: { sorts: readonly Sort[]; direction: Direction },
): PageRequest<Sort> {
  const limit = input.limit ?? PAGE_SIZE
  const start = readStart(list, input, options.sorts)
  const cursor = start && 'way' in start ? start : undefined
  const direction = cursor?.direction ?? input.direction ?? options.direction
  const way = cursor?.way ?? 'next'
  return {
    list,
    limit,
    way,
    direction,
    sort: (cursor?.sort as Sort | undefined) ?? input.sort ?? options.sorts[0]!,
    scan: way === 'next' ? direction : opposite(direction),
    from: cursor ? { at: cursor.at, id: cursor.id, inclusive: cursor.inclusive } : (start as RecordStart | undefined),
  }
}

export const opposite = (direction: Direction): Direction => (direction === 'asc' ? 'desc' : 'asc')

/** Where the page starts: by a cursor, after a record, or around one. */
function readStart(list: string, input: ListInput<string>, sorts: readonly string[]): Cursor | RecordStart | undefined {
  const { after, around } = input
  if (around !== undefined && after !== undefined) {
    const message = 'Cannot be combined with `after`.'
    throw new Problem('invalid_input', `around: ${message}`, [{ in: 'query', name: 'around', message }])
  }
  if (around !== undefined) return { record: around, isCentred: true }
  if (after === undefined) return undefined
  return isTypeId(after) ? { record: after, isCentred: false } : readCursor(list, after, input, sorts)
}

function readCursor(list: string, after: string, input: ListInput<string>, sorts: readonly string[]): Cursor {
  const cursor = decodeCursor(list, after)
  if (!cursor || !sorts.includes(cursor.sort))
    throw invalidCursor('It was altered, or belongs to another list or other filters.')
  if (input.sort !== undefined && input.sort !== cursor.sort)
    throw invalidCursor(`It was made with sort=${cursor.sort}; leave \`sort\` out or send the same.`)
  if (input.direction !== undefined && input.direction !== cursor.direction)
    throw invalidCursor(`It was made with direction=${cursor.direction}; leave \`direction\` out or send the same.`)
  return cursor
}

export const invalidCursor = (why: string) =>
  new Problem('invalid_cursor', `The cursor in \`after\` is not valid here. ${why}`, [
    { in: 'query', name: 'after', message: why },
  ])

/** The record that a slice was to start at is not in the list, or not for this viewer: nobody learns which. */
export const unknownRecord = ({ isCentred }: RecordStart) =>
  isCentred ? notFound('record in this list') : invalidCursor('There is no such record in this list.')

/** A page of what was found. It has the order of the list, also when it was read backwards. */
export function toPage<Row extends ListPosition, Record>(
  request: PageRequest<string>,
  found: Found<Row>,
  total_count: number,
  toRecord: (row: Row) => Record,
): Page<Record> {
  const ahead = found.rows.length > request.limit
  const rows = ahead ? found.rows.slice(0, request.limit) : found.rows
  if (request.way === 'prev') rows.reverse()

  const cursors = pageCursors(request, { ...found, ahead }, rows[0], rows.at(-1))
  return { data: rows.map(toRecord), total_count, ...cursors }
}

/** The cursors of a page from its first and its last row, if it has any, and what its scan found around them. */
export function pageCursors(
  request: PageRequest<string>,
  { ahead, behind, from }: { ahead: boolean; behind: boolean; from?: ListPoint },
  first: ListPosition | undefined,
  last: ListPosition | undefined,
) {
  const start = startsAtRecord(request.from) ? from : request.from
  // A list without any records was not even scanned.
  if (startsAtRecord(request.from) && !start) throw unknownRecord(request.from)
  const [hasPrev, hasNext] = request.way === 'next' ? [behind, ahead] : [ahead, behind]
  return {
    next_cursor: hasNext ? cursorAt(request, 'next', start, last) : null,
    prev_cursor: hasPrev ? cursorAt(request, 'prev', start, first) : null,
  }
}

function cursorAt(
  { list, sort, direction }: PageRequest<string>,
  way: 'next' | 'prev',
  from: ListPoint | undefined,
  row?: ListPosition,
): string {
  // An empty page has no row to start from. Its neighbour is on the other side of where this scan started.
  const start = row ? { at: row.at, id: row.tie, inclusive: false } : { ...from!, inclusive: !from!.inclusive }
  return encodeCursor(list, { way, sort, direction, ...start })
}
