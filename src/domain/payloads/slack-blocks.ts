import type { HookText } from '../hooks'
import { escapeMarkdown } from '../markdown/attributes'
import { fromMrkdwn, fromMrkdwnLine, fromPlain, plainOf, withEmoji } from './slack-mrkdwn'
import { fromRichText, timeOf } from './slack-rich-text'
import {
  convertUntilFull,
  type Fields,
  isFields,
  lookUp,
  readFields,
  readList,
  readText,
  toImage,
  toLink,
} from './values'

/** Slack's attachments as Markdown: each a quotation, since its bar is where Slack shows the colour, after a coloured dot. */
const fromAttachments = (attachments: readonly Fields[]): string[] =>
  convertUntilFull(attachments, (attachment, at) => {
    const path = `attachments[${at}].`
    const { before, body } = read(attachment, path)
    const title = toLink(readText(attachment, 'title_link', path), fromMrkdwnLine(readText(attachment, 'title', path)))
    const parts = title ? [`**${title}**`, ...body] : body
    if (parts.length === 0) return before.length > 0 ? before : fallbackOf(attachment, path)
    return [...before, quote(startWith(dotOf(readText(attachment, 'color', path)), parts))]
  })

/** A message that is one attachment: its title is that of the post. Undefined if it has none. */
function fromTitledAttachment(attachment: Fields): HookText | undefined {
  const path = 'attachments[0].'
  const text = (name: string) => readText(attachment, name, path)
  const title = withEmoji(plainOf(text('title'))).trim()
  if (title === '') return undefined
  const { before, body } = read(attachment, path)
  const link = text('title_link') && toLink(text('title_link'), 'Open')
  const parts = [...before, ...body, link].filter((part) => part !== '')
  return { title: `${dotOf(text('color'))} ${title}`.trim(), markdown: parts.join('\n\n') }
}

/** What an attachment says besides its title. */
function read(attachment: Fields, path: string): { before: string[]; body: string[] } {
  const text = (name: string) => readText(attachment, name, path)
  const pretext = fromMrkdwn(text('pretext'))
  const footer = [escapeMarkdown(text('footer').trim()), timeOf(attachment.ts)].filter(Boolean).join(' · ')
  const body = [
    toLink(text('author_link'), escapeMarkdown(text('author_name'))),
    fromMrkdwn(text('text')),
    fromFields(readList(attachment, 'fields', path), path),
    ...fromBlocks(readList(attachment, 'blocks', path), path),
    fromActions(readList(attachment, 'actions', path), path),
    text('image_url') && toImage(text('image_url'), text('title') || text('fallback')),
    text('thumb_url') && toImage(text('thumb_url'), text('title') || text('fallback')),
    footer && `*${footer}*`,
  ].filter((part) => part !== '')
  return { before: pretext ? [pretext] : [], body }
}

const fallbackOf = (attachment: Fields, path: string): string[] =>
  [fromPlain(readText(attachment, 'fallback', path))].filter((part) => part !== '')

/** The dot goes before the first line, or into it, unless that is a block of its own. */
function startWith(dot: string, [first = '', ...rest]: string[]): string[] {
  if (dot === '') return [first, ...rest]
  if (first.startsWith('### ')) return [`### ${dot} ${first.slice(4)}`, ...rest]
  return /^(?:[->|`]|\d+[.)] |!\[)/.test(first) ? [dot, first, ...rest] : [`${dot} ${first}`, ...rest]
}

const quote = (parts: readonly string[]) =>
  parts
    .join('\n\n')
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n')

function fromFields(fields: readonly Fields[], path: string): string {
  return fields
    .map((field, at) => {
      const title = escapeMarkdown(withEmoji(readText(field, 'title', `${path}fields[${at}].`)).trim())
      const value = fromMrkdwn(readText(field, 'value', `${path}fields[${at}].`))
      if (title === '' || value === '') return title ? `**${title}**` : value
      return value.includes('\n') ? `**${title}**\n\n${value}\n` : `**${title}:** ${value}`
    })
    .filter((line) => line !== '')
    .join('\n')
    .trim()
}

const fromActions = (actions: readonly Fields[], path: string): string =>
  actions
    .map((action, at) => {
      const within = `${path}actions[${at}].`
      const label = readFieldsText(action, within)
      const url = readText(action, 'url', within)
      return url ? toLink(url, fromPlain(label)) : ''
    })
    .filter((link) => link !== '')
    .join(' · ')

const readFieldsText = (action: Fields, path: string): string =>
  typeof action.text === 'object'
    ? readText(readFields(action, 'text', path) ?? {}, 'text', `${path}text.`)
    : readText(action, 'text', path)

const NAMED: Record<string, string> = { good: '🟢', warning: '🟡', danger: '🔴' }

/** The dot that is nearest to a colour: a name of Slack's, or `#rrggbb`. */
function dotOf(color: string): string {
  const named = lookUp(NAMED, color.toLowerCase())
  if (named) return named
  const [, digits] = color.trim().match(/^#?([\da-f]{6}|[\da-f]{3})$/i) ?? []
  if (digits === undefined) return ''
  const pairs = digits.length === 3 ? [...digits].map((digit) => digit + digit) : digits.match(/../g)!
  const [red, green, blue] = pairs.map((pair) => Number.parseInt(pair, 16)) as [number, number, number]
  return dotOfHue(red, green, blue)
}

function dotOfHue(red: number, green: number, blue: number): string {
  const [high, low] = [Math.max(red, green, blue), Math.min(red, green, blue)]
  const spread = high - low
  if (spread < 40) return high < 80 ? '⚫' : '⚪'
  const turn =
    high === red ? (green - blue) / spread : high === green ? 2 + (blue - red) / spread : 4 + (red - green) / spread
  const hue = (turn * 60 + 360) % 360
  if (hue < 18 || hue >= 330) return '🔴'
  if (hue < 42) return '🟠'
  if (hue < 68) return '🟡'
  if (hue < 170) return '🟢'
  return hue < 255 ? '🔵' : '🟣'
}

/** Slack's blocks as Markdown, each a part. What only works inside Slack, such as menus, is left out. */
const fromBlocks = (blocks: readonly Fields[], path: string): string[] =>
  convertUntilFull(blocks, (block, at) => [fromBlock(block, `${path}blocks[${at}].`)].filter((text) => text !== ''))

/** The plain text of a `header` block; undefined if it is another. */
const headerOf = (block: Fields | undefined): string | undefined =>
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

/** A message as Slack's incoming webhooks take it. With blocks, `text` is shown in notifications only, as in Slack. */
export function readSlack(payload: Fields): HookText {
  const blocks = readList(payload, 'blocks', '')
  const header = headerOf(blocks[0])
  const text = readText(payload, 'text', '')
  const parts = fromBlocks(header === undefined ? blocks : blocks.slice(1), '')
  if (parts.length === 0 && header === undefined && text)
    parts.push(payload.mrkdwn === false ? fromPlain(text) : fromMrkdwn(text))
  const attachments = readList(payload, 'attachments', '')
  const isAlone = parts.length === 0 && header === undefined && attachments.length === 1
  const titled = isAlone ? fromTitledAttachment(attachments[0]!) : undefined
  if (titled) return titled
  parts.push(...fromAttachments(attachments))
  return { title: header && withEmoji(header), markdown: parts.join('\n\n') }
}
