import { type ClipboardEvent, type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import { ComposerProblem, SubmitButton } from '../../composer/action-row'
import { Attachments } from '../../composer/attachments'
import { MentionNotes } from '../../composer/mention-notes'
import { OtherVersion } from '../../composer/other-version'
import type { WritingOptions } from '../../composer/use-composer'
import { useWriting } from '../../composer/writing'
import { Button } from '../../parts/button'
import { isFilePaste, listFiles } from '../../parts/drop-targets'
import { useIsNarrow } from '../../parts/use-is-narrow'
import { PageTitle } from '../../shell/title'

const MAX_TITLE_LENGTH = 200

interface Props {
  options: WritingOptions & { onCancel(): void }
  /** The name of the page. */
  name: string
  title: string
  setTitle(title: string): void
  /** Where the post goes, at the beginning of the top row. */
  place: ReactNode
  /** What became of the draft, in the middle of the top row. */
  note(discard: () => void, isChanged: boolean): ReactNode
  /** The name of the button that leaves, on a phone. */
  closeLabel: string
  /** Where leaving gives something up, there is a button for it everywhere. */
  cancelLabel?: string
}

/** A post while it is written, set as it will be read. Its top row and its toolbar stay in view. */
export function PostWriter({ options, name, title, setTitle, place, note, closeLabel, cancelLabel }: Props) {
  const { state, surface, toolbar, markdownSwitch, isRich } = useWriting(options)
  const isNarrow = useIsNarrow()
  const heading = useRef<HTMLTextAreaElement>(null)
  const { text, write, uploads, isDisabled } = state
  const focusText = () => state.surface.current?.focus()
  useFirstFocus(heading, options)
  return (
    <form className="writer" {...state.formProps}>
      <Button icon="close" variant="plain" className="writer-close" label={closeLabel} onClick={options.onCancel} />
      <div className="writer-place">
        {place}
        {isNarrow && markdownSwitch}
      </div>
      <div className="writer-actions">
        {note(state.discard, state.isDraft)}
        {!isNarrow && markdownSwitch}
        {cancelLabel && (
          <Button className="writer-cancel" onClick={options.onCancel}>
            {cancelLabel}
          </Button>
        )}
        <SubmitButton label={options.submitLabel} state={state} />
        <div className="writer-notes">
          <MentionNotes state={state} />
          <ComposerProblem state={state} />
        </div>
      </div>
      <PageTitle title={name}>
        <TitleArea
          area={heading}
          title={title}
          setTitle={setTitle}
          isReadOnly={isDisabled}
          leave={focusText}
          onFiles={state.add}
        />
      </PageTitle>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keyboard reaches the text itself. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the same. */}
      <div className="writer-text" onClick={({ target, currentTarget }) => target === currentTarget && focusText()}>
        {surface}
        {!isDisabled && <Attachments text={isRich ? '' : text} onText={write} uploads={uploads} />}
      </div>
      <div className="writer-tools">{toolbar}</div>
      <OtherVersion draftKey={options.draftKey} />
    </form>
  )
}

/** One begins with the title, unless there is something written already. */
function useFirstFocus(heading: { current: HTMLTextAreaElement | null }, { autoFocus, draftKey }: WritingOptions) {
  const isFirst = useRef(true)
  useEffect(() => {
    if (!isFirst.current) return
    isFirst.current = false
    if (!autoFocus && heading.current && !heading.current.readOnly) heading.current.focus()
  }, [autoFocus, draftKey, heading])
}

interface TitleProps {
  area: { current: HTMLTextAreaElement | null }
  title: string
  setTitle(title: string): void
  isReadOnly: boolean
  /** Goes on to the text. */
  leave(): void
  onFiles(files: File[]): void
}

/** The title as the heading that it will be. It grows, but has no line breaks: Enter goes on to the text. */
function TitleArea({ area, title, setTitle, isReadOnly, leave, onFiles }: TitleProps) {
  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
    const { key, nativeEvent, ctrlKey, metaKey, currentTarget } = event
    if (nativeEvent.isComposing || ctrlKey || metaKey) return
    const isAtEnd = currentTarget.selectionStart === currentTarget.value.length
    if (key !== 'Enter' && !(key === 'ArrowDown' && isAtEnd)) return
    event.preventDefault()
    leave()
  }
  function onPaste(event: ClipboardEvent<HTMLTextAreaElement>) {
    const { files } = listFiles(event.clipboardData)
    if (files.length === 0 || !isFilePaste(event.clipboardData)) return
    event.preventDefault()
    onFiles(files)
  }
  return (
    <textarea
      ref={area}
      className="writer-title"
      aria-label="Title"
      placeholder="Title"
      rows={1}
      dir="auto"
      maxLength={MAX_TITLE_LENGTH}
      autoComplete="off"
      readOnly={isReadOnly}
      value={title}
      onChange={({ target }) => setTitle(target.value.replace(/\s*\n\s*/g, ' '))}
      onKeyDown={onKeyDown}
      onPaste={onPaste}
    />
  )
}
