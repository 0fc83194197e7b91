import { Problem } from '../contract/errors'
import { type Direction, PAGE_SIZE, type Page } from '../contract/page'
import { type Cursor, decodeCursor, encodeCursor, type SortKey } from './cursor'

/** Which records of a list to read, and in which order to scan for them. */
export interface Slice<Sort extends string = string> {
  sort: Sort
  /** The direction of the scan. Reversed when reading backwards. */
  scan: Direction
  limit: number
  from?: { at: SortKey; id: string; inclusive: boolean }
}

/** The position of a row in its list: its sort key, and the id that breaks ties. */
export interface ListPosition {
  at: SortKey
  tie: string
}

/** What a scan found: at most `limit + 1` rows, and whether there is anything on the other side of its start. */
export interface Found<Row> {
  rows: Row[]
  behind: boolean
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
  const cursor = input.after === undefined ? undefined : readCursor(list, input.after, input, options.sorts)
  const direction = cursor?.direction ?? input.direction ?? options.direction
  const way = cursor?.way ?? 'next'
  return {
    list,
    limit,
    way,
    direction,
    sort: (cursor?.sort as Sort | undefined) ?? input.sort ?? options.sorts[0]!,
    scan: way === 'next' ? direction : opposite(direction),
    from: cursor && { at: cursor.at, id: cursor.id, inclusive: cursor.inclusive },
  }
}

export const opposite = (direction: Direction): Direction => (direction === 'asc' ? 'desc' : 'asc')

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

  const cursors = pageCursors(request, { ahead, behind: found.behind }, rows[0], rows.at(-1))
  return { data: rows.map(toRecord), total_count, ...cursors }
}

/** The cursors of a page from its first and its last row, if it has any, and what its scan found around them. */
export function pageCursors(
  request: PageRequest<string>,
  { ahead, behind }: { ahead: boolean; behind: boolean },
  first: ListPosition | undefined,
  last: ListPosition | undefined,
) {
  const [hasPrev, hasNext] = request.way === 'next' ? [behind, ahead] : [ahead, behind]
  return {
    next_cursor: hasNext ? cursorAt(request, 'next', last) : null,
    prev_cursor: hasPrev ? cursorAt(request, 'prev', first) : null,
  }
}

function cursorAt(request: PageRequest<string>, way: 'next' | 'prev', row?: ListPosition): string {
  const { list, sort, direction, from } = request
  // An empty page has no row to start from. Its neighbour is on the other side of where this scan started.
  const start = row ? { at: row.at, id: row.tie, inclusive: false } : { ...from!, inclusive: !from!.inclusive }
  return encodeCursor(list, { way, sort, direction, ...start })
}
