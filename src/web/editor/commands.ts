import { chainCommands, lift, setBlockType, toggleMark, wrapIn } from 'prosemirror-commands'
import { Fragment, type MarkType, type Node, type NodeType } from 'prosemirror-model'
import { liftListItem, wrapInList } from 'prosemirror-schema-list'
import {
  type Command,
  type EditorState,
  NodeSelection,
  Selection,
  TextSelection,
  type Transaction,
} from 'prosemirror-state'
import { isList, schema } from './schema'

const { nodes, marks } = schema

/** What is on where the caret is, for the toolbar. */
export interface Formatting {
  style: 'text' | 'heading-1' | 'heading-2' | 'heading-3' | 'heading' | 'code'
  marks: ReadonlySet<string>
  list: 'bullet' | 'ordered' | 'checklist' | undefined
  isQuote: boolean
  isTable: boolean
  /** Whether text can be formatted here: not in code. */
  isText: boolean
}

export function getFormatting(state: EditorState): Formatting {
  const { $from, empty, ranges } = state.selection
  const block = $from.parent
  const names = Object.keys(marks).filter((name) => {
    const type = schema.marks[name]!
    if (empty) return type.isInSet(state.storedMarks ?? $from.marks()) !== undefined
    return ranges.every(({ $from, $to }) => state.doc.rangeHasMark($from.pos, $to.pos, type))
  })
  const item = findParent(state, (node) => node.type === nodes.list_item)
  const list = item && state.doc.resolve(item.at).parent
  return {
    style: getStyle(block),
    marks: new Set(names),
    list: !list
      ? undefined
      : item.node.attrs.isChecked !== null
        ? 'checklist'
        : list.type === nodes.ordered_list
          ? 'ordered'
          : 'bullet',
    isQuote: findParent(state, (node) => node.type === nodes.blockquote) !== undefined,
    isTable: findParent(state, (node) => node.type === nodes.table) !== undefined,
    isText: block.type !== nodes.code_block,
  }
}

function getStyle(block: Node): Formatting['style'] {
  if (block.type === nodes.code_block) return 'code'
  if (block.type !== nodes.heading) return 'text'
  const { level } = block.attrs
  return level === 1 ? 'heading-1' : level === 2 ? 'heading-2' : level === 3 ? 'heading-3' : 'heading'
}

/** The closest node around the caret that is like this, and where it begins. */
export function findParent(state: EditorState, isWanted: (node: Node) => boolean) {
  const { $from } = state.selection
  for (let depth = $from.depth; depth > 0; depth--) {
    const node = $from.node(depth)
    if (isWanted(node)) return { node, at: $from.before(depth), depth }
  }
  return undefined
}

export const toggle = (name: 'strong' | 'em' | 'del'): Command => toggleMark(marks[name])

/** Code within a line; of several lines, a block. */
export const toggleCode: Command = (state, dispatch, view) => {
  const { $from, $to, empty } = state.selection
  if ($from.parent.type === nodes.code_block || !$from.sameParent($to) || (empty && $from.parent.content.size === 0))
    return toggleCodeBlock(state, dispatch, view)
  return toggleMark(marks.code)(state, dispatch, view)
}

const toggleCodeBlock: Command = (state, dispatch, view) => {
  const { $from, $to } = state.selection
  if ($from.parent.type === nodes.code_block) return setBlockType(nodes.paragraph)(state, dispatch, view)
  const range = $from.blockRange($to)
  if (!range) return false
  if (range.endIndex - range.startIndex === 1 && $from.sameParent($to))
    return setBlockType(nodes.code_block)(state, dispatch, view)
  const lines: string[] = []
  state.doc.nodesBetween(range.start, range.end, (node) => {
    if (node.isTextblock)
      lines.push(
        node.textBetween(0, node.content.size, undefined, (leaf) => (leaf.type === nodes.hard_break ? '\n' : '')),
      )
  })
  const text = lines.join('\n')
  const code = nodes.code_block.create(null, text ? [schema.text(text)] : [])
  dispatch?.(state.tr.replaceRangeWith(range.start, range.end, code).scrollIntoView())
  return true
}

export const setStyle =
  (style: Formatting['style']): Command =>
  (state, dispatch, view) => {
    if (style === 'code') return toggleCodeBlock(state, dispatch, view)
    if (style === 'text') return setBlockType(nodes.paragraph)(state, dispatch, view)
    return setBlockType(nodes.heading, { level: Number(style.slice(-1)) })(state, dispatch, view)
  }

export const toggleQuote: Command = (state, dispatch, view) =>
  findParent(state, (node) => node.type === nodes.blockquote)
    ? lift(state, dispatch, view)
    : wrapIn(nodes.blockquote)(state, dispatch, view)

type ListKind = NonNullable<Formatting['list']>

/** Makes the selected blocks items of a list, changes the list that they are in, or makes them plain again. */
export const toggleList =
  (kind: ListKind): Command =>
  (state, dispatch, view) => {
    const current = getFormatting(state).list
    if (current === kind) return liftListItem(nodes.list_item)(state, dispatch, view)
    if (current) return changeList(state, kind, dispatch)
    const type = kind === 'ordered' ? nodes.ordered_list : nodes.bullet_list
    // A heading or code cannot be an item of its own in what people expect of a list.
    return wrapInList(type)(
      state,
      dispatch && ((tr) => dispatch(kind === 'checklist' ? setBoxes(tr, false) : tr)),
      view,
    )
  }

function changeList(state: EditorState, kind: ListKind, dispatch: ((tr: Transaction) => void) | undefined): boolean {
  const found = findParent(state, isList)
  if (!found) return false
  const type = kind === 'ordered' ? nodes.ordered_list : nodes.bullet_list
  const { tr } = state
  if (found.node.type !== type) tr.setNodeMarkup(found.at, type, { isTight: found.node.attrs.isTight })
  dispatch?.(setBoxes(tr, kind === 'checklist' ? false : null))
  return true
}

/** Sets the boxes of the selected items. Those that have one keep it. */
function setBoxes(tr: Transaction, isChecked: boolean | null): Transaction {
  const { $from, $to } = tr.selection
  const range = $from.blockRange($to, isList)
  if (!range) return tr
  range.parent.forEach((item, offset) => {
    const at = range.$from.start(range.depth) + offset
    const isIn = at + item.nodeSize > $from.pos && at < $to.pos
    const isAll = isChecked === null || $from.pos === $to.pos
    if ((isIn || isAll) && (isChecked === null || item.attrs.isChecked === null))
      tr.setNodeMarkup(at, null, { isChecked })
  })
  return tr
}

export const insertRule: Command = (state, dispatch) => insertBlock(nodes.rule.create())(state, dispatch)

/** Inserts a block where the caret is, in place of an empty paragraph, and a line below it if there is none. */
export const insertBlock =
  (block: Node): Command =>
  (state, dispatch) => {
    if (!dispatch) return true
    const { tr } = state
    const at = putBlock(tr, block, tr.selection.from)
    const after = at + block.nodeSize
    if (block.isAtom) {
      if (!tr.doc.resolve(after).nodeAfter) tr.insert(after, nodes.paragraph.create())
      tr.setSelection(Selection.near(tr.doc.resolve(after), 1))
    } else tr.setSelection(Selection.near(tr.doc.resolve(at + 1), 1))
    dispatch(tr.scrollIntoView())
    return true
  }

/** Puts a block near a position, and returns where it is. A paragraph around the position is split, or replaced if it is empty. */
export function putBlock(tr: Transaction, block: Node, position: number): number {
  const $at = tr.doc.resolve(Math.min(position, tr.doc.content.size))
  for (let depth = $at.depth; depth >= 0; depth--) {
    const parent = $at.node(depth)
    const index = $at.index(depth)
    if (
      depth < $at.depth &&
      ($at.node(depth + 1).type === nodes.code_block || $at.node(depth + 1).type === nodes.table)
    ) {
      return insertAt(tr, $at.after(depth + 1), block)
    }
    if (parent.isTextblock || !parent.canReplaceWith(index, index, block.type)) continue
    if (depth === $at.depth) return insertAt(tr, $at.pos, block)
    const inner = $at.node(depth + 1)
    if (hasTableAbove($at, depth)) continue
    if (inner.type === nodes.paragraph && inner.content.size === 0) {
      tr.replaceWith($at.before(depth + 1), $at.after(depth + 1), block)
      return tr.mapping.map($at.before(depth + 1), -1)
    }
    if ($at.parentOffset === 0 && depth + 1 === $at.depth) return insertAt(tr, $at.before(depth + 1), block)
    if (inner.isTextblock && $at.parentOffset < inner.content.size) {
      tr.split($at.pos)
      return insertAt(tr, $at.pos + 1, block)
    }
    return insertAt(tr, $at.after(depth + 1), block)
  }
  return insertAt(tr, tr.doc.content.size, block)
}

const hasTableAbove = ($at: ReturnType<Node['resolve']>, depth: number) =>
  Array.from({ length: depth + 1 }, (_, at) => $at.node(at)).some(({ type }) => type === nodes.table)

function insertAt(tr: Transaction, at: number, block: Node): number {
  tr.insert(at, block)
  return at
}

const emptyCell = (type: NodeType) => type.createAndFill()!

/** A table of empty cells, the first row as its head. */
export function createTable(rows = 3, columns = 3): Node {
  const row = (type: NodeType) =>
    nodes.table_row.create(
      null,
      Array.from({ length: columns }, () => emptyCell(type)),
    )
  return nodes.table.create(
    null,
    Array.from({ length: rows }, (_, at) => row(at === 0 ? nodes.table_header : nodes.table_cell)),
  )
}

export const insertTable: Command = (state, dispatch) => insertBlock(createTable())(state, dispatch)

export const insertCodeBlock: Command = chainCommands(
  (state, dispatch, view) => {
    const { parent } = state.selection.$from
    return parent.type === nodes.paragraph && parent.content.size === 0
      ? setBlockType(nodes.code_block)(state, dispatch, view)
      : false
  },
  (state, dispatch) => insertBlock(nodes.code_block.create())(state, dispatch),
)

/** Enter in a code block ends it after two empty lines, and elsewhere keeps the indentation. */
export const newLineInCode: Command = (state, dispatch) => {
  const { $from, empty } = state.selection
  if ($from.parent.type !== nodes.code_block) return false
  const before = $from.parent.textBetween(0, $from.parentOffset)
  if (empty && $from.parentOffset === $from.parent.content.size && /(?:^|\n)\n$/.test(before)) {
    const { tr } = state
    tr.delete($from.pos - 2 < $from.start() ? $from.start() : $from.pos - 2, $from.pos)
    const after = tr.mapping.map($from.after())
    tr.insert(after, nodes.paragraph.create()).setSelection(TextSelection.create(tr.doc, after + 1))
    dispatch?.(tr.scrollIntoView())
    return true
  }
  const indent = before.slice(before.lastIndexOf('\n') + 1).match(/^[ \t]*/)![0]
  dispatch?.(state.tr.insertText(`\n${indent}`).scrollIntoView())
  return true
}

/** Starts a line in the same paragraph; twice in a row, a new paragraph. */
export const newLine: Command = (state, dispatch) => {
  const { $from, empty } = state.selection
  if (!$from.parent.type.validContent(Fragment.from(nodes.hard_break.create()))) return false
  if (empty && $from.nodeBefore?.type === nodes.hard_break) {
    const { tr } = state
    tr.delete($from.pos - 1, $from.pos).split($from.pos - 1)
    dispatch?.(tr.scrollIntoView())
    return true
  }
  dispatch?.(state.tr.replaceSelectionWith(nodes.hard_break.create()).scrollIntoView())
  return true
}

/** The range of the mark around the caret. */
export function findMarkRange(state: EditorState, type: MarkType): { from: number; to: number } | undefined {
  const { $from } = state.selection
  const mark = type.isInSet($from.marks()) ?? type.isInSet($from.nodeAfter?.marks ?? [])
  if (!mark) return undefined
  let index = $from.index()
  if (!mark.isInSet($from.parent.maybeChild(index)?.marks ?? [])) index -= 1
  let [start, end] = [index, index]
  while (start > 0 && mark.isInSet($from.parent.child(start - 1).marks)) start -= 1
  while (end < $from.parent.childCount - 1 && mark.isInSet($from.parent.child(end + 1).marks)) end += 1
  let from = $from.start()
  for (let at = 0; at < start; at++) from += $from.parent.child(at).nodeSize
  let to = from
  for (let at = start; at <= end; at++) to += $from.parent.child(at).nodeSize
  return { from, to }
}

/** Moves a block or an item before the one above it, or after the one below it. */
export const move =
  (direction: 'up' | 'down'): Command =>
  (state, dispatch) => {
    const { $from, $to } = state.selection
    const isAtom = state.selection instanceof NodeSelection
    const range = $from.blockRange($to)
    if (!range) return false
    const item = findParent(state, (node) => node.type === nodes.list_item)
    const depth = isAtom ? range.depth : item ? item.depth - 1 : range.depth
    const index = $from.index(depth)
    const parent = $from.node(depth)
    const other = direction === 'up' ? index - 1 : index + 1
    if (other < 0 || other >= parent.childCount || $to.index(depth) !== index) return false
    if (!dispatch) return true
    const start = $from.posAtIndex(index, depth)
    const moved = parent.child(index)
    const neighbour = parent.child(other)
    const { tr } = state
    const [from, to] =
      direction === 'up'
        ? [start - neighbour.nodeSize, start + moved.nodeSize]
        : [start, start + moved.nodeSize + neighbour.nodeSize]
    tr.replaceWith(from, to, direction === 'up' ? [moved, neighbour] : [neighbour, moved])
    const shift = direction === 'up' ? -neighbour.nodeSize : neighbour.nodeSize
    tr.setSelection(
      isAtom
        ? NodeSelection.create(tr.doc, start + shift)
        : TextSelection.create(tr.doc, state.selection.anchor + shift, state.selection.head + shift),
    )
    dispatch(tr.scrollIntoView())
    return true
  }
