import { AUDIO, SHOWN_IMAGES, VIDEOS } from '../contract/browser/file-facts'
import { withoutBidi } from '../contract/browser/fold'
import { Problem } from '../contract/errors'
import { isBlank, withoutInvisible } from './names'

const MAX_BYTES = 255

/** The name of a file as it is stored: without folders and invisible characters, at most 255 bytes of UTF-8. */
export function toFileName(given: string | undefined): string {
  const last = (given ?? '').toWellFormed().split(/[/\\]/).at(-1)!
  const visible = withoutInvisible(withoutBidi(last.replace(/[\u2028\u2029]/g, ''))).trim()
  const name = shorten(visible)
  return isBlank(name) || /^\.*$/.test(name) ? 'file' : name
}

/** Shortens a name between two characters, and keeps its extension, because it shows the type. */
function shorten(name: string): string {
  if (Buffer.byteLength(name) <= MAX_BYTES) return name
  const ending = name.match(/\.[A-Za-z0-9]{1,10}$/)?.[0] ?? ''
  let start = ''
  let bytes = ending.length
  for (const { segment } of new Intl.Segmenter().segment(name.slice(0, name.length - ending.length))) {
    bytes += Buffer.byteLength(segment)
    if (bytes > MAX_BYTES) break
    start += segment
  }
  return (start + ending).trim()
}

/** Types that browsers show or play, and that cannot run code. Everything else is an attachment. */
const INLINE = new Set([...SHOWN_IMAGES, ...VIDEOS, ...AUDIO])

/** Headers with which a browser can only show, play or save a file. */
export const contentHeaders = (name: string, contentType: string, isDownload: boolean): Record<string, string> => ({
  'Content-Disposition': disposition(!isDownload && INLINE.has(contentType) ? 'inline' : 'attachment', name),
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'private, no-cache',
  'Accept-Ranges': 'bytes',
})

/** The header of RFC 6266. A name that is not plain ASCII is also encoded as RFC 8187 says. */
export function disposition(type: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  if (plain === name) return `${type}; filename="${plain}"`
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${type}; filename="${plain}"; filename*=UTF-8''${encoded}`
}

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

/** Bytes that are stored under the name `object`. */
export interface StoredBytes {
  size: number
  /** SHA-256. */
  hash: string
  object: string
}

/** An upload whose bytes are stored. */
export interface ReceivedFile extends StoredBytes {
  name: string
  contentType: string
  width: number | null
  height: number | null
}

/** Throws if this many more bytes would exceed the quota of the workspace. */
export function requireRoom({ quotaBytes }: FileLimits, usedBytes: number, bytes: number) {
  if (quotaBytes === null || usedBytes + bytes <= quotaBytes) return
  const left = Math.max(0, quotaBytes - usedBytes)
  throw new Problem(
    'quota_exceeded',
    `The files of the workspace can take up to ${quotaBytes} bytes, and only ${left} are left. Delete files that nobody needs, or ask the operator to raise the limit.`,
    undefined,
    // The rest of the body will not be read.
    { Connection: 'close' },
  )
}

/** As in settings, and where progress is shown. */
export const MEGABYTE = 1_000_000

/** The limits that the operator has set. */
export interface FileLimits {
  maxFileBytes: number
  /** For all files of a workspace; null for no limit. */
  quotaBytes: number | null
  hasImageProxy: boolean
}
