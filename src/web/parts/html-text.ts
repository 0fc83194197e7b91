import { excerptOf, toLine } from '../../contract/browser/excerpt'
import { withoutBidi } from '../../contract/browser/fold'

const MAX_EXCERPT = 300

/** The beginning of a text, without markup. */
export const toExcerpt = (html: string): string => withoutBidi(excerptOf(html, MAX_EXCERPT))

/** The first line of a text: a paragraph or heading up to its end or its first line break, without links or pictures. */
const FIRST_LINE = /^\s*<(p|h\d)\b[^>]*>((?:(?!<(?:a|img|br|\/p|\/h\d)\b)[\s\S])*)(<br\b[^>]*>\s*|<\/\1>)/

/** The text of a post below its title. A title that was taken from the first line is not shown twice. */
export function withoutTitle({ title, content }: { title: string; content: string }): string {
  const [whole, tag, line, end] = content.match(FIRST_LINE) ?? []
  if (whole === undefined || toLine(withoutBidi(line!)) !== withoutBidi(title)) return content
  const rest = content.slice(whole.length)
  return end!.startsWith('<br') ? `<${tag}>${rest}` : rest
}
