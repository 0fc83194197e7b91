/** A part of a file; `end` is exclusive. */
export interface ByteRange {
  start: number
  end: number
}

/**
 * The range that a `Range` header asks for. Returns undefined for the whole file: if there is no header, if it is not valid, or if
 * it has several ranges, as RFC 9110 allows. Returns null if the file does not have this range.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | undefined | null {
  const [, first, last] = header?.match(/^bytes=(\d{0,15})-(\d{0,15})$/i) ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length > 0 ? { start: size - length, end: size } : null
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return undefined
  if (start >= size) return null
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) }
}
