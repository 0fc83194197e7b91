import { type KeyboardEvent, type SyntheticEvent, useEffect, useRef } from 'react'
import { ApiError } from '../../client/errors'
import type { AudiencePlace } from '../data/audience'
import { useIsLive } from '../data/cache/live'
import { flushDraft } from '../data/draft-sync'
import { retryLostUploads } from '../data/uploads'
import { useDropTarget } from '../parts/drop-targets'
import { useVisibleArea } from '../parts/visible-area'
import type { SurfaceHandle, SurfaceProps } from './surface'
import { getUploadReason, useAttachments } from './use-attachments'
import { useDraft } from './use-draft'
import { useMentionCheck } from './use-mention-check'

/** What is written, where its draft is kept, and how it is sent: the same in every composer. */
export interface WritingOptions {
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
  /** Whether something beside the text was changed, such as a title. */
  isChanged?: boolean
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
  /** Where the text will be, to tell who of those it mentions cannot see it there. */
  audience?: AudiencePlace
  /** Clears the text when sending starts, and restores it if sending fails. */
  clearOnSubmit?: boolean
  /** Allows sending without text. */
  allowEmpty?: boolean
}

const isTouch = matchMedia('(pointer: coarse)')

/** Everything that composers have in common, whatever they look like. `onBeforeSend` runs when sending begins. */
export function useComposer(options: WritingOptions, onBeforeSend?: () => void) {
  const { draftKey, label, disabledReason, onCancel } = options
  const form = useRef<HTMLFormElement>(null)
  const surface = useRef<SurfaceHandle>(null)
  const draft = useDraft(options)
  const { text, write, isSending, error } = draft
  const isDraft = draft.isDraft || options.isChanged === true
  const { uploads, add, upload } = useAttachments({ draftKey, surface, text, write })
  const isDisabled = disabledReason !== undefined
  const mentions = useMentionCheck(isDisabled ? undefined : options.audience, text)
  useDropTarget(form, isDisabled ? undefined : { action: `add them to your ${options.noun ?? 'text'}`, add })
  useWhenConnected(() => {
    if (isTransient(error)) draft.forgetError()
    retryLostUploads(draftKey)
  })
  useEffect(() => {
    if (options.autoFocus) surface.current?.focus('end')
  }, [options.autoFocus])

  useVisibleArea()

  const isEmpty = text.trim() === '' && !options.allowEmpty
  const submitDisabledReason = options.submitDisabledReason ?? disabledReason ?? getUploadReason(uploads)
  const sendsOnEnter = options.sendsOnEnter === true && !isTouch.matches

  function submit() {
    if (isEmpty || isSending || submitDisabledReason) return
    void mentions.run(() => {
      onBeforeSend?.()
      surface.current?.focus()
      void draft.send()
    })
  }
  const formProps = {
    ref: form,
    'aria-label': label,
    'aria-busy': isSending || undefined,
    onSubmit(event: SyntheticEvent) {
      event.preventDefault()
      submit()
    },
    onBlur: () => flushDraft(draftKey),
    onKeyDown(event: KeyboardEvent) {
      if (event.key !== 'Enter' || event.defaultPrevented || event.nativeEvent.isComposing) return
      const isMod = event.ctrlKey || event.metaKey
      // Enter in a field above the text moves the focus to the text.
      if (!isMod && !(event.target instanceof HTMLInputElement)) return
      event.preventDefault()
      if (isMod) submit()
      else surface.current?.focus()
    },
  }
  const surfaceProps: SurfaceProps = {
    surface,
    label,
    text,
    onText: write,
    onFiles: add,
    onSend: submit,
    sendsOnEnter,
    onEscape: onCancel && !isDraft ? onCancel : undefined,
    placeholder: disabledReason ?? options.placeholder ?? 'Write something, or type @ to mention someone',
    rows: options.rows ?? 3,
    autoFocus: options.autoFocus,
    isReadOnly: isDisabled || (isSending && !options.clearOnSubmit),
    isDisabled,
  }
  return {
    formProps,
    surfaceProps,
    surface,
    text,
    write,
    uploads,
    add,
    upload,
    submit,
    submitDisabledReason,
    isEmpty,
    isSending,
    isDraft,
    isDisabled,
    sendsOnEnter,
    mentions,
    error,
    discard: draft.discard,
  }
}

export type ComposerState = ReturnType<typeof useComposer>

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
