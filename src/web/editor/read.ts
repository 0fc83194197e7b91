import type { Mark, Node } from 'prosemirror-model'
import { MENTION_ID, schema, WHOLE_FILE_ID } from './schema'
import { showEmphasis, type Token, tokenize } from './tokens'

const { nodes, marks } = schema

export interface Reading {
  doc: Node
  /** Why the document is not all of the text; undefined if it is. */
  loss: string | undefined
}

/** Longer texts would make every key slow. */
const MAX_LENGTH = 100_000
/** How deep quotations and items may be in others. */
export const MAX_DEPTH = 12
/** Characters that are used while a text is parsed, here or by the server. */
const RESERVED = /[\u0000\u0001\ufdd0-\ufdd4]/

/** The server takes the marker in such a line for text, as the standard says. */
const INDENTED_QUOTE = /^([ \t]*)>.*\n\1(?: {4}|\t)[ \t]*>/m

/** The Markdown that a block of a document was read from. It is kept as it was written until the block changes. */
const sources = new WeakMap<Node, string>()
export const getSource = (block: Node): string | undefined => sources.get(block)

/** Markdown as a document. */
export function readMarkdown(markdown: string): Reading {
  const source = markdown.replace(/\r\n?/g, '\n')
  if (source.length > MAX_LENGTH) return { doc: emptyDoc(), loss: 'length' }
  if (RESERVED.test(source)) return { doc: emptyDoc(), loss: 'characters' }
  const { tokens, hasReferences } = tokenize(source)
  const reader = new Reader(tokens, source.split('\n'))
  const blocks = reader.readBlocks()
  if (hasReferences) reader.loss = 'references'
  if (INDENTED_QUOTE.test(source)) reader.loss = 'quote'
  return { doc: nodes.doc.create(null, blocks.length > 0 ? blocks : [nodes.paragraph.create()]), loss: reader.loss }
}

export const emptyDoc = (): Node => nodes.doc.create(null, [nodes.paragraph.create()])

class Reader {
  loss: string | undefined
  private at = 0
  private depth = 0

  constructor(
    private readonly tokens: Token[],
    private readonly lines: string[],
  ) {}

  /** The blocks up to the end of the one that they are in. */
  readBlocks(): Node[] {
    const blocks: Node[] = []
    for (let token = this.tokens[this.at]; token && token.nesting >= 0; token = this.tokens[this.at]) {
      const isTop = this.depth === 0
      const found = this.readBlock(token)
      if (isTop && found.length === 1 && token.map) this.keepSource(found[0]!, token, token.map)
      blocks.push(...found)
    }
    return blocks
  }

  private keepSource(block: Node, { type, markup }: Token, [start, end]: [number, number]) {
    let last = end
    while (last > start + 1 && /^[ \t]*$/.test(this.lines[last - 1]!)) last -= 1
    const source = this.lines.slice(start, last).join('\n')
    // After a list, an indented block would be part of it.
    if (/^(?: {4}|\t| {1,3}\t)/.test(source)) return
    // Code that nothing ends would go on in what follows.
    if (type === 'fence' && (end - start < 2 || !this.lines[end - 1]!.trim().startsWith(markup))) return
    sources.set(block, source)
  }

  private readBlock(token: Token): Node[] {
    this.at += 1
    switch (token.type) {
      case 'paragraph_open':
        return this.readParagraph(token.hidden)
      case 'heading_open':
        return [nodes.heading.create({ level: Number(token.tag.slice(1)) }, this.readLine())]
      case 'blockquote_open':
        return [nodes.blockquote.create(null, this.withinQuote())]
      case 'bullet_list_open':
      case 'ordered_list_open':
        return [this.readList(token)]
      case 'fence':
      case 'code_block':
        return [createCode(token)]
      case 'hr':
        return [nodes.rule.create()]
      case 'table_open':
        return [this.readTable()]
      default:
        this.loss = token.type
        return []
    }
  }

  private within(): Node[] {
    this.depth += 1
    if (this.depth > MAX_DEPTH) this.loss = 'depth'
    const blocks = this.readBlocks()
    this.depth -= 1
    this.at += 1
    return blocks
  }

  private withinQuote(): Node[] {
    const blocks = this.within()
    if (blocks.length === 0) this.loss = 'empty'
    return orParagraph(blocks)
  }

  /** The content of a heading, a paragraph or a cell, up to the end of it. */
  private readLine(): Node[] {
    const token = this.tokens[this.at]!
    this.at += 2
    if (MAYBE_TABLE.test(token.content)) this.loss = 'table'
    return this.readInline(token.children!)
  }

  private readParagraph(isInTightList: boolean): Node[] {
    const content = this.readLine()
    const files = isInTightList ? undefined : toFiles(content)
    return files ?? [nodes.paragraph.create(null, content)]
  }

  private readList(token: Token): Node {
    const isTight = this.isTight(token)
    const items: Node[] = []
    while (this.tokens[this.at]!.type === 'list_item_open') {
      this.at += 1
      items.push(this.readItem())
    }
    this.at += 1
    // The server sees no gap around an item without text.
    if (
      !isTight &&
      items.some(({ firstChild }) => firstChild!.type === nodes.paragraph && firstChild!.content.size === 0)
    )
      this.loss = 'empty'
    if (token.type === 'bullet_list_open') return nodes.bullet_list.create({ isTight }, items)
    return nodes.ordered_list.create({ isTight, start: Number(token.attrGet('start') ?? 1) }, items)
  }

  /** Whether the text of each item of a list is just text, not paragraphs. */
  private isTight({ level, type }: Token): boolean {
    const close = type.replace('_open', '_close')
    const end = this.find(
      (each) =>
        (each.type === close && each.level === level) ||
        (each.type === 'paragraph_open' && each.level === level + 2 && !each.hidden),
    )
    return end.type === close
  }

  /** The next token like this. It is looked for from here on: a text may have as many lists as lines. */
  private find(isWanted: (token: Token) => boolean): Token {
    let at = this.at
    while (!isWanted(this.tokens[at]!)) at += 1
    return this.tokens[at]!
  }

  private readItem(): Node {
    const first = this.tokens[this.at]!
    const line = first.type === 'paragraph_open' ? this.tokens[this.at + 1]! : undefined
    // The server takes the box out before it sees that its line is underlined, or part of a table.
    const isSpecial = first.type === 'table_open' || (first.type === 'heading_open' && !first.markup.startsWith('#'))
    if (isSpecial && BOX.test(this.find(({ type }) => type === 'inline').content)) this.loss = 'task'
    const box = line && BOX.exec(line.content)
    if (box) this.removeBox(line)
    const blocks = this.within()
    return nodes.list_item.create({ isChecked: box ? box[1] !== ' ' : null }, orParagraph(blocks))
  }

  /** The server reads what follows a check box as if it began the item. */
  private removeBox(line: Token) {
    const rest = line.content.slice(3).trimStart()
    if (/^(?:#{1,6}(?:\s|$)|>|`{3}|~{3}|[-+*](?:\s|$)|\d{1,9}[.)](?:\s|$)|[-=*_]{3,}|\||:?-|\[.*\]:)/.test(rest))
      this.loss = 'task'
    const children = line.children!
    // The box is text, in one or more pieces.
    let left = line.content.length - rest.length
    while (children.length > 0 && left > 0) {
      const child = children[0]!
      if (child.type === 'softbreak' || child.type === 'hardbreak') left -= 1
      else {
        const part = child.content.slice(0, left)
        left -= part.length
        child.content = child.content.slice(part.length)
        if (child.type !== 'text' && left > 0) this.loss = 'task'
        if (child.content) break
      }
      children.shift()
    }
  }

  private readTable(): Node {
    const rows: Node[] = []
    for (let token = this.tokens[this.at]!; token.type !== 'table_close'; token = this.tokens[this.at]!) {
      this.at += 1
      if (token.type === 'tr_open') rows.push(nodes.table_row.create(null, this.readCells()))
    }
    this.at += 1
    return nodes.table.create(null, rows)
  }

  private readCells(): Node[] {
    const cells: Node[] = []
    for (let token = this.tokens[this.at]!; token.type !== 'tr_close'; token = this.tokens[this.at]!) {
      this.at += 1
      const align = /text-align:(\w+)/.exec(text(token, 'style'))?.[1] ?? null
      const type = token.type === 'th_open' ? nodes.table_header : nodes.table_cell
      cells.push(type.create({ align }, this.readLine()))
    }
    this.at += 1
    return cells
  }

  private readInline(tokens: Token[]): Node[] {
    const reader = new InlineReader()
    const found = reader.read(tokens)
    this.loss ??= reader.loss
    return found
  }
}

const BOX = /^\[([ xX])\](?:\s|$)/
/** A line that the server takes for the second one of a table, whatever is above it. */
const MAYBE_TABLE = /\n[ \t]*(?:\|[ \t]*:?-|:?-+:?[ \t]*\|)/
/** The beginning of a tag that is none: the server finds neither mentions nor addresses in some of what follows. */
const MAYBE_TAG = /<[a-z/!?]/i

const text = (token: Token, attribute: string) => showEmphasis(String(token.attrGet(attribute) ?? ''))

const orParagraph = (blocks: Node[]) => (blocks.length > 0 ? blocks : [nodes.paragraph.create()])

function createCode({ content, info }: Token): Node {
  const code = showEmphasis(content).replace(/\n$/, '')
  return nodes.code_block.create({ info: showEmphasis(info).trim() }, code === '' ? [] : [schema.text(code)])
}

/** Files that are alone in their paragraph are blocks of their own. */
function toFiles(content: readonly Node[]): Node[] | undefined {
  const files: Node[] = []
  for (let at = 0; at < content.length; at++) {
    const node = content[at]!
    if (node.type === nodes.hard_break || (node.isText && node.text!.trim() === '')) continue
    const file = toFile(node)
    if (!file) return undefined
    // A label may be in pieces.
    const link = file.isShown ? undefined : node.marks.find(({ type }) => type === marks.link)
    let label = file.label
    while (link && content[at + 1]?.marks.some((mark) => mark.eq(link))) label += textOf(content[++at]!)
    files.push(nodes.file.create({ ...file, label }))
  }
  return files.length > 0 ? files : undefined
}

const textOf = (node: Node) =>
  node.isText
    ? node.text!
    : node.type === nodes.image
      ? node.attrs.alt
      : node.type === nodes.mention
        ? `<@${node.attrs.id}>`
        : ' '

function toFile(node: Node) {
  if (node.type === nodes.image) {
    const { src, alt, title } = node.attrs
    return node.marks.length === 0 && WHOLE_FILE_ID.test(src)
      ? { id: src, label: alt as string, title, isShown: true }
      : undefined
  }
  const link = node.marks.find(({ type }) => type === marks.link)
  if (!link || !WHOLE_FILE_ID.test(link.attrs.href) || link.attrs.nesting > 0) return undefined
  return { id: link.attrs.href, label: textOf(node), title: '', isShown: false }
}

type Kind = 'link' | 'em' | 'strong' | 'del'
const KINDS: Record<string, Kind> = { link_open: 'link', em_open: 'em', strong_open: 'strong', s_open: 'del' }
const RANK: readonly Kind[] = ['link', 'em', 'strong', 'del']
const MENTION = new RegExp(`<@(${MENTION_ID})>`)

/** The content of a line. */
class InlineReader {
  loss: string | undefined
  private readonly found: Node[] = []
  private readonly open: { mark: Mark; kind: Kind; from: number }[] = []
  /** What was closed last, and where. */
  private closed: { mark: Mark; at: number }[] = []
  /** Text whose mentions are still to be found. */
  private text = ''

  read(tokens: readonly Token[]): Node[] {
    for (const token of tokens) this.readToken(token)
    this.endText()
    return this.found
  }

  private readToken(token: Token) {
    const kind = KINDS[token.type]
    if (kind) return this.openMark(kind, token)
    if (token.nesting < 0) return this.closeMark()
    switch (token.type) {
      case 'text':
        this.text += showEmphasis(token.content)
        return
      case 'text_special':
        if (token.content.startsWith('<')) return this.addLiteral(token.content)
        this.text += showEmphasis(token.content)
        return
      case 'html_inline':
        return this.addLiteral(showEmphasis(token.content))
      case 'softbreak':
      case 'hardbreak':
        return this.add(nodes.hard_break.create(null, null, this.marks()))
      case 'code_inline':
        return this.addCode(showEmphasis(token.content))
      case 'image':
        return this.add(
          nodes.image.create(
            { src: text(token, 'src'), alt: showEmphasis(altOf(token.children!)), title: text(token, 'title') },
            null,
            this.marks(),
          ),
        )
      default:
        this.loss = token.type
    }
  }

  private marks = (): Mark[] => this.open.map(({ mark }) => mark)

  private add(node: Node) {
    this.endText()
    this.found.push(node)
  }

  private addLiteral(text: string) {
    this.endText()
    this.found.push(schema.text(text, this.marks()))
  }

  private addCode(text: string) {
    if (text === '') return
    const last = this.found.at(-1)
    if (this.text === '' && last?.isText && marks.code.isInSet(last.marks)) this.loss = 'adjacent'
    this.add(schema.text(text, [...this.marks(), marks.code.create()]))
  }

  private endText() {
    if (this.text === '') return
    if (MAYBE_TAG.test(this.text) && /@|:\/\/|www\./i.test(this.text)) this.loss = 'tag'
    this.text.split(MENTION).forEach((part, at) => {
      if (at % 2 === 1) this.found.push(nodes.mention.create({ id: part }, null, this.marks()))
      else if (part !== '') this.found.push(schema.text(part, this.marks()))
    })
    this.text = ''
  }

  private openMark(kind: Kind, token: Token) {
    this.endText()
    if (this.open.some((other) => other.kind === kind)) this.loss = 'nested'
    const isInOrder = this.open.every((other) => RANK.indexOf(other.kind) < RANK.indexOf(kind))
    const outer = this.open.map(({ mark }) => mark.attrs.nesting as number)
    const nesting = isInOrder ? Math.max(0, ...outer) : Math.max(0, ...outer) + 1
    const attrs = kind === 'link' ? { href: text(token, 'href'), title: text(token, 'title'), nesting } : { nesting }
    const mark = marks[kind].create(attrs)
    // A document has no border between two that are alike.
    if (this.closed.some((other) => other.at === this.found.length && isSame(other.mark, mark))) this.loss = 'adjacent'
    this.open.push({ mark, kind, from: this.found.length })
  }

  private closeMark() {
    this.endText()
    const { mark, from } = this.open.pop()!
    if (from === this.found.length) this.loss = 'empty'
    this.closed = [...this.closed.filter(({ at }) => at === this.found.length), { mark, at: this.found.length }]
  }
}

/** Whether two marks show the same. */
export const isSame = (a: Mark, b: Mark): boolean =>
  a.type === b.type && a.attrs.href === b.attrs.href && a.attrs.title === b.attrs.title

const altOf = (tokens: readonly Token[]): string =>
  tokens
    .map((token) =>
      token.type === 'softbreak' || token.type === 'hardbreak'
        ? ' '
        : token.type === 'image'
          ? altOf(token.children!)
          : token.content,
    )
    .join('')
