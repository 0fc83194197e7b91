import * as Ariakit from '@ariakit/react'
import { type Command, Selection } from 'prosemirror-state'
import {
  addColumnAfter,
  addColumnBefore,
  addRowAfter,
  addRowBefore,
  deleteColumn,
  deleteRow,
  deleteTable,
  selectedRect,
} from 'prosemirror-tables'
import { memo, type ReactNode, useRef, useSyncExternalStore } from 'react'
import { EmojiTool, FileTool } from '../composer/toolbar'
import { formatKey, toAriaKey } from '../parts/format-key'
import { Icon, type IconName } from '../parts/icon'
import { MenuList } from '../parts/menu'
import { Tip } from '../parts/tip'
import {
  type Formatting,
  getFormatting,
  insertTable,
  setStyle,
  toggle,
  toggleCode,
  toggleList,
  toggleQuote,
} from './commands'
import type { RichEditor } from './rich-editor'

interface Props {
  editor: RichEditor
  /** Beside the button that sends: without the tools that comments need least, which are in the menu of `/`, too. */
  isCompact: boolean
  onFiles(files: File[]): void
}

/** The tools of formatted text. One stop of the Tab key; the arrow keys move within. */
function Tools({ editor, isCompact, onFiles }: Props) {
  const formatting = useFormatting(editor)
  const { marks, list, isQuote, isText } = formatting
  const element = useRef<HTMLElement>(null)
  element.current = editor.view.dom
  const tool = (label: string, icon: IconName, key: string, command: Command, isOn?: boolean) => (
    <Tool label={label} icon={icon} shortcut={key} isOn={isOn} run={() => editor.run(command)} />
  )
  return (
    <Ariakit.Toolbar className="toolbar rich-toolbar" aria-label="Formatting">
      <StyleMenu editor={editor} style={formatting.style} />
      <Line />
      {tool('Bold', 'bold', 'mod+b', toggle('strong'), marks.has('strong'))}
      {tool('Italic', 'italic', 'mod+i', toggle('em'), marks.has('em'))}
      {!isCompact && tool('Strikethrough', 'strike', 'mod+shift+x', toggle('del'), marks.has('del'))}
      <Tool
        label="Link"
        icon="link"
        shortcut="mod+k"
        isOn={marks.has('link')}
        run={() => editor.link()}
        disabledReason={isText ? undefined : 'Code has no links.'}
      />
      <Line />
      {tool('List', 'list', 'mod+shift+8', toggleList('bullet'), list === 'bullet')}
      {tool('Numbered list', 'list-ordered', 'mod+shift+7', toggleList('ordered'), list === 'ordered')}
      {tool('Checklist', 'checklist', 'mod+shift+9', toggleList('checklist'), list === 'checklist')}
      {!isCompact && tool('Quote', 'quote', 'mod+shift+.', toggleQuote, isQuote)}
      <Line />
      {tool('Code', 'code', 'mod+e', toggleCode, marks.has('code') || formatting.style === 'code')}
      {formatting.isTable ? (
        <TableMenu editor={editor} />
      ) : (
        !isCompact && <Tool label="Table" icon="table" run={() => editor.run(insertTable)} />
      )}
      {!isCompact && <FileTool label="Insert images" icon="image" accept="image/*" onFiles={onFiles} />}
      <Line />
      <Tool label="Mention" icon="mention" shortcut="@" run={() => editor.type('@')} />
      <EmojiTool
        finalFocus={element}
        insert={(emoji) => editor.view.dispatch(editor.view.state.tr.insertText(emoji).scrollIntoView())}
      />
      <FileTool label="Attach files" icon="paperclip" onFiles={onFiles} />
    </Ariakit.Toolbar>
  )
}

/** Each text has its own editor. Nothing else changes the tools, so they are not rendered with every key. */
export const RichToolbar = memo(Tools, (before, after) => before.editor === after.editor)

const Line = () => <Ariakit.ToolbarSeparator className="toolbar-line" orientation="vertical" />

/** Changes only when something in it does, not with every key. */
function useFormatting(editor: RichEditor): Formatting {
  const last = useRef<{ key: string; formatting: Formatting }>(undefined)
  return useSyncExternalStore(editor.subscribe, () => {
    const formatting = getFormatting(editor.view.state)
    const key = JSON.stringify({ ...formatting, marks: [...formatting.marks] })
    if (last.current?.key !== key) last.current = { key, formatting }
    return last.current.formatting
  })
}

interface ToolProps {
  label: string
  icon: IconName
  shortcut?: string
  /** Whether it is on where the caret is. */
  isOn?: boolean
  disabledReason?: string
  run(): void
}

const Tool = ({ label, icon, shortcut, isOn, disabledReason, run }: ToolProps) => (
  <Tip text={disabledReason ?? (shortcut ? `${label} (${formatKey(shortcut)})` : label)}>
    <Ariakit.ToolbarItem
      className="button plain icon"
      aria-label={label}
      aria-pressed={isOn}
      aria-keyshortcuts={shortcut?.startsWith('mod+') ? toAriaKey(shortcut) : undefined}
      aria-disabled={disabledReason !== undefined || undefined}
      // Keeps the focus in the text, and the keyboard of a phone open.
      onMouseDown={(event) => event.preventDefault()}
      onClick={disabledReason === undefined ? run : undefined}
    >
      <Icon name={icon} />
    </Ariakit.ToolbarItem>
  </Tip>
)

const styles: [Formatting['style'], string][] = [
  ['text', 'Text'],
  ['heading-1', 'Heading 1'],
  ['heading-2', 'Heading 2'],
  ['heading-3', 'Heading 3'],
  ['code', 'Code'],
]

/** The menu of a tool. The focus goes back into the text. */
const ToolMenu = ({ label, editor, children }: { label: string; editor: RichEditor; children: ReactNode }) => (
  <MenuList label={label} aria-label={label} gutter={6} fixed fitViewport finalFocus={editor.view.dom}>
    {children}
  </MenuList>
)

function StyleMenu({ editor, style }: { editor: RichEditor; style: Formatting['style'] }) {
  const menu = Ariakit.useMenuStore({ placement: 'top-start' })
  const label = styles.find(([name]) => name === style)?.[1] ?? 'Heading'
  return (
    <Ariakit.MenuProvider store={menu}>
      <Ariakit.ToolbarItem
        className="button plain text-style"
        aria-label={`Text style: ${label}`}
        onMouseDown={(event) => event.preventDefault()}
        render={<Ariakit.MenuButton />}
      >
        {label}
        <Icon name="down" size={14} />
      </Ariakit.ToolbarItem>
      <ToolMenu label="Text style" editor={editor}>
        {styles.map(([name, text]) => (
          <Ariakit.MenuItem
            key={name}
            className={`menu-item style-${name}`}
            role="menuitemradio"
            aria-checked={name === style}
            onClick={() => editor.run(setStyle(name))}
          >
            {text}
            {name === style && (
              <span className="menu-check">
                <Icon name="check" />
              </span>
            )}
          </Ariakit.MenuItem>
        ))}
      </ToolMenu>
    </Ariakit.MenuProvider>
  )
}

/** Aligns all cells of the selected columns: Markdown knows the alignment of columns only. */
const align =
  (value: 'left' | 'center' | 'right'): Command =>
  (state, dispatch) => {
    const { map, tableStart, left, right, table } = selectedRect(state)
    const { tr } = state
    for (let row = 0; row < map.height; row++)
      for (let column = left; column < right; column++) {
        const at = map.map[row * map.width + column]!
        const cell = table.nodeAt(at)
        if (cell)
          tr.setNodeMarkup(tableStart + at, null, { ...cell.attrs, align: cell.attrs.align === value ? null : value })
      }
    dispatch?.(tr)
    return true
  }

/** The first row is the head of a table, so nothing comes before it. */
const aboveHead: Command = (state, dispatch) =>
  selectedRect(state).top === 0 ? addRowAfter(state, dispatch) : addRowBefore(state, dispatch)

const deleteRowOrTable: Command = (state, dispatch) => {
  const { map, top, bottom } = selectedRect(state)
  if (top === 0 && bottom === map.height) return deleteTable(state, dispatch)
  if (top > 0) return deleteRow(state, dispatch)
  // The next row becomes the head.
  return deleteRow(state, dispatch && ((tr) => dispatch(asHead(tr))))
}

function asHead(tr: Parameters<NonNullable<Parameters<Command>[1]>>[0]) {
  const { $from } = tr.selection
  for (let depth = $from.depth; depth > 0; depth--) {
    const table = $from.node(depth)
    if (table.type.spec.tableRole !== 'table') continue
    const start = $from.start(depth)
    let at = start + 1
    for (const cell of table.firstChild!.children) {
      tr.setNodeMarkup(at, cell.type.schema.nodes.table_header, cell.attrs)
      at += cell.nodeSize
    }
    break
  }
  return tr
}

const tableEntries: ([string, Command] | 'line')[] = [
  ['Insert row above', aboveHead],
  ['Insert row below', addRowAfter],
  ['Insert column before', addColumnBefore],
  ['Insert column after', addColumnAfter],
  'line',
  ['Align left', align('left')],
  ['Align centre', align('center')],
  ['Align right', align('right')],
  'line',
  ['Delete row', deleteRowOrTable],
  [
    'Delete column',
    (state, dispatch) =>
      selectedRect(state).map.width === 1 ? deleteTable(state, dispatch) : deleteColumn(state, dispatch),
  ],
  ['Delete table', deleteTable],
]

function TableMenu({ editor }: { editor: RichEditor }) {
  const menu = Ariakit.useMenuStore({ placement: 'top-start' })
  const run = (command: Command) => {
    command(editor.view.state, editor.view.dispatch, editor.view)
    if (!editor.view.state.selection.$from.parent.inlineContent)
      editor.view.dispatch(editor.view.state.tr.setSelection(Selection.near(editor.view.state.selection.$from)))
    editor.view.focus()
  }
  return (
    <Ariakit.MenuProvider store={menu}>
      <Tip text="Table">
        <Ariakit.ToolbarItem
          className="button plain icon"
          aria-label="Table"
          aria-pressed
          onMouseDown={(event) => event.preventDefault()}
          render={<Ariakit.MenuButton />}
        >
          <Icon name="table" />
        </Ariakit.ToolbarItem>
      </Tip>
      <ToolMenu label="Table" editor={editor}>
        {tableEntries.map((entry, at) =>
          entry === 'line' ? (
            <Ariakit.MenuSeparator key={`line-${at}`} className="menu-line" />
          ) : (
            <Ariakit.MenuItem
              key={entry[0]}
              className={`menu-item ${entry[0].startsWith('Delete') ? 'danger' : ''}`}
              onClick={() => run(entry[1])}
            >
              {entry[0]}
            </Ariakit.MenuItem>
          ),
        )}
      </ToolMenu>
    </Ariakit.MenuProvider>
  )
}
