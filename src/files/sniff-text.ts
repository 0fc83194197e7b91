/** Control characters that do not occur in text: all but tab, line feed, form feed, carriage return and escape. */
const CONTROLS = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]/

/** How HTML may begin, as browsers see it, after white space and comments. */
const HTML =
  /^<(?:!doctype\s+html|html|head|body|script|iframe|style|title|table|div|font|img|base|link|meta|form|svg:script|h[1-6]|p|a|b|br|ul|ol|object|embed|template|video|audio|math)(?=[\s>/]|$)/i

/** Types that are only text, by extension. */
const BY_EXTENSION: Record<string, string> = {
  csv: 'text/csv',
  md: 'text/markdown',
  markdown: 'text/markdown',
  ics: 'text/calendar',
  vcf: 'text/vcard',
  json: 'application/json',
}
const DECLARABLE = new Set(Object.values(BY_EXTENSION))

/** The type of a text file; undefined if it is not text. */
export function sniffText(
  head: Uint8Array,
  isWhole: boolean,
  extension: string,
  declaredType: string | undefined,
): string | undefined {
  const text = decode(head, isWhole)
  if (text === undefined) return undefined
  const start = skipComments(text)
  // This comes first, because HTML must be detected even if the file claims to be another type of text.
  if (HTML.test(start)) return 'text/html'
  if (/^<svg[\s>/]/i.test(start)) return 'image/svg+xml'
  if (/^<\?xml[\s?]/i.test(start)) return sniffXml(start)
  if (isWhole && isJson(text)) return 'application/json'
  if (head.length === 0) return undefined
  const declared = declaredType?.split(';')[0]!.trim().toLowerCase() ?? ''
  const wanted = BY_EXTENSION[extension] ?? (DECLARABLE.has(declared) ? declared : 'text/plain')
  return wanted === 'application/json' && (isWhole || !/^[[{]/.test(start)) ? 'text/plain' : wanted
}

function sniffXml(text: string): string {
  const root = skipComments(text.replace(/^<\?xml[^>]*>/i, '')).replace(/^<!doctype[^[>]*(?:\[[^\]]*\])?\s*>/i, '')
  const [, name] = skipComments(root).match(/^<([\w:.-]+)/) ?? []
  if (/^(?:\w+:)?svg$/i.test(name ?? '') || /<!doctype\s+svg/i.test(text)) return 'image/svg+xml'
  return /^(?:\w+:)?html$/i.test(name ?? '') || /<!doctype\s+html/i.test(text) ? 'text/html' : 'application/xml'
}

/** Skips comments at the start. If a comment does not end, what follows is not known, so the text counts as HTML. */
function skipComments(text: string): string {
  let rest = text.trimStart()
  while (rest.startsWith('<!--')) {
    const end = rest.indexOf('-->')
    if (end < 0) return '<html>'
    rest = rest.slice(end + 3).trimStart()
  }
  return rest
}

/** As UTF-8, or UTF-16 with a byte order mark. */
function decode(head: Uint8Array, isWhole: boolean): string | undefined {
  const mark = (head[0]! << 8) | head[1]!
  const encoding = mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : 'utf-8'
  try {
    const text = new TextDecoder(encoding as 'utf-8', { fatal: true }).decode(head, { stream: !isWhole })
    return CONTROLS.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
