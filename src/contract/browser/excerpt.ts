const MAX_LENGTH = 200
/** No more HTML than this is looked at for each character: it holds enough text, unless it is nearly all markup. */
const HTML_PER_CHARACTER = 20

/** The beginning of rendered Markdown on one line, as plain text. */
export function excerptOf(html: string, maxLength = MAX_LENGTH): string {
  const text = toLine(beginningOf(html, maxLength * HTML_PER_CHARACTER))
  if (text.length <= maxLength) return text
  const cut = text.slice(0, maxLength - 1)
  // Not within a character of two halves, and not within a word, if it is not a long one.
  const whole = /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut
  return `${whole.replace(/ \S{0,24}$/, '').replace(/ ·$/, '')}…`
}

/** Without the tag or entity it was cut in. Addresses, which nobody sees, may be longer than all else. */
const beginningOf = (html: string, maxLength: number): string =>
  html.length <= maxLength
    ? html
    : html
        .slice(0, MAX_HTML)
        .replace(ADDRESS, '$1')
        .slice(0, maxLength)
        .replace(/(<[^<>]*|&[^&;]*)$/, '')

const MAX_HTML = 32_000
const ADDRESS = /(<(?:a|img) [^<>]*?)(?:href|src)="[^"<>]*"/g

/**
 * Rendered Markdown as one line of plain text. Items of lists, lines of code and cells of tables are separated visibly, unless
 * the text before ends with punctuation.
 */
export function toLine(html: string): string {
  const parts = html.split(CODE).map((part, at) => (at % 2 === 1 ? part : part.replaceAll('\n', ' ')))
  return toPlainText(parts.join(''), (tag) => (SEPARATED.has(tag) ? '\n' : ' '))
    .trim()
    .replace(/\s+/g, (space, at: number, text: string) =>
      space.includes('\n') && !PUNCTUATION.test(text[at - 1]!) ? ' · ' : ' ',
    )
}

const CODE = /(<pre>.*?(?:<\/pre>|$))/s
const SEPARATED = new Set(['ul', 'ol', 'li', 'pre', 'table', 'thead', 'tbody', 'tr', 'th', 'td'])
const PUNCTUATION = /[.,:;!?…،؛؟。、，：；！？([{]/

/**
 * The text that a reader sees of rendered Markdown (domain/markdown/html.ts), with the alternative text of its images and the
 * names of its files, but not their types and sizes. `breakAt` is what stands for a tag that begins or ends a line.
 */
export const toPlainText = (html: string, breakAt: (tag: string) => string): string =>
  html
    .replace(FILE_FACTS, '')
    .replace(TAG, (_, name: string, attributes: string) => {
      const text = TEXT.exec(attributes)?.[1] ?? ''
      const fileName = FILE_NAME.exec(attributes)
      if (fileName) return `${text} ${fileName[1]} `
      return WITHIN_LINE.has(name) ? text : text + breakAt(name)
    })
    .replace(/&(amp|lt|gt|quot);/g, (_, name: string) => ENTITIES[name]!)

// The renderer escapes < and > wherever they are not of a tag.
const TAG = /<\/?([a-z0-9]+)([^<>]*)>/g
const TEXT = / (?:alt|aria-label)="([^"]*)"/
const FILE_NAME = / data-name="([^"]*)"/
const FILE_FACTS = / <span class="file-facts">[^<]*<\/span>/g
const WITHIN_LINE = new Set(['a', 'strong', 'em', 'del', 'code', 'input', 'img', 'span'])
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' }
