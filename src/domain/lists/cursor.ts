import type { Direction } from '../../contract/shapes'

export type SortKey = number | string

/** A point between two records of a list, and the direction to continue in. */
export interface Cursor {
  way: 'next' | 'prev'
  sort: string
  direction: Direction
  at: SortKey
  id: string
  /** Whether the record at this point is included. Only in the cursors of empty pages. */
  inclusive: boolean
}

/**
 * Makes a cursor opaque and bound to its list: `list` names the operation, its path and its filters,
 * and goes into the checksum, so that a cursor that was altered or sent elsewhere is not decoded.
 */
export function encodeCursor(list: string, cursor: Cursor): string {
  const { way, sort, direction, at, id, inclusive } = cursor
  const payload = JSON.stringify([way === 'next' ? 1 : 0, sort, direction === 'asc' ? 1 : 0, at, id, inclusive ? 1 : 0])
  return Buffer.from(checksum(list, payload) + payload).toString('base64url')
}

export function decodeCursor(list: string, text: string): Cursor | undefined {
  const decoded = Buffer.from(text, 'base64url')
  if (decoded.toString('base64url') !== text) return undefined
  const plain = decoded.toString()
  const payload = plain.slice(8)
  if (checksum(list, payload) !== plain.slice(0, 8)) return undefined

  const fields = parseFields(payload)
  if (!fields) return undefined
  const [next, sort, asc, at, id, inclusive] = fields
  if (typeof sort !== 'string' || !isText(id) || !isKeyOf(sort, at)) return undefined
  return {
    way: next ? 'next' : 'prev',
    sort,
    direction: asc ? 'asc' : 'desc',
    at,
    id,
    inclusive: inclusive === 1,
  }
}

function parseFields(payload: string): unknown[] | undefined {
  try {
    const fields = JSON.parse(payload)
    return Array.isArray(fields) ? fields : undefined
  } catch {
    return undefined
  }
}

/** Anyone can compute the checksum, so the content is validated too. Times, counts and ranks are numbers, all else is text. */
const isKeyOf = (sort: string, at: unknown): at is SortKey =>
  /_at$|_count$|^best_match$/.test(sort) ? Number.isSafeInteger(at) : isText(at)

const isText = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0')

/** Eight digits. It detects mistakes, not forgery. */
const checksum = (list: string, payload: string): string =>
  Bun.hash.xxHash32(`${list}\0${payload}`).toString(16).padStart(8, '0')
