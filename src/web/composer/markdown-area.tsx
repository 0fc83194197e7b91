import * as Ariakit from '@ariakit/react'
import {
  type ChangeEvent,
  type ClipboardEvent,
  type ComponentProps,
  type KeyboardEvent,
  type RefObject,
  useLayoutEffect,
} from 'react'
import { continueList, insertLink, pasteLink, toggleMark } from './editing'
import { useMentionCompletion } from './use-mention-completion'

interface Props extends Omit<ComponentProps<'textarea'>, 'onChange' | 'value'> {
  area: RefObject<HTMLTextAreaElement | null>
  text: string
  onText(text: string): void
  onSend(): void
  onEscape?(): void
}

/** A text area for Markdown: it grows with its text, has shortcuts, and completes mentions. */
export function MarkdownArea({ area, text, onText, onSend, onEscape, ...rest }: Props) {
  const completion = useMentionCompletion(area)
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
