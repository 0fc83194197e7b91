import { hideEmphasis, showEmphasis } from '../../contract/browser/bare-addresses'
import { toFileBlocks } from './files'
import type { Align, Element, Node } from './tree'

const OPTIONS: Bun.markdown.Options = {
  tables: true,
  strikethrough: true,
  tasklists: true,
  noHtmlBlocks: true,
  // Found in `contract/browser/bare-addresses.ts`: the parser's own way takes quadratic time.
  autolinks: false,
  headings: false,
  wikiLinks: false,
  underline: false,
  latexMath: false,
}

/** What a callback returns for its node. The nodes themselves are on a stack, so deep nesting copies no text. */
const NODE = '\u0001'
/** Characters with a meaning of their own while a text is parsed. */
const RESERVED = /[\u0000\u0001\ufdd0-\ufdd2]/g

/** More pieces than anyone writes: beyond, a text takes longer than a request should. */
const MAX_NODES = 30_000

class TooManyNodes extends Error {}

/** Parses Markdown (CommonMark and GFM). Raw HTML is text, and a text that is made to take long is plain text. */
export function parse(markdown: string): Node[] {
  if (isTooComplex(markdown)) return parsePlain(markdown)
  const source = hideEmphasis(markdown.replace(RESERVED, '\ufffd'))
  const stack: Node[] = []
  try {
    return take(stack, Bun.markdown.render(source, callbacks(stack), OPTIONS))
  } catch (error) {
    if (error instanceof TooManyNodes) return parsePlain(markdown)
    throw error
  }
}

function callbacks(stack: Node[]): Bun.markdown.RenderCallbacks {
  let size = 0
  const push = (node: Node) => {
    if (++size > MAX_NODES) throw new TooManyNodes()
    stack.push(node)
    return NODE
  }
  const element = (type: 'blockquote' | 'table' | 'thead' | 'tbody' | 'tr' | 'strong' | 'em' | 'del') => {
    return (content: string) => push({ type, children: take(stack, content) })
  }
  const cell = (type: 'th' | 'td') => (content: string, meta?: { align?: Align }) =>
    push({ type, children: take(stack, content), align: meta?.align })

  return {
    text: (text) => push(toTextNode(showEmphasis(text))),
    paragraph: (content) => {
      const children = take(stack, content)
      const files = toFileBlocks(children)
      return files ? files.map(push).join('') : push({ type: 'paragraph', children })
    },
    blockquote: element('blockquote'),
    strong: element('strong'),
    emphasis: element('em'),
    strikethrough: element('del'),
    table: element('table'),
    thead: element('thead'),
    tbody: element('tbody'),
    tr: element('tr'),
    th: cell('th'),
    td: cell('td'),
    heading: (content, { level }) => push({ type: 'heading', level, children: take(stack, content) }),
    hr: () => push({ type: 'rule' }),
    code: (content, meta) => push({ type: 'code', language: meta?.language, children: [textOf(take(stack, content))] }),
    codespan: (content) => push({ type: 'codespan', children: [textOf(take(stack, content)).replaceAll('\n', ' ')] }),
    list: (content, { ordered, start }) =>
      push({ type: 'list', start: ordered ? (start ?? 1) : undefined, children: take(stack, content) }),
    listItem: (content, { checked }) => push(toItem(take(stack, content), checked)),
    link: (content, { href, title }) =>
      push({
        type: 'link',
        href: unescapeSource(href),
        title: title && unescapeSource(title),
        children: take(stack, content),
      }),
    image: (content, { src, title }) => {
      const alt = textOf(take(stack, content)).replaceAll('\n', ' ')
      return push({ type: 'image', src: unescapeSource(src), alt, title: title && unescapeSource(title) })
    },
  }
}

/** The nodes that `content` stands for, from the top of the stack. A line break comes as it is, without a callback. */
function take(stack: Node[], content: string): Node[] {
  if (content === NODE) return [stack.pop()!]
  let next = stack.length
  for (let at = 0; at < content.length; at++) if (content[at] === NODE) next -= 1
  const top = next
  const nodes: Node[] = []
  for (let at = 0; at < content.length; at++) {
    const letter = content[at]!
    const node = letter === NODE ? stack[next++]! : letter === '\n' ? BREAK : letter
    const before = nodes.length - 1
    // Text comes in pieces, and is put together again so that mentions and addresses are found in it.
    if (typeof node === 'string' && typeof nodes[before] === 'string') nodes[before] += node
    else nodes.push(node)
  }
  stack.length = top
  return nodes
}

const BREAK: Node = { type: 'break' }

/** An escaped `<` comes as a piece of its own, as does raw HTML: neither begins a mention, nor holds addresses. */
const toTextNode = (text: string): Node =>
  text[0] === '<' && /^<(?:$|[a-z/!?])/i.test(text) ? { type: 'literal', text } : text

const textOf = (nodes: readonly Node[]): string =>
  nodes.map((node) => (typeof node === 'string' ? node : node.type === 'literal' ? node.text : '\n')).join('')

function toItem(children: Node[], isChecked: boolean | undefined): Element {
  if (isChecked !== undefined) {
    const first = children[0]
    const line = typeof first === 'object' && first.type === 'paragraph' ? first.children : children
    line.unshift({ type: 'checkbox', isChecked }, ' ')
  }
  return { type: 'item', children }
}

const ESCAPED = /\\([!-/:-@[-`{-~])|&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Addresses and titles come as they were written. */
const unescapeSource = (source: string): string =>
  showEmphasis(source).replace(ESCAPED, (_, letter, decimal, hexadecimal, name) => {
    if (letter !== undefined) return letter
    if (name !== undefined) return ENTITIES[name.toLowerCase()]!
    const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : '\ufffd'
  })

/** Paragraphs and line breaks, and nothing else. Each is one string with its line breaks: there may be tens of thousands. */
function parsePlain(text: string): Node[] {
  const paragraphs: Node[] = []
  let lines: string[] = []
  for (const line of [...text.split(/\r\n?|\n/), '']) {
    if (line.trim() !== '') lines.push(line)
    else if (lines.length > 0) {
      paragraphs.push({ type: 'paragraph', children: [lines.join('\n')] })
      lines = []
    }
  }
  return paragraphs
}

/**
 * What `Bun.markdown` does in more than linear time, while it reads a text: two things, neither of which people write.
 * A text beyond one of these bounds is shown as plain text.
 */
const isTooComplex = (markdown: string): boolean =>
  scannedBackticks(markdown) > 1_000_000 || openContainers(markdown) > 20_000_000

/** After an escaped backtick, the rest of the run is looked for in all the text that follows. */
function scannedBackticks(markdown: string): number {
  const escaped = count(markdown, '\\`')
  return escaped === 0 ? 0 : escaped * count(markdown, '`')
}

/** Each line is compared with every open list and quotation. Leading spaces and markers are an upper bound of their depth. */
function openContainers(markdown: string): number {
  let lines = 1
  let lead = 0
  let deepest = 0
  let isLead = true
  for (let at = 0; at < markdown.length; at++) {
    const letter = markdown[at]!
    if (letter === '\n' || letter === '\r') {
      lines += 1
      lead = 0
      isLead = true
    } else if (isLead && LEAD.includes(letter)) {
      // A tab is as wide as two markers.
      lead += letter === '\t' ? 2 : 1
      if (lead > deepest) deepest = lead
    } else isLead = false
  }
  return deepest * lines
}

const LEAD = ' \t>-+*.)0123456789'

function count(text: string, part: string): number {
  let found = 0
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) found += 1
  return found
}
