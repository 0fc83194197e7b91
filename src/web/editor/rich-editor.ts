import { gapCursor } from 'prosemirror-gapcursor'
import { closeHistory, history } from 'prosemirror-history'
import { type Node, Slice } from 'prosemirror-model'
import { type Command, EditorState, Plugin, Selection, TextSelection } from 'prosemirror-state'
import { tableEditing } from 'prosemirror-tables'
import { EditorView } from 'prosemirror-view'
import { type FileRecord, toReference } from '../data/files'
import { toEditorText, toMarkdown } from '../data/mentions'
import { putBlock } from './commands'
import { markdownRules } from './input-rules'
import { createKeymaps, type KeyHandlers } from './keys'
import { createNodeViews } from './node-views'
import { insertData } from './paste'
import { addresses, colours, dropPlace, getPlace, keepPlaces, placeholder, places } from './plugins'
import { createPortals } from './portals'
import { readMarkdown } from './read'
import { toDocument } from './round-trip'
import { schema } from './schema'
import { writeMarkdown } from './write'

const { nodes } = schema

/** What the surface does for its editor. Always the latest of what it was given. */
export interface EditorHost extends KeyHandlers {
  getLabel(): string
  getPlaceholder(): string
  isEditable(): boolean
  /** Attributes of the element that takes the focus. */
  getAttributes(): Record<string, string>
  /** A key that a list of completions takes. */
  onKey(event: KeyboardEvent): boolean
  onText(text: string): void
  onFiles(files: File[]): void
  /** A file that takes the place of another, which has this name. */
  replaceFile(file: File, at: number, name: string): void
  /** Called after each change of the text, the selection or the focus. `isTyped` is true for what was typed. */
  onUpdate(view: EditorView, isTyped: boolean): void
  onBlur(): void
}

/** The document of a text of a composer, if it can be shown as one. */
export const openText = (text: string): Node | undefined => toDocument(toMarkdown(text))

/** Marks the caret while a text is read or written. No text has a use for it. */
const CARET = '\ufdd5'

/** Where in the document a position of its text is. */
export function findPosition(doc: Node, text: string, at: number): number | undefined {
  const marked = readMarkdown(toMarkdown(text.slice(0, at) + CARET + text.slice(at))).doc
  let found: number | undefined
  marked.descendants((node, position) => {
    const index = node.isText ? node.text!.indexOf(CARET) : -1
    if (index >= 0) found = position + index
    return found === undefined
  })
  return found !== undefined && found <= doc.content.size && marked.content.size === doc.content.size + 1
    ? found
    : undefined
}

/** Where in the text the caret of a document is. */
export function findOffset({ state }: EditorView): number | undefined {
  const { head } = state.selection
  if (!state.doc.resolve(head).parent.isTextblock) return undefined
  const text = toEditorText(writeMarkdown(state.tr.insertText(CARET, head).doc))
  const at = text.indexOf(CARET)
  return at >= 0 && text.replace(CARET, '') === toEditorText(writeMarkdown(state.doc)) ? at : undefined
}

/** Code, a table, a rule or a file at the end is followed by a line to write in. Empty lines are not part of the Markdown. */
const lineAtEnd = () =>
  new Plugin({
    appendTransaction(_, __, { doc, tr }) {
      const { type } = doc.lastChild!
      if (![nodes.code_block, nodes.table, nodes.rule, nodes.file].includes(type)) return null
      return tr.insert(doc.content.size, nodes.paragraph.create()).setMeta('addToHistory', false)
    },
  })

export type RichEditor = ReturnType<typeof createEditor>

/** An editor of formatted text in an element. `inserted` are the files that have been inserted since it was opened. */
export function createEditor(element: HTMLElement, doc: Node, host: EditorHost, inserted: Set<string>) {
  const portals = createPortals()
  const listeners = new Set<() => void>()
  /** The names of files that others will replace, by upload. */
  const replacements = new Map<string, string>()
  let isTyped = false
  const createState = (start: Node) =>
    EditorState.create({
      doc: start,
      plugins: [
        new Plugin({ props: { handleKeyDown: (_, event) => !isComposing(event) && host.onKey(event) } }),
        ...createKeymaps(host),
        markdownRules(),
        history(),
        gapCursor(),
        tableEditing(),
        lineAtEnd(),
        placeholder(() => host.getPlaceholder()),
        addresses(),
        ...colours(),
        places(),
      ],
    })
  const view: EditorView = new EditorView(
    { mount: element },
    {
      state: createState(doc),
      editable: () => host.isEditable(),
      attributes: () => host.getAttributes(),
      nodeViews: createNodeViews(portals, {
        replaceFile: (file, at, name) => host.replaceFile(file, at, name),
        isNew: (id) => inserted.has(id),
      }),
      clipboardTextSerializer: toPlainText,
      handleTextInput: () => {
        isTyped = true
        return false
      },
      handleDOMEvents: {
        paste: (_, event) => take(event, event.clipboardData),
        drop: (_, event) => drop(event),
        blur: () => {
          host.onBlur()
          return false
        },
      },
      dispatchTransaction(tr) {
        const before = view.state
        view.updateState(before.apply(tr))
        if (view.state.doc !== before.doc) noteText(tr.getMeta('external') === undefined)
        for (const listener of listeners) listener()
        host.onUpdate(view, tr.docChanged && (isTyped || view.composing))
        isTyped = false
      },
    },
  )
  let isShift = false
  let hadFocus = false
  element.addEventListener('focus', () => {
    hadFocus = true
  })
  element.addEventListener('keydown', (event) => {
    isShift = event.shiftKey
  })

  const write = () => toEditorText(writeMarkdown(view.state.doc))
  let known = writeMarkdown(view.state.doc)
  /**
   * What changes nothing of the Markdown, such as a line to write in, is no change: a text stays as somebody wrote it. A name that
   * becomes a mention changes it, though the text is the same.
   */
  function noteText(isOwn: boolean) {
    const markdown = writeMarkdown(view.state.doc)
    if (isOwn && markdown !== known) host.onText(toEditorText(markdown))
    known = markdown
  }

  function take(event: Event, data: DataTransfer | null): boolean {
    if (!data || !view.editable) return false
    // First: what fails to be inserted is not inserted by the browser, whatever it is.
    event.preventDefault()
    insertData(view, data, { isPlain: isShift, onFiles: host.onFiles })
    return true
  }

  function drop(event: DragEvent): boolean {
    // What is moved within the text is moved by ProseMirror, and files go through the drop zone of the page.
    if (view.dragging || !event.dataTransfer || event.dataTransfer.types.includes('Files')) return false
    const at = view.posAtCoords({ left: event.clientX, top: event.clientY })
    if (at) view.dispatch(view.state.tr.setSelection(Selection.near(view.state.doc.resolve(at.pos))))
    take(event, event.dataTransfer)
    view.focus()
    return true
  }

  const run = (command: Command, { keepsFocus = true } = {}) => {
    // Undone on its own, however soon after others.
    command(view.state, (tr) => view.dispatch(closeHistory(tr)), view)
    if (keepsFocus) view.focus()
  }

  return {
    view,
    portals,
    run,
    write,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    /** Shows another text, of another tab or device. The caret stays at the same words. */
    replace(next: Node) {
      const { state } = view
      if (next.textContent === '' && next.childCount === 1 && next.firstChild!.type === nodes.paragraph) {
        inserted.clear()
        view.updateState(createState(next))
        known = writeMarkdown(view.state.doc)
        for (const listener of listeners) listener()
        return
      }
      const start = state.doc.content.findDiffStart(next.content)
      if (start === null) return
      let { a, b } = state.doc.content.findDiffEnd(next.content)!
      const overlap = start - Math.min(a, b)
      if (overlap > 0) {
        a += overlap
        b += overlap
      }
      const { tr } = state
      tr.replace(start, a, next.slice(start, b)).setMeta('external', true).setMeta('addToHistory', false)
      // A part of a table or a list may not fit alone.
      if (!tr.doc.eq(next)) tr.replace(0, tr.doc.content.size, new Slice(next.content, 0, 0))
      view.dispatch(tr)
    },
    focus(at?: 'end' | number) {
      if (at !== undefined) {
        const { tr } = view.state
        // A file at the end would be selected, and the next key replace it.
        if (at === 'end' && tr.doc.lastChild!.isAtom) tr.insert(tr.doc.content.size, nodes.paragraph.create())
        const $at = at === 'end' ? undefined : tr.doc.resolve(Math.min(at, tr.doc.content.size))
        view.dispatch(
          tr
            .setMeta('addToHistory', false)
            .setSelection(
              $at
                ? $at.parent.inlineContent
                  ? TextSelection.create(tr.doc, $at.pos)
                  : Selection.near($at)
                : Selection.atEnd(tr.doc),
            ),
        )
      }
      view.focus()
    },
    keepPlaces: (ids: readonly string[]) =>
      keepPlaces(view, ids, hadFocus ? view.state.selection.to : view.state.doc.content.size),
    insertFile(uploadId: string, file: FileRecord) {
      const { doc, tr } = view.state
      const block = readMarkdown(toReference(file)).doc.firstChild!
      inserted.add(file.id)
      const replaced = replacements.get(uploadId)
      replacements.delete(uploadId)
      const at = getPlace(view, uploadId) ?? doc.content.size
      const old = replaced ? doc.nodeAt(at) : null
      if (old?.type === nodes.file) {
        const { label } = old.attrs
        const isDescribed = label !== '' && label !== replaced
        tr.setNodeMarkup(at, null, { ...block.attrs, ...(isDescribed && block.attrs.isShown && { label }) })
      } else putBlock(tr, block, at)
      view.dispatch(dropPlace(tr, uploadId))
    },
    /** The uploads that take the place of files, with the names of these. */
    replaceAt(uploadId: string, at: number, name: string) {
      replacements.set(uploadId, name)
      keepPlaces(view, [uploadId], at)
    },
    /** Opens the address of the link where the caret is, or of one that is made of the selection. */
    link() {
      view.focus()
      if (!host.link() && view.state.selection.empty) {
        const { tr } = view.state
        const { from } = tr.selection
        tr.insertText('link')
        view.dispatch(tr.setSelection(TextSelection.create(tr.doc, from, from + 4)))
        host.link()
      }
    },
    /** Types something that is completed. It must begin a word. */
    type(trigger: string) {
      const { $from } = view.state.selection
      const before = $from.parent.textBetween(0, $from.parentOffset, undefined, ' ')
      view.dispatch(
        view.state.tr.insertText(before === '' || /\s$/.test(before) ? trigger : ` ${trigger}`).scrollIntoView(),
      )
      view.focus()
      host.onUpdate(view, true)
    },
    destroy: () => view.destroy(),
  }
}

/** An input method is choosing characters. Safari reports the last key only by its code. */
const isComposing = (event: KeyboardEvent) => event.isComposing || event.keyCode === 229

/** What is copied is Markdown for programs that take no HTML; a part of a line is just its text. */
function toPlainText(slice: Slice): string {
  const { content } = slice
  const only = content.childCount === 1 ? content.firstChild! : undefined
  if (only?.isTextblock && (slice.openStart > 0 || slice.openEnd > 0))
    return toEditorText(
      content.textBetween(0, content.size, '\n', (leaf) =>
        leaf.type === nodes.hard_break ? '\n' : (leaf.type.spec.leafText?.(leaf) ?? ''),
      ),
    )
  try {
    return toEditorText(writeMarkdown(nodes.doc.createChecked(null, content)))
  } catch {
    return content.textBetween(0, content.size, '\n\n', '\n')
  }
}
