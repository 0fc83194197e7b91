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
import { rememberName } from '../data/mentions'
import { Avatar } from '../parts/avatar'
import { formatCount } from '../parts/format-count'
import { measureCharacter } from './character-rect'
import { continueList, insertLink, pasteLink, replaceRange, toggleMark } from './editing'

interface Props extends Omit<ComponentProps<'textarea'>, 'onChange' | 'value'> {
  area: RefObject<HTMLTextAreaElement | null>
  text: string
  onText(text: string): void
  onSend(): void
  onEscape?(): void
}

/** A text area for Markdown: it grows with its text, has shortcuts, and completes mentions. */
export function MarkdownArea({ area, text, onText, onSend, onEscape, ...rest }: Props) {
  const completion = useCompletion(area)
  useAutoHeight(area, text)

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
    const isMod = event.ctrlKey || event.metaKey
    const isHandled = isMod
      ? handleShortcut(event, onSend)
      : completion.isOpen
        ? completion.key(event)
        : handleKey(event, onEscape)
    if (isHandled) event.preventDefault()
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
          <PlainTextarea
            {...rest}
            ref={area}
            className="input writing"
            onChange={(event: ChangeEvent<HTMLTextAreaElement>) => {
              onText(event.target.value)
              completion.update()
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

/** A multi-line text is not a combobox for screen readers, so it must not have `aria-expanded`. */
const PlainTextarea = ({ 'aria-expanded': _, ...rest }: ComponentProps<'textarea'>) => <textarea {...rest} />

function handleShortcut(event: KeyboardEvent<HTMLTextAreaElement>, onSend: () => void): boolean {
  if (event.shiftKey || event.altKey) return false
  const area = event.currentTarget
  const keys: Record<string, () => void> = {
    enter: onSend,
    b: () => toggleMark(area, '**'),
    i: () => toggleMark(area, '_'),
    e: () => toggleMark(area, '`'),
    k: () => insertLink(area),
  }
  const run = keys[event.key.toLowerCase()]
  run?.()
  return run !== undefined
}

function handleKey(event: KeyboardEvent<HTMLTextAreaElement>, onEscape?: () => void): boolean {
  if (event.nativeEvent.isComposing || event.shiftKey) return false
  if (event.key === 'Enter') return continueList(event.currentTarget)
  if (event.key !== 'Escape' || !onEscape) return false
  onEscape()
  return true
}

/** For browsers without `field-sizing`. */
function useAutoHeight(area: RefObject<HTMLTextAreaElement | null>, text: string) {
  useLayoutEffect(() => {
    if (CSS.supports('field-sizing', 'content')) return
    const { style } = area.current!
    style.height = 'auto'
    style.height = `${area.current!.scrollHeight + 2}px`
  }, [area, text])
}

/** The unfinished mention before the caret. */
function findMention(area: HTMLTextAreaElement): { at: number; query: string } | undefined {
  const before = area.value.slice(0, area.selectionStart)
  const [whole, query] =
    before.match(/(?<=^|[\s([{"'*_])@([\p{L}\p{N}.'-]{0,40}(?: [\p{L}\p{N}.'-]{0,40}){0,2})$/u) ?? []
  return whole === undefined ? undefined : { at: before.length - whole.length, query: query! }
}

/** Completes `@` with members and apps. */
function useCompletion(area: RefObject<HTMLTextAreaElement | null>) {
  const store = Ariakit.useComboboxStore({ placement: 'bottom-start' })
  const [mention, setMention] = useState<{ at: number; query: string }>()
  const { data, isPlaceholderData } = useMentionable(mention?.query)
  const found = mention && data ? rankMatches(data, mention.query) : []
  const isOpen = found.length > 0
  useLayoutEffect(() => store.setOpen(isOpen), [store, isOpen])
  useEffect(store.render, [store, mention])

  const base = useId()
  const itemId = (id: string) => `${base}-${id}`
  const close = () => setMention(undefined)
  // A space after a completed name ends the mention.
  useEffect(() => {
    if (data?.length === 0 && !isPlaceholderData && mention?.query.includes(' ')) setMention(undefined)
  }, [data, isPlaceholderData, mention])

  function insertMention({ id, name }: Author) {
    replaceRange(area.current!, mention!.at, area.current!.selectionStart, `@${rememberName(id, name)} `)
    close()
  }
  const popover = (
    <>
      <p className="visually-hidden" role="status">
        {isOpen &&
          `${formatCount(found.length, 'suggestion')}. Press Enter to mention ${found[0]!.name}, or the arrow keys to choose.`}
      </p>
      <Ariakit.ComboboxPopover
        store={store}
        className="menu mentionable"
        aria-label="Mention suggestions"
        hidden={!isOpen}
        unmountOnHide
        fixed
        gutter={4}
        fitViewport
        getAnchorRect={() => (area.current && mention ? measureCharacter(area.current, mention.at) : null)}
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
            onClick={() => insertMention(author)}
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
      insertMention(found.find(({ id }) => itemId(id) === activeId) ?? found[0]!)
      return true
    }
    if (pressed === 'Escape' || pressed === 'ArrowLeft' || pressed === 'ArrowRight') close()
    return pressed === 'Escape'
  }
  return { store, isOpen, close, key, popover, update: () => setMention(findMention(area.current!)) }
}

const MAX_SHOWN = 8

/** Filters by name. Names that start with the query come first. */
function rankMatches(authors: Author[], query: string): Author[] {
  const typed = fold(query)
  const rank = ({ name }: Author) => ` ${fold(name)}`.indexOf(` ${typed}`)
  const found = authors.filter(({ name }) => fold(name).includes(typed))
  const order = (author: Author) => (rank(author) === 0 ? 0 : rank(author) > 0 ? 1 : 2)
  return found.sort((a, b) => order(a) - order(b)).slice(0, MAX_SHOWN)
}
