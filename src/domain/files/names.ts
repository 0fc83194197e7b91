import { withoutBidi } from '../../contract/bidi'
import { isBlank, withoutInvisible } from '../names'

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
