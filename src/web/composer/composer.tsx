import * as Ariakit from '@ariakit/react'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { usePreview } from '../data/markdown'
import { toMarkdown } from '../data/mentions'
import { Button } from '../parts/button'
import { Content } from '../parts/content'
import { Loading, ProblemNote, Skeleton } from '../parts/states'
import { MarkdownArea } from './markdown-area'
import { useDraft } from './use-draft'

export interface ComposerProps {
  /** Identifies the draft: `comment:<post>`, `message:<thread>`, … */
  draftKey: string
  label: string
  submitLabel: string
  /** If it throws, the error is shown and the text stays. Sending the same text again uses the same key. */
  onSubmit(markdown: string, idempotencyKey: string): Promise<unknown>
  /** The Markdown to edit. */
  initial?: string
  onCancel?(): void
  autoFocus?: boolean
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

/** A Markdown editor with preview, mentions and a stored draft. */
export function Composer(props: ComposerProps) {
  const {
    label,
    submitLabel,
    onCancel,
    disabledReason,
    submitDisabledReason = disabledReason,
    rows = 3,
    children,
  } = props
  const area = useRef<HTMLTextAreaElement>(null)
  const { text, write, send, discard, isSending, isDraft, error } = useDraft(props)
  const writeId = useId()
  const tab = Ariakit.useTabStore({ defaultSelectedId: writeId })
  const isPreview = Ariakit.useStoreState(tab, 'selectedId') !== writeId
  const isEmpty = text.trim() === '' && !props.allowEmpty
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
      <Ariakit.TabProvider store={tab}>
        <Ariakit.TabList className="tabs" aria-label={label}>
          <Ariakit.Tab id={writeId} className="tab">
            Write
          </Ariakit.Tab>
          <Ariakit.Tab className="tab">Preview</Ariakit.Tab>
        </Ariakit.TabList>
        <Ariakit.TabPanel tabId={writeId} focusable={false} className="composer-panel">
          <MarkdownArea
            area={area}
            text={text}
            onText={write}
            onSend={submit}
            onEscape={onCancel && !isDraft ? onCancel : undefined}
            aria-label={label}
            placeholder={disabledReason ?? props.placeholder ?? 'Write in Markdown. Type @ to mention someone.'}
            rows={rows}
            data-autofocus={props.autoFocus}
            readOnly={disabledReason !== undefined || (isSending && !props.clearOnSubmit)}
            aria-disabled={disabledReason !== undefined || undefined}
          />
        </Ariakit.TabPanel>
        <Ariakit.TabPanel className="composer-panel" unmountOnHide>
          {isPreview && <Preview text={text} />}
        </Ariakit.TabPanel>
      </Ariakit.TabProvider>
      {error !== undefined && <ProblemNote error={error} />}
      <div className="spread">
        <p className="meta composer-hint">
          {props.initial !== undefined && isDraft ? (
            <>
              Unsaved changes.{' '}
              <button type="button" className="text-button" onClick={discard}>
                Discard changes
              </button>
            </>
          ) : (
            SEND_HINT
          )}
        </p>
        <div className="row">
          {onCancel && <Button onClick={onCancel}>Cancel</Button>}
          <Button
            type="submit"
            variant="primary"
            disabledReason={submitDisabledReason}
            aria-disabled={isEmpty || isSending || undefined}
          >
            {isSending ? 'Sending…' : submitLabel}
          </Button>
        </div>
      </div>
    </form>
  )
}

const SEND_HINT = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘↵ to send' : 'Ctrl+Enter to send'

function Preview({ text }: { text: string }) {
  const markdown = toMarkdown(text)
  const { data, error, refetch } = usePreview(markdown)
  if (markdown.trim() === '') return <p className="meta composer-preview">Nothing to preview</p>
  if (error) return <ProblemNote error={error} retry={() => void refetch()} />
  return (
    <div className="composer-preview">
      {data === undefined ? (
        <Loading what="the preview">
          <Skeleton width="80%" />
        </Loading>
      ) : (
        <Content html={data} />
      )}
    </div>
  )
}
