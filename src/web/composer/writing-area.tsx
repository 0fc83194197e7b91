import * as Ariakit from '@ariakit/react'
import {
  type ChangeEvent,
  type ClipboardEvent,
  type ComponentProps,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useState,
} from 'react'
import type { Author } from '../../contract/authors'
import { fold } from '../../contract/fold'
import { useMentionable } from '../data/authors'
import { nameToWrite } from '../data/mentions'
import { Avatar } from '../parts/avatar'
import { placeOf } from './caret'
import { continueList, link, mark, pasteLink, replace } from './editing'

interface Props extends Omit<ComponentProps<'textarea'>, 'onChange' | 'value'> {
  area: RefObject<HTMLTextAreaElement | null>
  text: string
  onText(text: string): void
  onSend(): void
  onLeave?(): void
}

/** Where one writes Markdown: it grows with the text, knows the usual keys, and completes whom one mentions. */
export function WritingArea({ area, text, onText, onSend, onLeave, ...rest }: Props) {
  const completion = useCompletion(area)
  useGrowth(area, text)

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
    const isMod = event.ctrlKey || event.metaKey
    const done = isMod ? modKey(event, onSend) : completion.isOpen ? completion.key(event) : plainKey(event, onLeave)
    if (done) event.preventDefault()
  }
  return (
    <>
      <Ariakit.Combobox
        store={completion.store}
        autoSelect
        value={text}
        showOnClick={false}
        showOnChange={false}
        showOnKeyPress={false}
        setValueOnChange={false}
        role="textbox"
        render={
          <TextOnly
            {...rest}
            ref={area}
            className="input writing"
            onChange={(event: ChangeEvent<HTMLTextAreaElement>) => {
              onText(event.target.value)
              completion.look()
            }}
            onKeyDown={onKeyDown}
            onPaste={(event: ClipboardEvent<HTMLTextAreaElement>) => {
              if (pasteLink(event.currentTarget, event.clipboardData.getData('text/plain'))) event.preventDefault()
            }}
            onScroll={completion.store.render}
            onPointerDown={completion.close}
            onBlur={completion.close}
          />
        }
      />
      {completion.popover}
    </>
  )
}

/** A text of several lines is no combobox to assistive software; what it controls and what is chosen is told. */
const TextOnly = ({ 'aria-expanded': _, ...rest }: ComponentProps<'textarea'>) => <textarea {...rest} />

function modKey(event: KeyboardEvent<HTMLTextAreaElement>, onSend: () => void): boolean {
  if (event.shiftKey || event.altKey) return false
  const area = event.currentTarget
  const keys: Record<string, () => void> = {
    enter: onSend,
    b: () => mark(area, '**'),
    i: () => mark(area, '_'),
    e: () => mark(area, '`'),
    k: () => link(area),
  }
  const run = keys[event.key.toLowerCase()]
  run?.()
  return run !== undefined
}

function plainKey(event: KeyboardEvent<HTMLTextAreaElement>, onLeave?: () => void): boolean {
  if (event.nativeEvent.isComposing || event.shiftKey) return false
  if (event.key === 'Enter') return continueList(event.currentTarget)
  if (event.key !== 'Escape' || !onLeave) return false
  onLeave()
  return true
}

/** Where the text area cannot grow by itself, it is made to. */
function useGrowth(area: RefObject<HTMLTextAreaElement | null>, text: string) {
  useLayoutEffect(() => {
    if (CSS.supports('field-sizing', 'content')) return
    const { style } = area.current!
    style.height = 'auto'
    style.height = `${area.current!.scrollHeight + 2}px`
  }, [area, text])
}

/** What is being mentioned before the caret: where its `@` is, and what is typed of the name. */
function beginningOf(area: HTMLTextAreaElement): { at: number; query: string } | undefined {
  const before = area.value.slice(0, area.selectionStart)
  const [whole, query] =
    before.match(/(?<=^|[\s([{"'*_])@([\p{L}\p{N}.'-]{0,40}(?: [\p{L}\p{N}.'-]{0,40}){0,2})$/u) ?? []
  return whole === undefined ? undefined : { at: before.length - whole.length, query: query! }
}

/** Completes `@` with members and apps. */
function useCompletion(area: RefObject<HTMLTextAreaElement | null>) {
  const store = Ariakit.useComboboxStore({ placement: 'bottom-start' })
  const [begun, setBegun] = useState<{ at: number; query: string }>()
  const { data, isPlaceholderData } = useMentionable(begun?.query)
  const found = begun && data ? matching(data, begun.query) : []
  const isOpen = found.length > 0
  useLayoutEffect(() => store.setOpen(isOpen), [store, isOpen])
  useEffect(store.render, [store, begun])

  const base = useId()
  const itemId = (id: string) => `${base}-${id}`
  const close = () => setBegun(undefined)
  // A name that was found and a space after it: one goes on writing.
  useEffect(() => {
    if (data?.length === 0 && !isPlaceholderData && begun?.query.includes(' ')) setBegun(undefined)
  }, [data, isPlaceholderData, begun])

  function choose({ id, name }: Author) {
    replace(area.current!, begun!.at, area.current!.selectionStart, `@${nameToWrite(id, name)} `)
    close()
  }
  const popover = (
    <>
      <p className="unseen" role="status">
        {isOpen && `${found.length} to mention: ${found[0]!.name} first. Enter takes one, arrows choose.`}
      </p>
      <Ariakit.ComboboxPopover
        store={store}
        className="menu mentionable"
        aria-label="Whom to mention"
        hidden={!isOpen}
        unmountOnHide
        fixed
        gutter={4}
        fitViewport
        getAnchorRect={() => (area.current && begun ? placeOf(area.current, begun.at) : null)}
      >
        {found.map((author) => (
          <Ariakit.ComboboxItem
            key={author.id}
            id={itemId(author.id)}
            value={author.name}
            setValueOnClick={false}
            focusOnHover
            className="menu-item"
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(author)}
          >
            <Avatar of={author} size={20} />
            <span>{author.name}</span>
            {author.type === 'app' && <span className="chip">App</span>}
          </Ariakit.ComboboxItem>
        ))}
      </Ariakit.ComboboxPopover>
    </>
  )
  const key = ({ key: pressed }: KeyboardEvent) => {
    if (pressed === 'Enter' || pressed === 'Tab') {
      const { activeId } = store.getState()
      choose(found.find(({ id }) => itemId(id) === activeId) ?? found[0]!)
      return true
    }
    if (pressed === 'Escape' || pressed === 'ArrowLeft' || pressed === 'ArrowRight') close()
    return pressed === 'Escape'
  }
  return { store, isOpen, close, key, popover, look: () => setBegun(beginningOf(area.current!)) }
}

const MOST_SHOWN = 8

/** Those whose name has what is typed; those whose name begins with it first. */
function matching(authors: Author[], query: string): Author[] {
  const typed = fold(query)
  const rank = ({ name }: Author) => ` ${fold(name)}`.indexOf(` ${typed}`)
  const found = authors.filter(({ name }) => fold(name).includes(typed))
  const order = (author: Author) => (rank(author) === 0 ? 0 : rank(author) > 0 ? 1 : 2)
  return found.sort((a, b) => order(a) - order(b)).slice(0, MOST_SHOWN)
}
