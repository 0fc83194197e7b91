import type { Node } from 'prosemirror-model'
import { getSource } from './read'
import { isList, schema } from './schema'
import { writeImage, writeInline, writeLabel } from './write-inline'

const { nodes } = schema

/** What was written of a block. Blocks never change, so that a key costs no more than the block that it changes. */
const written = new WeakMap<Node, string>()

/** A document as Markdown. Blocks that have not changed since they were read stay as they were written. */
export const writeMarkdown = (doc: Node): string => writeBlocks(doc.children, { isTight: false, hasSources: true })

/** The same without what it was read from. */
export const rewriteMarkdown = (doc: Node): string => writeBlocks(doc.children, { isTight: false, hasSources: false })

interface Options {
  isTight: boolean
  hasSources: boolean
}

function writeBlocks(blocks: readonly Node[], { isTight, hasSources }: Options): string {
  let text = ''
  let before: Node | undefined
  let marker: string | undefined
  for (const block of blocks) {
    if (isEmptyParagraph(block)) continue
    const part = writeBlock(block, {
      hasSources,
      other: before?.type === block.type ? marker : undefined,
    })
    if (before) text += isTight && canFollow(before, block) ? '\n' : '\n\n'
    text += part
    marker = isList(block) ? getMarker(part) : undefined
    before = block
  }
  return text
}

const isEmptyParagraph = ({ type, content }: Node) => type === nodes.paragraph && content.size === 0

/** The marker of a list, to be told from that of the next. All its items have the same. */
const getMarker = (list: string): string | undefined => /^ *(?:[-*+]|\d+[.)])/.exec(list)?.[0].at(-1)

/** Whether a block may follow another without a blank line. */
function canFollow(before: Node, block: Node): boolean {
  if (before.type === nodes.paragraph) {
    if (block.type === nodes.bullet_list) return !isEmptyItem(block.firstChild!)
    if (block.type === nodes.ordered_list) return block.attrs.start === 1 && !isEmptyItem(block.firstChild!)
    return block.type === nodes.code_block || block.type === nodes.blockquote || block.type === nodes.heading
  }
  if (before.type === nodes.code_block || before.type === nodes.heading || before.type === nodes.rule)
    return block.type !== nodes.table
  return isList(before) && isList(block) && (block.type === nodes.bullet_list || block.attrs.start === 1)
}

const isEmptyItem = (item: Node): boolean =>
  item.attrs.isChecked === null &&
  (isEmptyParagraph(item.firstChild!) || (isList(item.firstChild!) && isEmptyItem(item.firstChild!.firstChild!)))

function writeBlock(block: Node, { hasSources, other }: { hasSources: boolean; other: string | undefined }): string {
  if (other !== undefined) return writeNew(block, hasSources, other)
  const source = hasSources ? getSource(block) : undefined
  if (source !== undefined) return source
  if (!hasSources) return writeNew(block, hasSources)
  const known = written.get(block)
  if (known !== undefined) return known
  const text = writeNew(block, hasSources)
  written.set(block, text)
  return text
}

function writeNew(block: Node, hasSources: boolean, other?: string): string {
  switch (block.type) {
    case nodes.paragraph:
      return writeInline(block, 'paragraph')
    case nodes.heading:
      return writeHeading(block)
    case nodes.blockquote:
      return prefix(writeBlocks(block.children, { isTight: false, hasSources }), '> ', '> ')
    case nodes.code_block:
      return writeCode(block)
    case nodes.bullet_list:
    case nodes.ordered_list:
      return writeList(block, hasSources, other)
    case nodes.table:
      return writeTable(block)
    case nodes.rule:
      // `---` would be a heading below a line, and `- ---` a rule instead of a list.
      return '***'
    default:
      return writeFile(block.attrs)
  }
}

/** With a line break in it, a heading can only be underlined. */
function writeHeading(block: Node): string {
  const { level } = block.attrs
  const hasBreak = block.children.some(({ type }) => type === nodes.hard_break)
  if (hasBreak && level <= 2) {
    const text = writeInline(block, 'paragraph')
    if (text !== '') return `${text}\n${level === 1 ? '===' : '---'}`
  }
  return `${'#'.repeat(level)} ${writeInline(block, 'heading')}`.trimEnd()
}

function writeCode(block: Node): string {
  const { info } = block.attrs
  const text = block.textContent
  const letter = info.includes('`') ? '~' : '`'
  const longest = Math.max(2, ...(text.match(letter === '~' ? /~{3,}/g : /`{3,}/g) ?? []).map(({ length }) => length))
  const fence = letter.repeat(longest + 1)
  return `${fence}${info}\n${text}\n${fence}`
}

function writeList(list: Node, hasSources: boolean, other: string | undefined): string {
  const isOrdered = list.type === nodes.ordered_list
  const isTight = list.attrs.isTight as boolean
  const items = list.children.map((item, at) => {
    const marker = isOrdered ? `${list.attrs.start + at}${other === '.' ? ')' : '.'}` : other === '-' ? '*' : '-'
    return writeItem(item, marker, isTight, hasSources)
  })
  return items.join(isTight ? '\n' : '\n\n')
}

function writeItem(item: Node, marker: string, isTight: boolean, hasSources: boolean): string {
  const box = item.attrs.isChecked === null ? '' : item.attrs.isChecked ? '[x] ' : '[ ] '
  const text = writeBlocks(item.children, { isTight, hasSources })
  const indent = ' '.repeat(marker.length + 1)
  // A check box is part of the first line.
  const isLine = item.firstChild!.type === nodes.paragraph
  const content =
    box === ''
      ? text
      : isLine && item.firstChild!.content.size > 0
        ? box + text
        : `${box.trim()}${text && `\n\n${text}`}`
  return prefix(content, `${marker} `, indent).trimEnd()
}

/** Adds something before each line; blank lines stay blank but for the marker of a quotation. */
const prefix = (text: string, first: string, others: string): string =>
  text
    .split('\n')
    .map((line, at) => {
      const start = at === 0 ? first : others
      return line === '' ? start.trimEnd() : start + line
    })
    .join('\n')

function writeTable(table: Node): string {
  const rows = table.children.map((row) => row.children.map((cell) => writeInline(cell, 'cell')))
  const width = Math.max(...rows.map(({ length }) => length))
  const line = (cells: readonly string[]) =>
    `| ${Array.from({ length: width }, (_, at) => cells[at] ?? '').join(' | ')} |`
  const [head, ...body] = rows
  const aligns = Array.from(
    { length: width },
    (_, at) => ALIGNS[(table.firstChild!.maybeChild(at)?.attrs.align as string) ?? 'none']!,
  )
  return [line(head!), line(aligns), ...body.map(line)].join('\n')
}

const ALIGNS: Record<string, string> = { left: ':--', center: ':-:', right: '--:', none: '---' }

const writeFile = ({ id, label, title, isShown }: Node['attrs']): string =>
  isShown ? writeImage({ src: id, alt: label, title }) : `[${writeLabel(label)}](${id})`
