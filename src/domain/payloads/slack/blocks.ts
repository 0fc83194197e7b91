import { escapeMarkdown } from '../../markdown/escape'
import { toImage, toLink } from '../links'
import { convertUntilFull, type Fields, isFields, readFields, readList, readText } from '../values'
import { fromMrkdwn, fromMrkdwnLine, fromPlain } from './mrkdwn'
import { fromRichText } from './rich-text'

/** Slack's blocks as Markdown, each a part. What only works inside Slack, such as menus, is left out. */
export const fromBlocks = (blocks: readonly Fields[], path: string): string[] =>
  convertUntilFull(blocks, (block, at) => [fromBlock(block, `${path}blocks[${at}].`)].filter((text) => text !== ''))

/** The plain text of a `header` block; undefined if it is another. */
export const headerOf = (block: Fields | undefined): string | undefined =>
  block?.type === 'header' && isFields(block.text) && typeof block.text.text === 'string' ? block.text.text : undefined

function fromBlock(block: Fields, path: string): string {
  switch (block.type) {
    case 'header':
      return `### ${fromPlain(textOf(block, path)).replaceAll('\n', ' ')}`
    case 'section':
      return joined('\n\n', [
        fromTextObject(block.text, `${path}text`),
        ...readList(block, 'fields', path).map((field, at) => fromTextObject(field, `${path}fields[${at}]`)),
        fromElement(readFields(block, 'accessory', path), `${path}accessory.`),
      ])
    case 'context':
      return joined(' · ', fromElements(block, path)).replaceAll('\n', ' ')
    case 'actions':
      return joined(' · ', fromElements(block, path))
    case 'divider':
      return '---'
    case 'image':
      return toImage(
        readText(block, 'image_url', path),
        readText(block, 'alt_text', path) || textOf({ text: block.title }, path),
      )
    case 'video':
      return toLink(readText(block, 'title_url', path), escapeMarkdown(textOf({ text: block.title }, path)))
    case 'rich_text':
      return fromRichText(block, path)
    case 'markdown':
      return readText(block, 'text', path)
    case 'table':
      return fromTable(block, path)
    default:
      return fromTextObject(block.text, `${path}text`)
  }
}

const joined = (separator: string, parts: readonly string[]) => parts.filter((part) => part !== '').join(separator)

const fromElements = (block: Fields, path: string) =>
  readList(block, 'elements', path).map((element, at) => fromElement(element, `${path}elements[${at}].`))

/** A part of a block: text, a button that is a link, or a picture, which is too small to show. */
function fromElement(element: Fields | undefined, path: string): string {
  if (!element) return ''
  if (element.type === 'mrkdwn' || element.type === 'plain_text') return fromTextObject(element, path)
  if (element.type === 'image') return ''
  const url = readText(element, 'url', path)
  return url ? toLink(url, fromPlain(textOf(element, path))) : ''
}

/** `{ "type": "mrkdwn", "text": … }`, or a text alone. */
function fromTextObject(value: unknown, path: string): string {
  if (typeof value === 'string') return fromMrkdwn(value)
  if (!isFields(value)) return ''
  const text = readText(value, 'text', `${path}.`)
  return value.type === 'plain_text' ? fromPlain(text) : fromMrkdwn(text)
}

/** The text of a text object, as it is. */
function textOf(block: Fields, path: string): string {
  const text = block.text
  return isFields(text) ? readText(text, 'text', `${path}text.`) : readText(block, 'text', path)
}

function fromTable(block: Fields, path: string): string {
  const rows = (Array.isArray(block.rows) ? block.rows : []).filter(Array.isArray) as unknown[][]
  const lines = rows.map((row) => `| ${row.map((cell) => fromCell(cell, `${path}rows.`)).join(' | ')} |`)
  const [first] = rows
  if (first) lines.splice(1, 0, `|${' --- |'.repeat(first.length)}`)
  return lines.join('\n')
}

function fromCell(cell: unknown, path: string): string {
  if (!isFields(cell)) return ''
  const markdown = cell.type === 'rich_text' ? fromRichText(cell, path) : fromMrkdwnLine(readText(cell, 'text', path))
  return markdown.replaceAll('\n', ' ')
}
