import { Fragment, Node, Slice } from 'prosemirror-model'
import { MAX_DEPTH } from './read'
import { toDocument } from './round-trip'
import { schema } from './schema'

const { nodes } = schema

/** Plain text: rows of a sheet, Markdown, or lines. */
export function readText(text: string): Slice | undefined {
  const table = toTable(text)
  if (table) return new Slice(Fragment.from(table), 0, 0)
  const doc = toDocument(text.trim())
  if (!doc || !isFormatted(doc)) return text === '' ? undefined : toParagraphs(text)
  return Slice.maxOpen(doc.content).openStart > 0 && doc.childCount === 1 && doc.firstChild!.type === nodes.paragraph
    ? new Slice(doc.content, 1, 1)
    : new Slice(doc.content, 0, doc.lastChild!.type === nodes.paragraph ? 1 : 0)
}

/** Whether it is more than lines of text. */
function isFormatted(doc: Node): boolean {
  let found = false
  doc.descendants((node) => {
    found ||= node.marks.length > 0 || !(node.type === nodes.paragraph || node.isText || node.type === nodes.hard_break)
    return !found
  })
  return found
}

/** Lines of text, as they are: blank lines end paragraphs. */
export function toParagraphs(text: string): Slice {
  const paragraphs = text
    .replace(/\r\n?/g, '\n')
    .replace(/^\n+|(?<!\n)\n+$/g, '')
    .split(/\n(?:[ \t]*\n)+/)
    .map((paragraph) => nodes.paragraph.create(null, toLines(paragraph)))
  return new Slice(Fragment.from(paragraphs), 1, 1)
}

const toLines = (paragraph: string): Node[] =>
  paragraph
    .split('\n')
    .flatMap((line, at) => [...(at > 0 ? [nodes.hard_break.create()] : []), ...(line ? [schema.text(line)] : [])])

/** More cells make every key slow. */
export const MAX_CELLS = 5_000

/** Cells between tabs. */
function toTable(text: string): Node | undefined {
  const rows = text
    .replace(/\r\n?/g, '\n')
    .replace(/\n$/, '')
    .split('\n')
    .map((row) => row.split('\t'))
  const width = rows[0]!.length
  if (rows.length < 2 || width < 2 || rows.length * width > MAX_CELLS || rows.some((row) => row.length !== width))
    return undefined
  const toCell = (cell: string, row: number) =>
    (row === 0 ? nodes.table_header : nodes.table_cell).create(null, cell.trim() ? [schema.text(cell.trim())] : [])
  return nodes.table.create(
    null,
    rows.map((row, at) =>
      nodes.table_row.create(
        null,
        row.map((cell) => toCell(cell, at)),
      ),
    ),
  )
}

/** Also one that nothing ends: a search that fails would begin again at the next `<`. */
const TAG = /<(\/?)([a-z][^\s/>]*)([\s/][^>]*)?(>|$)/gi
/** In HTML they hold nothing that is shown. */
const EMPTY_TAG = /^(?:base|link|meta|embed|frame)$/i
const HIDDEN_TAG = /^(?:script|style|iframe|object|noscript|template|title)$/i

/**
 * Renames what browsers act upon. The policy of the page would stop it in any case, but it applies to HTML that is parsed apart as
 * well: it would report each style, and keep it from being read.
 */
export const disarm = (html: string): string =>
  html.replace(TAG, (_, slash: string, name: string, attributes: string = '', end: string) => {
    if (EMPTY_TAG.test(name)) return ''
    const renamed = HIDDEN_TAG.test(name) ? `x-${name}` : name
    return `<${slash}${renamed}${attributes.replace(/([\s"'/])(style|on[a-z]+)(?=\s*=)/gi, '$1data-$2')}${end}`
  })

/** The list and the item of each level. */
const MAX_NESTED = 2 * MAX_DEPTH

/** Whether it is nested more deeply than a text that is shown formatted. A table has four levels of its own. */
export const isTooDeep = ({ content }: Fragment, depth = 1): boolean =>
  content.some((node) => depth > MAX_NESTED + 4 || isTooDeep(node.content, depth + 1))

/** The nodes around what was copied from a text of this app, as ProseMirror notes them; or as someone says who imitates it. */
export function inContext(slice: Slice, context: string): Slice {
  let { content, openStart, openEnd } = slice
  try {
    const around = JSON.parse(context) as unknown[]
    if (around.length > 2 * MAX_NESTED) return slice
    for (let at = around.length - 2; at >= 0; at -= 2) {
      const type = schema.nodes[around[at] as string]
      if (!type || type.hasRequiredAttrs()) break
      // Reading it as JSON checks the attributes.
      const { attrs } = Node.fromJSON(schema, { type: type.name, attrs: around[at + 1] })
      content = Fragment.from(type.createChecked(attrs, content))
      openStart += 1
      openEnd += 1
    }
    return new Slice(content, openStart, openEnd)
  } catch {
    return slice
  }
}
