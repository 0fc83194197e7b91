import type { ReactNode } from 'react'
import { ApiError } from '../../client/errors'
import { retryUpload, type Upload } from '../data/uploads'
import { Button } from '../parts/button'
import { formatKey } from '../parts/format-key'
import { Icon } from '../parts/icon'
import { getErrorMessage } from '../parts/states'
import { isRunning } from './use-attachments'
import type { ComposerState, WritingOptions } from './use-composer'

interface Props {
  options: WritingOptions
  state: ComposerState
  /** Between the hint and the buttons. */
  children?: ReactNode
}

/** What can be done with a text: what failed, Cancel, and the button that sends it. */
export function ActionRow({ options, state, children }: Props) {
  const { initial, submitLabel, onCancel } = options
  return (
    <div className="composer-actions">
      {initial !== undefined && state.isDraft ? (
        <p className="meta">
          Unsaved changes.{' '}
          <button type="button" className="text-button" onClick={state.discard}>
            Discard
          </button>
        </p>
      ) : (
        <p className="meta composer-hint">{getSendHint(state.sendsOnEnter, submitLabel)}</p>
      )}
      {children}
      <ComposerProblem state={state} />
      {onCancel && <Button onClick={onCancel}>Cancel</Button>}
      <SubmitButton label={submitLabel} state={state} />
    </div>
  )
}

const getSendHint = (sendsOnEnter: boolean, submitLabel: string) =>
  sendsOnEnter ? 'Shift+Enter for a new line' : `${formatKey('mod+Enter')} to ${submitLabel.toLowerCase()}`

/** Sends the text. It says why it cannot. */
export const SubmitButton = ({ label, state }: { label: string; state: ComposerState }) => (
  <Button
    type="submit"
    variant="primary"
    disabledReason={state.submitDisabledReason}
    aria-disabled={state.isEmpty || state.isSending || undefined}
  >
    {state.isSending ? 'Sending…' : state.uploads.some(isRunning) ? 'Uploading…' : label}
  </Button>
)

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
