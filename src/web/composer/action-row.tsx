import type { ReactNode } from 'react'
import { ApiError } from '../../client/errors'
import { retryUpload, type Upload } from '../data/uploads'
import { Button } from '../parts/button'
import { formatKey, toAriaKey } from '../parts/format-key'
import { Icon } from '../parts/icon'
import { getErrorMessage } from '../parts/states'
import { MentionNotes } from './mention-notes'
import { isRunning } from './use-attachments'
import type { ComposerState, WritingOptions } from './use-composer'

interface Props {
  options: WritingOptions
  state: ComposerState
  /** The toolbar. */
  children: ReactNode
}

/** One row with the tools, and with what can be done with a text: Cancel, and the button that sends it. Problems are above it. */
export function ActionRow({ options: { initial, submitLabel, onCancel }, state, children }: Props) {
  return (
    <div className="composer-foot">
      <MentionNotes state={state} />
      <ComposerProblem state={state} />
      <div className="composer-row">
        {children}
        <div className="composer-actions">
          {initial !== undefined && state.isDraft && <UnsavedChanges discard={state.discard} />}
          {onCancel && <Button onClick={onCancel}>Cancel</Button>}
          <SubmitButton label={submitLabel} state={state} />
        </div>
      </div>
    </div>
  )
}

/** Says that what is edited differs from what is published. It is kept in this browser until then. */
export const UnsavedChanges = ({ discard }: { discard(): void }) => (
  <p className="meta unsaved">
    <span>Unsaved changes</span>{' '}
    <button type="button" className="text-button" onClick={discard}>
      Discard
    </button>
  </p>
)

/** Sends the text. It says why it cannot, and by which key it is sent. */
export function SubmitButton({ label, state }: { label: string; state: ComposerState }) {
  const { submitDisabledReason, isEmpty, isSending, uploads, sendsOnEnter } = state
  const key = sendsOnEnter ? 'Enter' : 'mod+Enter'
  return (
    <Button
      type="submit"
      variant="primary"
      disabledReason={submitDisabledReason}
      aria-disabled={isEmpty || isSending || undefined}
      aria-keyshortcuts={toAriaKey(key)}
      hint={`${label} (${formatKey(key)})`}
    >
      {isSending ? 'Sending…' : uploads.some(isRunning) ? 'Uploading…' : label}
    </Button>
  )
}

/** What failed, beside the button that failed. */
export function ComposerProblem({ state: { error, submit, uploads } }: { state: ComposerState }) {
  const lost = uploads.filter(({ state, canRetry }) => state === 'failed' && canRetry)
  if (error === undefined && lost.length === 0) return null
  const [text, run] =
    error === undefined ? [describeLost(lost.length), () => retryAll(lost)] : [getErrorMessage(error), submit]
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

function retryAll(uploads: readonly Upload[]) {
  for (const { id } of uploads) retryUpload(id)
}

const describeLost = (count: number) =>
  count === 1 ? 'Could not upload the file.' : `Could not upload ${count.toLocaleString()} files.`
