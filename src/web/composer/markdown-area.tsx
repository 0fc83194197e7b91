import * as Ariakit from '@ariakit/react'
import {
  type ChangeEvent,
  type ClipboardEvent,
  type ComponentProps,
  type KeyboardEvent,
  type RefObject,
  useLayoutEffect,
} from 'react'
import { isFilePaste, listFiles } from '../parts/drop-targets'
import { pasteLink } from './editing'
import { continueList } from './lists'
import { findTool } from './tools'
import { useAreaCompletion } from './use-completion'

interface Props extends Omit<ComponentProps<'textarea'>, 'onChange' | 'value'> {
  area: RefObject<HTMLTextAreaElement | null>
  text: string
  onText(text: string): void
  onSend(): void
  /** Enter sends, and Shift+Enter starts a new line. */
  sendsOnEnter: boolean
  onEscape?(): void
  /** Files were pasted. */
  onFiles(files: File[]): void
}

/** A text area for Markdown: it grows with its text, has shortcuts, and completes mentions and emoji. */
export function MarkdownArea({ area, text, onText, onSend, sendsOnEnter, onEscape, onFiles, ...rest }: Props) {
  const completion = useAreaCompletion(area)
  useAutoHeight(area, text)

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
    if (isComposing(event)) return
    const isMod = event.ctrlKey || event.metaKey
    const isHandled = isMod
      ? handleShortcut(event, onSend)
      : completion.isOpen
        ? completion.key(event)
        : handleKey(event, { onSend: sendsOnEnter ? onSend : undefined, onEscape })
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
              if (event.currentTarget.readOnly) return
              const { files } = listFiles(event.clipboardData)
              const isFiles = isFilePaste(event.clipboardData) && files.length > 0
              if (isFiles) onFiles(files)
              if (isFiles || pasteLink(event.currentTarget, event.clipboardData.getData('text/plain')))
                event.preventDefault()
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

/** An input method is choosing characters: the key is part of that. Safari reports the last one only by its code. */
const isComposing = ({ nativeEvent }: KeyboardEvent) => nativeEvent.isComposing || nativeEvent.keyCode === 229

function handleShortcut(event: KeyboardEvent<HTMLTextAreaElement>, onSend: () => void): boolean {
  const area = event.currentTarget
  if (event.key === 'Enter') {
    onSend()
    return true
  }
  const tool = findTool(event, area)
  if (!area.readOnly) tool?.run(area)
  return tool !== undefined
}

interface KeyHandlers {
  /** If Enter sends. */
  onSend: (() => void) | undefined
  onEscape: (() => void) | undefined
}

function handleKey(event: KeyboardEvent<HTMLTextAreaElement>, { onSend, onEscape }: KeyHandlers): boolean {
  const { key, shiftKey } = event
  if (key === 'Enter' && (onSend === undefined) !== shiftKey) return continueList(event.currentTarget)
  const run = shiftKey ? undefined : key === 'Enter' ? onSend : key === 'Escape' ? onEscape : undefined
  run?.()
  return run !== undefined
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
