import { plainText } from './search/plain-text'

const MAX_LENGTH = 200
/** More HTML than this is not looked at: it holds enough text, unless it is nearly all markup. */
const MAX_HTML = 4_000

/** The beginning of rendered Markdown on one line, as plain text. */
export function excerptOf(html: string): string {
  const text = plainText(beginningOf(html)).replace(/\s+/g, ' ')
  if (text.length <= MAX_LENGTH) return text
  const cut = text.slice(0, MAX_LENGTH - 1)
  // Not within a character of two halves, and not within a word, if it is not a long one.
  const whole = /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut
  return `${whole.replace(/ \S{0,24}$/, '')}…`
}

/** Without the tag or entity it was cut in. */
const beginningOf = (html: string): string =>
  html.length <= MAX_HTML ? html : html.slice(0, MAX_HTML).replace(/(<[^<>]*|&[^&;]*)$/, '')
