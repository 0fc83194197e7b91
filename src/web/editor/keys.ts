import {
  chainCommands,
  createParagraphNear,
  deleteSelection,
  joinBackward,
  joinForward,
  lift,
  liftEmptyBlock,
  newlineInCode,
  selectAll,
  selectNodeBackward,
  selectNodeForward,
  selectTextblockEnd,
  selectTextblockStart,
  setBlockType,
  splitBlock,
} from 'prosemirror-commands'
import { redo, undo } from 'prosemirror-history'
import { undoInputRule } from 'prosemirror-inputrules'
import { keymap } from 'prosemirror-keymap'
import { liftListItem, sinkListItem, splitListItem } from 'prosemirror-schema-list'
import { type Command, Selection } from 'prosemirror-state'
import { goToNextCell, isInTable } from 'prosemirror-tables'
import { findParent, move, newLine, newLineInCode, toggle, toggleCode, toggleList, toggleQuote } from './commands'
import { isList, schema } from './schema'

const { nodes } = schema
const isMac = /Mac|iPhone|iPad/.test(navigator.platform)

/** Backspace at the beginning of an item, a heading or code makes it plain first. */
const makePlain: Command = (state, dispatch, view) => {
  const { $from, empty } = state.selection
  if (!empty || $from.parentOffset > 0) return false
  const { type } = $from.parent
  if (type === nodes.heading || (type === nodes.code_block && $from.parent.content.size === 0))
    return setBlockType(nodes.paragraph)(state, dispatch, view)
  const item = findParent(state, (node) => node.type === nodes.list_item)
  if (!item || $from.index(item.depth) > 0 || $from.depth !== item.depth + 1) return false
  if (item.node.attrs.isChecked !== null) {
    dispatch?.(state.tr.setNodeMarkup(item.at, null, { isChecked: null }))
    return true
  }
  // With the item above, if there is one; else it leaves the list.
  return state.doc.resolve(item.at).index() > 0 ? false : liftListItem(nodes.list_item)(state, dispatch, view)
}

/** A new item of a checklist has a box that is not checked. */
const splitItem: Command = (state, dispatch, view) => {
  const item = findParent(state, (node) => node.type === nodes.list_item)
  if (!item) return false
  const attrs = item.node.attrs.isChecked === null ? undefined : { isChecked: false }
  const { $from } = state.selection
  // The end of a list: an empty item becomes a paragraph.
  if ($from.parent.content.size === 0 && $from.depth === item.depth + 1 && item.node.childCount === 1)
    return liftListItem(nodes.list_item)(state, dispatch, view)
  return splitListItem(nodes.list_item, attrs)(state, dispatch, view)
}

/** Enter in a table goes to the cell below, and to a line after the table from the last. */
const cellBelow: Command = (state, dispatch) => {
  const cell = findParent(state, ({ type }) => type === nodes.table_cell || type === nodes.table_header)
  if (!cell) return false
  const $cell = state.doc.resolve(cell.at)
  const table = $cell.node($cell.depth - 1)
  const [row, column] = [$cell.index($cell.depth - 1), $cell.index()]
  const { tr } = state
  if (row + 1 < table.childCount) {
    const below = $cell.posAtIndex(row + 1, $cell.depth - 1) + 1
    let at = below
    for (let index = 0; index < Math.min(column, table.child(row + 1).childCount - 1); index++)
      at += table.child(row + 1).child(index).nodeSize
    dispatch?.(tr.setSelection(Selection.near(tr.doc.resolve(at + 1))).scrollIntoView())
    return true
  }
  const after = $cell.after($cell.depth - 1)
  if (!tr.doc.resolve(after).nodeAfter) tr.insert(after, nodes.paragraph.create())
  dispatch?.(tr.setSelection(Selection.near(tr.doc.resolve(after + 1))).scrollIntoView())
  return true
}

/** Enter after three backticks, with or without a language, begins a block of code, also where Enter sends. */
const beginCode: Command = ({ selection: { $from, empty }, tr }, dispatch) => {
  const fence = /^(?:```|~~~)([\w+#-]*)$/.exec($from.parent.textContent)
  if (!fence || !empty || $from.parent.type !== nodes.paragraph || $from.parentOffset !== fence[0].length) return false
  if (!$from.node(-1).canReplaceWith($from.index(-1), $from.indexAfter(-1), nodes.code_block)) return false
  const at = $from.start()
  dispatch?.(tr.delete(at, $from.end()).setBlockType(at, at, nodes.code_block, { info: fence[1] }).scrollIntoView())
  return true
}

const backspace = chainCommands(undoInputRule, deleteSelection, makePlain, joinBackward, selectNodeBackward)
const del = chainCommands(deleteSelection, joinForward, selectNodeForward)

/** Starts a new block, item or row. */
const enter = chainCommands(
  beginCode,
  newLineInCode,
  cellBelow,
  splitItem,
  newlineInCode,
  createParagraphNear,
  liftEmptyBlock,
  splitBlock,
)

/** Tab moves items and goes from cell to cell; elsewhere it leaves the text, as everywhere on the page. */
const tab = (direction: 1 | -1): Command =>
  chainCommands(
    (state, dispatch, view) => isInTable(state) && goToNextCell(direction)(state, dispatch, view),
    direction === 1 ? sinkListItem(nodes.list_item) : liftNested,
    (state, dispatch) => {
      if (direction < 0 || state.selection.$from.parent.type !== nodes.code_block) return false
      dispatch?.(state.tr.insertText('  ').scrollIntoView())
      return true
    },
  )

/** Only an item within another: the outermost ones are made plain by Backspace. */
const liftNested: Command = (state, dispatch, view) => {
  const { $from } = state.selection
  const lists = Array.from({ length: $from.depth + 1 }, (_, depth) => $from.node(depth)).filter(isList)
  return lists.length > 1 && liftListItem(nodes.list_item)(state, dispatch, view)
}

const handled =
  (run: () => void): Command =>
  () => {
    run()
    return true
  }

export interface KeyHandlers {
  send(): void
  sendsOnEnter(): boolean
  /** Undefined if Escape does nothing. */
  getEscape(): (() => void) | undefined
  link(): boolean
}

/** The same keys as in plain Markdown, and those that only formatted text needs. */
export function createKeymaps({ send, sendsOnEnter, getEscape, link }: KeyHandlers) {
  const shiftEnter: Command = (state, dispatch, view) =>
    chainCommands(
      beginCode,
      newLineInCode,
      cellBelow,
      sendsOnEnter() ? splitItem : () => false,
      newLine,
      splitBlock,
    )(state, dispatch, view)
  return [
    keymap({
      'Mod-Enter': handled(send),
      Enter: (state, dispatch, view) =>
        sendsOnEnter() ? chainCommands(beginCode, handled(send))(state, dispatch, view) : enter(state, dispatch, view),
      'Shift-Enter': shiftEnter,
      Escape: () => {
        const run = getEscape()
        run?.()
        return run !== undefined
      },
      'Mod-b': toggle('strong'),
      'Mod-i': toggle('em'),
      'Mod-Shift-x': toggle('del'),
      'Mod-e': toggleCode,
      'Mod-k': () => link(),
      'Mod-Shift-7': toggleList('ordered'),
      'Mod-Shift-8': toggleList('bullet'),
      'Mod-Shift-9': toggleList('checklist'),
      'Mod-Shift-.': toggleQuote,
      'Mod-a': selectAll,
      'Mod-z': undo,
      'Mod-y': redo,
      'Mod-Shift-z': redo,
      'Alt-ArrowUp': move('up'),
      'Alt-ArrowDown': move('down'),
      Tab: tab(1),
      'Shift-Tab': tab(-1),
      'Mod-[': chainCommands(liftNested, lift),
      Backspace: backspace,
      'Mod-Backspace': backspace,
      'Shift-Backspace': backspace,
      Delete: del,
      'Mod-Delete': del,
      ...(isMac && {
        'Ctrl-h': backspace,
        'Alt-Backspace': backspace,
        'Ctrl-d': del,
        'Ctrl-a': selectTextblockStart,
        'Ctrl-e': selectTextblockEnd,
      }),
    }),
  ]
}
