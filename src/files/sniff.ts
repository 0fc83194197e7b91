import { fileTypeFromBuffer } from 'file-type'

export const UNKNOWN_TYPE = 'application/octet-stream'

/** The name of a type that browsers know, for types with several names. */
const USUAL_NAMES: Record<string, string> = {
  'audio/x-m4a': 'audio/mp4',
  'audio/x-m4b': 'audio/mp4',
  'audio/x-flac': 'audio/flac',
  'audio/vnd.wave': 'audio/wav',
  'audio/x-wav': 'audio/wav',
  'audio/opus': 'audio/ogg',
  'audio/ogg; codecs=opus': 'audio/ogg',
  'video/x-m4v': 'video/mp4',
  'image/apng': 'image/png',
}

/** Types that are told apart by the extension of the name, because the first bytes only show the container format. */
const BY_EXTENSION: Record<string, Record<string, string>> = {
  'application/zip': {
    docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    odt: 'application/vnd.oasis.opendocument.text',
    ods: 'application/vnd.oasis.opendocument.spreadsheet',
    odp: 'application/vnd.oasis.opendocument.presentation',
    epub: 'application/epub+zip',
  },
  'application/x-cfb': {
    doc: 'application/msword',
    xls: 'application/vnd.ms-excel',
    ppt: 'application/vnd.ms-powerpoint',
    msg: 'application/vnd.ms-outlook',
  },
}

/** What the upload says about a file. It may be wrong. */
export interface Claim {
  name: string
  /** The `Content-Type` of the upload, if there was one. */
  declaredType?: string | undefined
}

const extensionOf = (name: string) => name.match(/\.([a-z0-9]{1,8})$/i)?.[1]?.toLowerCase() ?? ''

/**
 * Detects the type of a file by its first bytes. The name and the declared type only decide between types that are equally
 * harmless.
 */
export async function sniff(head: Uint8Array, isWhole: boolean, { name, declaredType }: Claim): Promise<string> {
  const extension = extensionOf(name)
  const found = await findMagic(head)
  // The byte order mark of UTF-16 looks like the beginning of MPEG audio.
  const mayBeText = found === undefined || found === 'application/xml' || found === 'audio/mpeg'
  const text = mayBeText ? sniffText(head, isWhole, extension, declaredType) : undefined
  const type = text ?? found ?? UNKNOWN_TYPE
  return BY_EXTENSION[type]?.[extension] ?? USUAL_NAMES[type] ?? type
}

async function findMagic(head: Uint8Array): Promise<string | undefined> {
  try {
    return (await fileTypeFromBuffer(head))?.mime
  } catch {
    return undefined // The first bytes are not valid.
  }
}

/** Control characters that do not occur in text: all but tab, line feed, form feed, carriage return and escape. */
const CONTROLS = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]/

/** How HTML may begin, as browsers see it, after white space and comments. */
const HTML =
  /^<(?:!doctype\s+html|html|head|body|script|iframe|style|title|table|div|font|img|base|link|meta|form|svg:script|h[1-6]|p|a|b|br|ul|ol|object|embed|template|video|audio|math)(?=[\s>/]|$)/i

/** Types that are only text, by extension. */
const TEXT_BY_EXTENSION: Record<string, string> = {
  csv: 'text/csv',
  md: 'text/markdown',
  markdown: 'text/markdown',
  ics: 'text/calendar',
  vcf: 'text/vcard',
  json: 'application/json',
}
const DECLARABLE = new Set(Object.values(TEXT_BY_EXTENSION))

/** The type of a text file; undefined if it is not text. */
function sniffText(
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
  const wanted = TEXT_BY_EXTENSION[extension] ?? (DECLARABLE.has(declared) ? declared : 'text/plain')
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
