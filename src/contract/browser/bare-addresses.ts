/** Where a bare address may begin. */
const START = /https?:\/\/|www\.|@/gi
const WORD = /[\p{L}\p{N}]/u
const LOCAL_PART = /[\w.+-]/
const MAX_LOCAL_PART = 64
const DOMAIN = /[a-z\d_-]{1,63}(?:\.[a-z\d_-]{1,63}){1,8}/iy
const STOP = /[\s<>"`|\\]/
const TRAILING = /[?!.,:;*_~'&]/

/** A bare web or e-mail address in a text. */
export interface Address {
  start: number
  end: number
  href: string
}

/** Finds bare addresses, in linear time: every character is looked at by one candidate, or within a fixed distance. */
export function* findAddresses(text: string): Generator<Address> {
  let from = 0
  START.lastIndex = 0
  for (let match = START.exec(text); match; match = START.exec(text)) {
    const address = match[0] === '@' ? emailAt(text, match.index, from) : webAddressAt(text, match.index, match[0])
    if (address) {
      yield address
      from = address.end
    }
    START.lastIndex = Math.max(match.index + match[0].length, from)
  }
}

function webAddressAt(text: string, start: number, prefix: string): Address | undefined {
  const host = start + prefix.length
  if ((start > 0 && WORD.test(text[start - 1]!)) || host >= text.length || !WORD.test(characterAt(text, host))) return
  const end = endOfAddress(text, host)
  const address = text.slice(start, end)
  return { start, end, href: prefix.endsWith('.') ? `http://${address}` : address }
}

const characterAt = (text: string, at: number) => String.fromCodePoint(text.codePointAt(at)!)

/** Ends before white space and before a bracket that the address did not open, and without punctuation at its end. */
function endOfAddress(text: string, start: number): number {
  let end = start
  let round = 0
  let square = 0
  for (; end < text.length && !STOP.test(text[end]!); end++) {
    const letter = text[end]
    if (letter === '(') round += 1
    else if (letter === '[') square += 1
    else if (letter === ')' && --round < 0) break
    else if (letter === ']' && --square < 0) break
  }
  while (end > start + 1 && TRAILING.test(text[end - 1]!)) end -= 1
  return end
}

function emailAt(text: string, at: number, from: number): Address | undefined {
  let start = at
  const first = Math.max(from, at - MAX_LOCAL_PART)
  while (start > first && LOCAL_PART.test(text[start - 1]!)) start -= 1
  DOMAIN.lastIndex = at + 1
  const domain = DOMAIN.exec(text)?.[0].replace(/[-_]$/, '')
  if (start === at || !domain?.includes('.')) return
  const end = at + 1 + domain.length
  return { start, end, href: `mailto:${text.slice(start, end)}` }
}

/** Placeholders for `*`, `_` and `~` in an address while Markdown is parsed. No text has a use for these characters. */
const HIDDEN = { '*': '\ufdd0', _: '\ufdd1', '~': '\ufdd2' } as const
const SHOWN: Record<string, string> = Object.fromEntries(
  Object.entries(HIDDEN).map(([shown, hidden]) => [hidden, shown]),
)

/** Keeps `https://example.com/__init__` from being read as bold. */
export function hideEmphasis(markdown: string): string {
  if (!/https?:\/\/|www\./i.test(markdown)) return markdown
  let hidden = ''
  let done = 0
  for (const { start, end, href } of findAddresses(markdown)) {
    if (href.startsWith('mailto:')) continue
    const address = markdown.slice(start, end).replace(/[*_~]/g, (mark) => HIDDEN[mark as keyof typeof HIDDEN])
    hidden += markdown.slice(done, start) + address
    done = end
  }
  return hidden + markdown.slice(done)
}

export const showEmphasis = (text: string): string => text.replace(/[\ufdd0-\ufdd2]/g, (hidden) => SHOWN[hidden]!)

const EMAIL = /^[\w.+-]{1,64}@[a-z\d_-]{1,63}(?:\.[a-z\d_-]{1,63}){1,8}$/i
const IS_ENCODED = /^[\w:/?#.,;=&%+~!*'()@$-]*$/
const SCHEME = /^([a-z][a-z\d+.-]*):/i

/**
 * An address that is safe to follow, percent-encoded; undefined for any other. What has no scheme is relative to the
 * page it is shown on, unless it names another host.
 */
export function safeUrl(url: string, schemes: readonly string[]): string | undefined {
  // A browser drops control characters and spaces and takes `\` for `/`; encoded, they are none of these.
  const encoded = IS_ENCODED.test(url) ? url : encodeURI(url.toWellFormed()).replaceAll('%25', '%')
  const scheme = SCHEME.exec(encoded)?.[1]
  if (scheme) return schemes.includes(scheme.toLowerCase()) ? encoded : undefined
  if (EMAIL.test(encoded) && schemes.includes('mailto')) return `mailto:${encoded}`
  return encoded.startsWith('//') ? undefined : encoded
}
