import { escapeMarkdown, escapeStart } from '../markdown/attributes'
import { emojiNamed } from './slack-mrkdwn'
import { type Fields, isFields, readList, readText, toCode, toFence, toLink, toNumber } from './values'

/** A `rich_text` block as Markdown. */
export function fromRichText(block: Fields, path: string): string {
  const parts: string[] = []
  let before = ''
  readList(block, 'elements', path).forEach((element, at) => {
    const at_ = `${path}elements[${at}].`
    const type = readText(element, 'type', at_)
    const markdown = fromPart(type, element, at_)
    // Lists that follow each other are one, with other indents.
    if (type === 'rich_text_list' && before === type) parts[parts.length - 1] += `\n${markdown}`
    else if (markdown !== '') parts.push(markdown)
    before = type
  })
  return parts.join('\n\n')
}

function fromPart(type: string, element: Fields, path: string): string {
  if (type === 'rich_text_list') return fromList(element, path)
  if (type === 'rich_text_preformatted') return toFence(plain(element, path))
  const lines = fromInline(element, path).split('\n').map(escapeStart)
  if (type === 'rich_text_quote') return lines.map((line) => `> ${line}`).join('\n')
  return lines.join('\n').trim()
}

function fromList(element: Fields, path: string): string {
  const isOrdered = readText(element, 'style', path) === 'ordered'
  const indent = '    '.repeat(Math.min(Math.max(toNumber(element.indent) || 0, 0), 4))
  const items = readList(element, 'elements', path)
  return items
    .map((item, at) => {
      const text = escapeStart(fromInline(item, `${path}elements[${at}].`).replaceAll('\n', ' '))
      return `${indent}${isOrdered ? `${at + 1}.` : '-'} ${text}`
    })
    .join('\n')
}

const fromInline = (section: Fields, path: string): string =>
  readList(section, 'elements', path)
    .map((part, at) => fromElement(part, `${path}elements[${at}].`))
    .join('')

function fromElement(element: Fields, path: string): string {
  const text = (name: string) => readText(element, name, path)
  switch (text('type')) {
    case 'text':
      return styled(text('text'), element.style)
    case 'link':
      return toLink(text('url'), escapeMarkdown(text('text')))
    case 'emoji':
      return emojiNamed(text('name')) ?? escapeMarkdown(`:${text('name')}:`)
    case 'user':
      return /^(?:mem|app)_[0-9a-z]{26}$/.test(text('user_id'))
        ? `<@${text('user_id')}>`
        : escapeMarkdown(`@${text('user_id')}`)
    case 'channel':
      return escapeMarkdown(`#${text('channel_id')}`)
    case 'usergroup':
      return escapeMarkdown(`@${text('usergroup_id')}`)
    case 'broadcast':
      return escapeMarkdown(`@${text('range')}`)
    case 'color':
      return escapeMarkdown(text('value'))
    case 'date':
      return escapeMarkdown(text('fallback') || timeOf(element.timestamp))
    default:
      return escapeMarkdown(text('text'))
  }
}

/** Seconds since 1970, as text; empty if they are none. */
export function timeOf(seconds: unknown): string {
  const time = new Date(toNumber(seconds) * 1000)
  return seconds && !Number.isNaN(time.getTime()) ? `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC` : ''
}

/** Text with its marks. Spaces at its ends stay outside: Markdown ends no emphasis after a space. */
function styled(text: string, style: unknown): string {
  const { bold, italic, strike, code } = isFields(style) ? style : ({} as Fields)
  const middle = text.trim()
  const [start, end] = [text.slice(0, text.length - text.trimStart().length), text.slice(text.trimEnd().length)]
  if (middle === '') return text
  const marks = [bold && '**', italic && '*', strike && '~~'].filter((mark) => typeof mark === 'string').join('')
  const marked = code ? toCode(middle.replaceAll('\n', ' ')) : escapeMarkdown(middle)
  return `${start}${marks}${marked}${[...(marks.match(/\*\*|\*|~~/g) ?? [])].reverse().join('')}${end}`
}

const plain = (section: Fields, path: string): string =>
  readList(section, 'elements', path)
    .map(
      (part, at) =>
        readText(part, 'text', `${path}elements[${at}].`) || readText(part, 'url', `${path}elements[${at}].`),
    )
    .join('')
