import { DOMParser as DocumentParser, Slice } from 'prosemirror-model'
import { NodeSelection, TextSelection, type Transaction } from 'prosemirror-state'
import type { EditorView } from 'prosemirror-view'
import { isFilePaste, listFiles } from '../parts/drop-targets'
import { trustHtml } from '../parts/trusted-types'
import { disarm, inContext, isTooDeep, MAX_CELLS, readText, toParagraphs } from './pasted-text'
import { schema } from './schema'

const { nodes, marks } = schema
const parser = DocumentParser.fromSchema(schema)

/** Inserts what is pasted or dropped, as far as a text can have it. */
export function insertData(
  view: EditorView,
  data: DataTransfer,
  options: { isPlain: boolean; onFiles(files: File[]): void },
) {
  const { files } = listFiles(data)
  if (files.length > 0 && isFilePaste(data)) return options.onFiles(files)
  const text = data.getData('text/plain')
  const { $from, $to } = view.state.selection
  const isCode =
    $from.parent.type === nodes.code_block || ($from.sameParent($to) && marks.code.isInSet($from.marks()) !== undefined)
  if (isCode || (options.isPlain && text)) return insertText(view, text, isCode)
  if (linkSelection(view, text)) return
  // Code editors add HTML that only has their colours.
  const html = data.types.includes('vscode-editor-data') ? '' : data.getData('text/html')
  const insertion = createInsertion(view.state.tr, html, text)
  if (insertion) view.dispatch(insertion)
  else insertText(view, text, false)
}

/** Undefined if there is nothing to insert, or if it is so large or so nested that it can only be inserted as text. */
function createInsertion(tr: Transaction, html: string, text: string): Transaction | undefined {
  try {
    const slice = html ? readHtml(html) : readText(text)
    return slice && slice.size > 0 && !isTooDeep(slice.content) ? insertSlice(tr, slice) : undefined
  } catch {
    return undefined
  }
}

function insertSlice(tr: Transaction, slice: Slice): Transaction {
  const single =
    slice.openStart === 0 && slice.openEnd === 0 && slice.content.childCount === 1 ? slice.content.firstChild : null
  if (single) tr.replaceSelectionWith(single, false)
  else tr.replaceSelection(slice)
  return tr.scrollIntoView().setMeta('paste', true).setMeta('uiEvent', 'paste')
}

function insertText(view: EditorView, text: string, isCode: boolean) {
  if (text === '') return
  if (isCode) {
    const isBlock = view.state.selection.$from.parent.type === nodes.code_block
    const lines = text.replace(/\r\n?/g, '\n')
    view.dispatch(view.state.tr.insertText(isBlock ? lines : lines.replaceAll('\n', ' ')).scrollIntoView())
  } else view.dispatch(insertSlice(view.state.tr, toParagraphs(text)))
}

const URL_TEXT = /^(?:https?:\/\/|mailto:)\S+$/i

/** An address pasted on a selection makes it a link. */
function linkSelection(view: EditorView, text: string): boolean {
  const { selection, tr, doc } = view.state
  const url = text.trim()
  if (selection.empty || selection instanceof NodeSelection || !URL_TEXT.test(url)) return false
  const { from, to, $from, $to } = TextSelection.between(selection.$from, selection.$to)
  if (!$from.sameParent($to) || !$from.parent.type.allowsMarkType(marks.link)) return false
  if (URL_TEXT.test(doc.textBetween(from, to).trim())) return false
  view.dispatch(tr.addMark(from, to, marks.link.create({ href: url })).scrollIntoView())
  return true
}

/**
 * HTML as a part of a document. It is parsed apart from the page, where no script runs and nothing is loaded; only what the schema
 * knows is taken from it.
 */
function readHtml(html: string): Slice {
  const { body } = new DOMParser().parseFromString(trustHtml(disarm(html)), 'text/html')
  for (const element of body.querySelectorAll<HTMLElement>('[data-style]')) applyStyle(element)
  const own = body.querySelector('[data-pm-slice]')?.getAttribute('data-pm-slice')
  for (const element of body.querySelectorAll(HIDDEN)) element.remove()
  limitTables(body)
  if (!own) prepare(body)
  const slice = parser.parseSlice(body, { preserveWhitespace: !!own })
  const [whole, start, end, context] = own?.match(/^(\d+) (\d+)(?: -\d+)? (.*)$/s) ?? []
  if (whole === undefined) return slice
  return inContext(
    new Slice(slice.content, Math.min(Number(start), slice.openStart), Math.min(Number(end), slice.openEnd)),
    context!,
  )
}

const HIDDEN = 'x-script, x-style, x-iframe, x-object, x-noscript, x-template, x-title'

const STYLE = /(?:^|;)\s*(font-weight|font-style|text-decoration|text-decoration-line|text-align)\s*:\s*([a-z\d -]+)/gi

function applyStyle(element: HTMLElement) {
  for (const [, name, value] of element.dataset.style!.matchAll(STYLE)) element.style.setProperty(name!, value!.trim())
}

/** Brings what other programs write into the form that the schema knows. */
function prepare(body: HTMLElement) {
  joinWordLists(body)
  // Google Docs puts a list that is in another beside its item.
  for (const list of body.querySelectorAll(':is(ul, ol) > :is(ul, ol)')) {
    const item = list.previousElementSibling
    if (item?.tagName === 'LI') item.append(list)
  }
  for (const table of body.querySelectorAll('table')) prepareTable(table)
  // The line break at the end of code ends its last line.
  for (const code of body.querySelectorAll('pre')) {
    const text = code.ownerDocument.createTreeWalker(code, NodeFilter.SHOW_TEXT)
    let last: globalThis.Node | undefined
    while (text.nextNode()) last = text.currentNode
    if (last) last.nodeValue = last.nodeValue!.replace(/\n$/, '')
  }
}

/** All rows of a table get as many cells as the longest one: a few words of HTML can be millions. Too large ones become lines of text. */
function limitTables(body: HTMLElement) {
  let room = MAX_CELLS
  for (const table of body.querySelectorAll('table')) {
    const rows = [...table.rows]
    const width = rows.reduce((longest, row) => Math.max(longest, countCells(row)), 0)
    if (rows.length * width <= room) room -= rows.length * width
    else
      table.replaceWith(
        ...rows.map((row) =>
          toBlock(
            'p',
            [...row.cells].flatMap((cell) => [...cell.childNodes, ' ']),
          ),
        ),
      )
  }
}

const countCells = (row: HTMLTableRowElement) => [...row.cells].reduce((count, cell) => count + spanOf(cell), 0)

/** Wider cells only place what is in them. */
const spanOf = ({ colSpan }: HTMLTableCellElement) => (colSpan < 100 ? colSpan : 1)

function toBlock(tag: string, content: (globalThis.Node | string)[]): HTMLElement {
  const block = document.createElement(tag)
  block.append(...content)
  return block
}

function prepareTable(table: HTMLTableElement) {
  // A table that only places other things is none.
  if (table.querySelector('table, h1, h2, h3, pre') || table.rows.length === 0) return unwrap(table)
  for (const element of table.querySelectorAll('caption, colgroup')) element.remove()
  for (const cell of table.querySelectorAll<HTMLTableCellElement>('td, th')) prepareCell(cell)
  if (table.querySelector('th') === null || table.rows[0]!.querySelector('td'))
    for (const cell of [...table.rows[0]!.cells]) rename(cell, 'th')
  for (const row of [...table.rows].slice(1))
    for (const cell of [...row.cells]) if (cell.tagName === 'TH') rename(cell, 'td')
}

const WITHIN_CELL = 'p, div, ul, ol, li, blockquote, h4, h5, h6, br, hr'

/** A cell is one line. */
function prepareCell(cell: HTMLTableCellElement) {
  for (const block of [...cell.querySelectorAll(WITHIN_CELL)]) {
    if (block.previousSibling || block.tagName === 'BR') block.before(' ')
    block.replaceWith(...block.childNodes)
  }
  cell.removeAttribute('rowspan')
  for (let at = 1; at < spanOf(cell); at++) cell.after(cell.ownerDocument.createElement(cell.tagName))
  cell.removeAttribute('colspan')
}

function rename(cell: HTMLTableCellElement, tag: string) {
  const renamed = cell.ownerDocument.createElement(tag)
  renamed.append(...cell.childNodes)
  if (cell.getAttribute('align')) renamed.setAttribute('align', cell.getAttribute('align')!)
  renamed.style.textAlign = cell.style.textAlign
  cell.replaceWith(renamed)
}

function unwrap(table: HTMLTableElement) {
  const parts = [...table.rows].flatMap((row) => [...row.cells]).filter((cell) => cell.closest('table') === table)
  table.replaceWith(...parts.map((cell) => toBlock('div', [...cell.childNodes])))
}

const WORD_ITEM = /mso-list:\s*l\d+ level(\d+)/i

/** Word writes the items of a list as paragraphs, with the bullet as text. */
function joinWordLists(body: HTMLElement) {
  const open: { list: HTMLElement; level: number; end: Element }[] = []
  for (const paragraph of [...body.querySelectorAll<HTMLElement>('p[data-style*="mso-list"]')]) {
    const level = Number(WORD_ITEM.exec(paragraph.dataset.style!)?.[1] ?? 1)
    const bullet = paragraph.querySelector<HTMLElement>(
      'span[data-style*="mso-list:Ignore" i], span[data-style*="mso-list: Ignore" i]',
    )
    const isOrdered = /^\s*(?:\d+|[a-z])[.)]/i.test(bullet?.textContent ?? '')
    bullet?.remove()
    if (open.length > 0 && paragraph.previousElementSibling !== open[0]!.list) open.length = 0
    while (open.length > 0 && open.at(-1)!.level > level) open.pop()
    const item = body.ownerDocument.createElement('li')
    if (open.at(-1)?.level !== level) {
      const list = body.ownerDocument.createElement(isOrdered ? 'ol' : 'ul')
      const parent = open.at(-1)?.list.lastElementChild
      if (parent) parent.append(list)
      else paragraph.before(list)
      open.push({ list, level, end: paragraph })
    }
    open.at(-1)!.list.append(item)
    item.append(...paragraph.childNodes)
    paragraph.remove()
  }
}
