import type { Node } from 'prosemirror-model'
import {
  memo,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { createPortal } from 'react-dom'
import { type SurfaceProps, WRITING } from '../composer/surface'
import { FileInput } from '../composer/toolbar'
import type { Block } from './blocks'
import { type EditedLink, findLink, LinkPopover } from './link-popover'
import { createEditor, type EditorHost, openText, type RichEditor } from './rich-editor'
import { useRichCompletion } from './use-rich-completion'

/** How a surface begins: with what another one showed before it. */
export interface Start {
  doc: Node
  /** Where the caret is, if the text has the focus. */
  caret: number | 'end' | undefined
}

interface Props extends SurfaceProps {
  start: Start
  /** Whether what it takes the place of has the focus. */
  hasFocus: boolean
  /** The editor, for the toolbar; null when it is gone. */
  onEditor(editor: RichEditor | null): void
  /** The text has become one that cannot be shown formatted, by a change from elsewhere. */
  onPlain(): void
  /** Uploads a file that takes the place of another, and returns the id of the upload. */
  upload(files: readonly File[]): string[]
}

/** Writes formatted text. Its document is Markdown: it is read from it, and written as it with every change. */
export function RichSurface(props: Props) {
  const { surface, text, start, onEditor } = props
  const element = useRef<HTMLDivElement>(null)
  const view = useRef<RichEditor['view'] | null>(null)
  const [editor, setEditor] = useState<RichEditor>()
  const [link, setLink] = useState<EditedLink>()
  const written = useRef(text)
  const images = useRef<HTMLInputElement>(null)
  const files = useRef<HTMLInputElement>(null)

  function insertBlock({ run, choose, text: typed }: Block) {
    if (run) editor!.run(run)
    if (choose) (choose === 'image' ? images : files).current!.click()
    if (typed) {
      editor!.view.dispatch(editor!.view.state.tr.insertText(typed).scrollIntoView())
      completion.onUpdate(editor!.view, true)
    }
  }
  const completion = useRichCompletion(view, insertBlock)

  function openLink(): boolean {
    const found = view.current && findLink(view.current)
    if (found) setLink(found)
    return Boolean(found)
  }
  const host: EditorHost = {
    getLabel: () => props.label,
    getPlaceholder: () => props.placeholder,
    isEditable: () => !props.isReadOnly,
    getAttributes: () => toAttributes(props),
    onKey: completion.onKey,
    onText(next) {
      written.current = next
      props.onText(next)
    },
    onFiles: props.onFiles,
    replaceFile(file, at, name) {
      const [id] = props.upload([file])
      editor!.replaceAt(id!, at, name)
    },
    onUpdate: completion.onUpdate,
    onBlur: completion.close,
    send: props.onSend,
    sendsOnEnter: () => props.sendsOnEnter,
    getEscape: () => props.onEscape,
    link: openLink,
  }
  const latest = useLatest(host)

  const takesFocus = useRef(props.hasFocus || start.caret !== undefined)
  const doc = useRef(start.doc)
  const [inserted] = useState(() => new Set<string>())
  useLayoutEffect(() => {
    const created = createEditor(element.current!, doc.current, latest, inserted)
    view.current = created.view
    setEditor(created)
    onEditorRef.current(created)
    if (takesFocus.current) created.focus(start.caret ?? 'end')
    takesFocus.current = false
    return () => {
      // React also runs this where it only hides the page, while another is loading that is left before it is there.
      doc.current = created.view.state.doc
      onEditorRef.current(null)
      view.current = null
      created.destroy()
    }
  }, [start, latest, inserted])
  const onEditorRef = useRef(onEditor)
  onEditorRef.current = onEditor

  useImperativeHandle(
    surface,
    () => ({
      focus: (at) => editor?.focus(at),
      keepPlaces: (ids) => editor?.keepPlaces(ids),
      insertFile: (id, file) => editor?.insertFile(id, file),
    }),
    [editor],
  )
  useTextFromElsewhere(editor, text, written, props.onPlain)
  const { isReadOnly, label, placeholder } = props
  // These are what the element shows.
  useEffect(() => editor?.view.setProps({}), [editor, isReadOnly, label, placeholder])

  return (
    <>
      <div className="rich-surface" data-rows={props.rows}>
        <div ref={element} />
      </div>
      {editor && <Portals editor={editor} />}
      {completion.popover}
      {editor && link && <LinkPopover view={editor.view} edited={link} close={() => setLink(undefined)} />}
      <FileInput input={images} accept="image/*" label="Images to insert" onFiles={props.onFiles} />
      <FileInput input={files} label="Files to insert" onFiles={props.onFiles} />
    </>
  )
}

function toAttributes({
  label,
  placeholder,
  rows,
  autoFocus,
  isReadOnly,
  isDisabled,
}: SurfaceProps): Record<string, string> {
  return {
    class: 'content writing rich',
    role: 'textbox',
    'aria-multiline': 'true',
    'aria-label': label,
    'aria-placeholder': placeholder,
    'data-rows': String(rows),
    [WRITING]: '',
    tabindex: '0',
    ...(autoFocus && { 'data-autofocus': 'true' }),
    ...(isReadOnly && { 'aria-readonly': 'true' }),
    ...(isDisabled && { 'aria-disabled': 'true' }),
  }
}

/** An object whose functions are always those of the last render. */
function useLatest<T extends object>(value: T): T {
  const latest = useRef(value)
  latest.current = value
  const [stable] = useState(
    () =>
      Object.fromEntries(
        Object.keys(value).map((key) => [
          key,
          (...given: never[]) => (latest.current[key as keyof T] as (...all: never[]) => unknown)(...given),
        ]),
      ) as T,
  )
  return stable
}

/** Shows a text that has changed in another tab, on another device or because it was sent. */
function useTextFromElsewhere(
  editor: RichEditor | undefined,
  text: string,
  written: RefObject<string>,
  onPlain: () => void,
) {
  const latest = useRef(onPlain)
  latest.current = onPlain
  useLayoutEffect(() => {
    if (!editor || text === written.current) return
    const show = () => {
      written.current = text
      const doc = openText(text)
      if (doc) editor.replace(doc)
      else latest.current()
    }
    if (!editor.view.composing) return show()
    // An input method would lose what it is choosing.
    editor.view.dom.addEventListener('compositionend', show, { once: true })
    return () => editor.view.dom.removeEventListener('compositionend', show)
  }, [editor, text, written])
}

/** What React shows within the text. None of it is rendered again while one types elsewhere. */
const Portals = memo(({ editor: { portals } }: { editor: RichEditor }) => {
  const all = useSyncExternalStore(portals.subscribe, portals.get)
  return all.map(({ key, element, content }) => createPortal(content, element, key))
})
