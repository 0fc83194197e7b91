import { withoutBidi } from '../../contract/bidi'

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ', '#39': "'" }

/** HTML as one line of text, also if it was cut off within a tag. */
export const toText = (html: string): string =>
  withoutBidi(html)
    .replace(/<span class="file-facts">[^<]*(?:<\/span>|$)/g, '')
    .replace(/<\/?(?:p|figure|h\d|li|ul|ol|pre|blockquote|br|hr|t[a-z]+|details|summary)\b[^>]*>/g, ' ')
    .replace(/<[^>]*(>|$)/g, '')
    .replace(/&(\w+|#39);/g, (whole, name) => ENTITIES[name] ?? whole)
    .replace(/\s+/g, ' ')
    .trim()

/** The first line of a text: a paragraph or heading up to its end or its first line break, without links or pictures. */
const FIRST_LINE = /^\s*<(p|h\d)\b[^>]*>((?:(?!<(?:a|img|br|\/p|\/h\d)\b)[\s\S])*)(<br\b[^>]*>\s*|<\/\1>)/

/** The text of a post below its title. A title that was taken from the first line is not shown twice. */
export function withoutTitle({ title, content }: { title: string; content: string }): string {
  const [whole, tag, line, end] = content.match(FIRST_LINE) ?? []
  if (whole === undefined || toText(line!) !== withoutBidi(title)) return content
  const rest = content.slice(whole.length)
  return end!.startsWith('<br') ? `<${tag}>${rest}` : rest
}
