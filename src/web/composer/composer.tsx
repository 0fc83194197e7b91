import * as Ariakit from '@ariakit/react'
import { type ReactNode, type RefObject, useEffect, useId, useLayoutEffect, useRef } from 'react'
import { ApiError } from '../../client/errors'
import { useIsLive } from '../data/cache/live'
import { flushDraft } from '../data/draft-sync'
import { shiftPosition, toParagraph, toReference } from '../data/files'
import { usePreview } from '../data/markdown'
import { toMarkdown } from '../data/mentions'
import {
  type Insert,
  registerEditor,
  retryLostUploads,
  retryUpload,
  startUploads,
  type Upload,
  useUploads,
} from '../data/uploads'
import { Button } from '../parts/button'
import { Content } from '../parts/content'
import { useDropTarget } from '../parts/drop-targets'
import { formatKey } from '../parts/format-key'
import { Icon } from '../parts/icon'
import { getErrorMessage, Loading, ProblemNote, Skeleton } from '../parts/states'
import { Attachments } from './attachments'
import { insertInBackground } from './editing'
import { MarkdownArea } from './markdown-area'
import { OtherVersion } from './other-version'
import { Toolbar } from './toolbar'
import { useDraft } from './use-draft'

export interface ComposerProps {
  /** Where the draft is kept: one of `draftKeys`. */
  draftKey: string
  label: string
  submitLabel: string
  /** What is being written, as in “your comment”. */
  noun?: string
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
  const { label, onCancel, disabledReason, rows = 3, children } = props
  const form = useRef<HTMLFormElement>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  const { text, send, discard, isSending, isDraft, error, forgetError, ...draft } = useDraft(props)
  const { uploads, add, write } = useAttachments({ draftKey: props.draftKey, area, text, write: draft.write })
  const uploadReason = getUploadReason(uploads)
  const submitDisabledReason = props.submitDisabledReason ?? disabledReason ?? uploadReason
  useDropTarget(
    form,
    disabledReason === undefined ? { action: `add them to your ${props.noun ?? 'text'}`, add } : undefined,
  )
  useWhenConnected(() => {
    if (isTransient(error)) forgetError()
    retryLostUploads(props.draftKey)
  })
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
      ref={form}
      className="composer"
      aria-label={label}
      aria-busy={isSending || undefined}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
      onBlur={() => flushDraft(props.draftKey)}
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
              onFiles={add}
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
          {disabledReason === undefined && <Attachments text={text} onText={write} uploads={uploads} />}
          <div className="composer-foot">
            {!isPreview && disabledReason === undefined && <Toolbar area={area} onFiles={add} />}
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
              <ComposerProblem error={error} retry={submit} uploads={uploads} />
              {onCancel && <Button onClick={onCancel}>Cancel</Button>}
              <Button
                type="submit"
                variant="primary"
                disabledReason={submitDisabledReason}
                aria-disabled={isEmpty || isSending || undefined}
              >
                {isSending ? 'Sending…' : uploads.some(isRunning) ? 'Uploading…' : props.submitLabel}
              </Button>
            </div>
          </div>
        </Ariakit.TabProvider>
      </div>
      <OtherVersion draftKey={props.draftKey} />
    </form>
  )
}

/** What failed, beside the button that failed. */
function ComposerProblem({ error, retry, uploads }: { error: unknown; retry(): void; uploads: readonly Upload[] }) {
  const lost = uploads.filter(({ state, canRetry }) => state === 'failed' && canRetry)
  if (error === undefined && lost.length === 0) return null
  const [text, run] =
    error === undefined
      ? [describeLost(lost.length), () => lost.forEach(({ id }) => void retryUpload(id))]
      : [getErrorMessage(error), retry]
  return (
    <p className="composer-problem" role="alert">
      <Icon name="warning" />
      <span>
        {text}{' '}
        <button type="button" className="text-button" onClick={run}>
          Retry
        </button>
        {error instanceof ApiError && (
          <>
            {' '}
            <span className="composer-request">
              Request <code>{error.requestId}</code>
            </span>
          </>
        )}
      </span>
    </p>
  )
}

const describeLost = (count: number) =>
  count === 1 ? 'Could not upload the file.' : `Could not upload ${count.toLocaleString()} files.`

/** Whether it has failed because of the server or the network, not because of what was sent. */
const isTransient = (error: unknown) => !(error instanceof ApiError) || error.status === 429 || error.status >= 500

/** Runs as soon as there is a connection, and again each time when it is back. */
function useWhenConnected(run: () => void) {
  const isLive = useIsLive()
  const latest = useRef(run)
  latest.current = run
  useEffect(() => {
    if (isLive) latest.current()
  }, [isLive])
}

const isRunning = ({ state }: Upload) => state !== 'failed'

/** Why a text cannot be sent before all of its files are uploaded. */
function getUploadReason(uploads: readonly Upload[]): string | undefined {
  if (uploads.some(isRunning)) return 'Wait until the files are uploaded.'
  return uploads.length > 0 ? 'Retry or remove the files that were not uploaded.' : undefined
}

const getSendHint = (sendsOnEnter: boolean, submitLabel: string) =>
  sendsOnEnter ? 'Shift+Enter for a new line' : `${formatKey('mod+Enter')} to ${submitLabel.toLowerCase()}`

/** A text as it will look. */
function Preview({ text }: { text: string }) {
  const { data, error, refetch } = usePreview(text)
  if (text.trim() === '') return <p className="meta composer-preview">Nothing to preview</p>
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

interface Options {
  draftKey: string
  area: RefObject<HTMLTextAreaElement | null>
  text: string
  write(text: string): void
}

/**
 * The files of an editor. Each is uploaded for the place where the caret was, which moves with the text around it, and
 * inserted there when it is on the server.
 */
function useAttachments({ draftKey, area, text, write }: Options) {
  const uploads = useUploads(draftKey)
  const positions = useRef(new Map<string, number>())
  const hasCaret = useRef(false)
  const isInserting = useRef(false)
  const latest = useRef(text)
  latest.current = text

  useEffect(() => {
    const noteCaret = () => {
      hasCaret.current = true
    }
    const element = area.current!
    element.addEventListener('focus', noteCaret)
    return () => element.removeEventListener('focus', noteCaret)
  }, [area])

  // As the area is: React takes it away as soon as another page is loading.
  useLayoutEffect(() => {
    const insert: Insert = (uploadId, record) => {
      const { value } = area.current!
      const at = Math.min(positions.current.get(uploadId) ?? value.length, value.length)
      const paragraph = toParagraph(value, at, toReference(record))
      moveOthers(positions.current, uploadId, at, paragraph.length)
      isInserting.current = true
      insertInBackground(area.current!, at, paragraph)
      isInserting.current = false
    }
    return registerEditor(draftKey, insert, () => toMarkdown(latest.current))
  }, [draftKey, area])

  return {
    uploads,
    add(files: readonly File[]) {
      const { value, selectionEnd } = area.current!
      const at = hasCaret.current ? selectionEnd : value.length
      for (const id of startUploads(draftKey, files)) positions.current.set(id, at)
    },
    write(next: string) {
      if (!isInserting.current)
        for (const [id, position] of positions.current)
          positions.current.set(id, shiftPosition(position, latest.current, next))
      latest.current = next
      write(next)
    },
  }
}

/** Files that were added together keep their order, no matter which is uploaded first. */
function moveOthers(positions: Map<string, number>, uploadId: string, at: number, length: number) {
  let isLater = false
  for (const [id, position] of positions) {
    if (id === uploadId) isLater = true
    else if (position > at || (position === at && isLater)) positions.set(id, position + length)
  }
  positions.delete(uploadId)
}
