import * as Ariakit from '@ariakit/react'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Button } from '../parts/button'
import { formatKey } from '../parts/format-key'
import { ProblemNote } from '../parts/states'
import { MarkdownArea } from './markdown-area'
import { Preview } from './preview'
import { Toolbar } from './toolbar'
import { useDraft } from './use-draft'

export interface ComposerProps {
  /** Where the draft is kept: one of `draftKeys`. */
  draftKey: string
  label: string
  submitLabel: string
  /** If it throws, the error is shown and the text stays. Sending the same text again uses the same key. */
  onSubmit(markdown: string, idempotencyKey: string): Promise<unknown>
  /** The Markdown to edit. */
  initial?: string
  onCancel?(): void
  autoFocus?: boolean
  /** Enter sends, and Shift+Enter starts a new line. On phones Enter always starts a new line. */
  sendsOnEnter?: boolean
  /** Why nothing can be written here. */
  disabledReason?: string
  /** Why the text cannot be sent yet. */
  submitDisabledReason?: string
  rows?: number
  placeholder?: string
  /** Clears the text when sending starts, and restores it if sending fails. */
  clearOnSubmit?: boolean
  /** Allows sending without text. */
  allowEmpty?: boolean
  /** Further fields, above the text. */
  children?: ReactNode
}

const isTouch = matchMedia('(pointer: coarse)')

/** A Markdown editor with a toolbar, preview, mentions, emoji and a stored draft. */
export function Composer(props: ComposerProps) {
  const { label, onCancel, disabledReason, submitDisabledReason = disabledReason, rows = 3, children } = props
  const area = useRef<HTMLTextAreaElement>(null)
  const { text, write, send, discard, isSending, isDraft, error } = useDraft(props)
  const writeId = useId()
  const tab = Ariakit.useTabStore({ defaultSelectedId: writeId })
  const isPreview = Ariakit.useStoreState(tab, 'selectedId') !== writeId
  const isEmpty = text.trim() === '' && !props.allowEmpty
  const sendsOnEnter = props.sendsOnEnter === true && !isTouch.matches
  useEffect(() => {
    if (!props.autoFocus) return
    const { value } = area.current!
    area.current!.focus()
    area.current!.setSelectionRange(value.length, value.length)
  }, [props.autoFocus])

  function submit() {
    if (isEmpty || isSending || submitDisabledReason) return
    tab.setSelectedId(writeId)
    area.current!.focus()
    void send()
  }
  return (
    <form
      className="composer"
      aria-label={label}
      aria-busy={isSending || undefined}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.defaultPrevented || event.nativeEvent.isComposing) return
        const isMod = event.ctrlKey || event.metaKey
        // Enter in a field above the text moves the focus to the text.
        if (!isMod && !(event.target instanceof HTMLInputElement)) return
        event.preventDefault()
        if (isMod) submit()
        else area.current!.focus()
      }}
    >
      {children}
      <div className="composer-box" data-disabled={disabledReason !== undefined || undefined}>
        <Ariakit.TabProvider store={tab}>
          <Ariakit.TabPanel tabId={writeId} focusable={false} className="composer-panel">
            <MarkdownArea
              area={area}
              text={text}
              onText={write}
              onSend={submit}
              sendsOnEnter={sendsOnEnter}
              onEscape={onCancel && !isDraft ? onCancel : undefined}
              aria-label={label}
              placeholder={disabledReason ?? props.placeholder ?? 'Write something, or type @ to mention someone'}
              rows={rows}
              data-autofocus={props.autoFocus}
              readOnly={disabledReason !== undefined || (isSending && !props.clearOnSubmit)}
              aria-disabled={disabledReason !== undefined || undefined}
            />
          </Ariakit.TabPanel>
          <Ariakit.TabPanel className="composer-panel" unmountOnHide>
            {isPreview && <Preview text={text} />}
          </Ariakit.TabPanel>
          <div className="composer-foot">
            {!isPreview && disabledReason === undefined && <Toolbar area={area} />}
            <div className="composer-actions">
              {props.initial !== undefined && isDraft ? (
                <p className="meta">
                  Unsaved changes.{' '}
                  <button type="button" className="text-button" onClick={discard}>
                    Discard
                  </button>
                </p>
              ) : (
                <p className="meta composer-hint">{getSendHint(sendsOnEnter, props.submitLabel)}</p>
              )}
              <Ariakit.TabList className="tabs" aria-label={label}>
                <Ariakit.Tab id={writeId} className="tab">
                  Write
                </Ariakit.Tab>
                <Ariakit.Tab className="tab">Preview</Ariakit.Tab>
              </Ariakit.TabList>
              {onCancel && <Button onClick={onCancel}>Cancel</Button>}
              <Button
                type="submit"
                variant="primary"
                disabledReason={submitDisabledReason}
                aria-disabled={isEmpty || isSending || undefined}
              >
                {isSending ? 'Sending…' : props.submitLabel}
              </Button>
            </div>
          </div>
        </Ariakit.TabProvider>
      </div>
      {error !== undefined && <ProblemNote error={error} />}
    </form>
  )
}

const getSendHint = (sendsOnEnter: boolean, submitLabel: string) =>
  sendsOnEnter ? 'Shift+Enter for a new line' : `${formatKey('mod+Enter')} to ${submitLabel.toLowerCase()}`
