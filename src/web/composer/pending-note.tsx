import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { cancel, isOnItsWay, restore, retry, type Waiting } from '../data/cache/queue'
import { canEdit, takeBack } from '../data/waiting'
import { copyText } from '../parts/copy-link'
import { Icon } from '../parts/icon'
import { notify } from '../parts/notices'
import { findSurfaceOf } from './surface'

interface Props {
  entry: Waiting
  /** The text was put back into its editor. */
  onEdit?(): void
}

/** What becomes of something that the server has not confirmed yet, and what can be done about it. */
export function PendingNote({ entry, onEdit }: Props) {
  const [, navigate] = useLocation()
  const { problem, triedAt, sendingSince } = entry
  const text = (entry.input as { content_markdown?: string }).content_markdown
  const isSending = isOnItsWay(entry)
  // A later attempt looks like waiting, so that nothing flickers while there is no connection.
  const isFirstAttempt = triedAt === null || triedAt === sendingSince
  if (problem === null && isFirstAttempt && isSending) return <p className="visually-hidden">Sending…</p>
  const edit = () => {
    const path = takeBack(entry)
    if (path === undefined) return
    onEdit?.()
    if (!focusEditor(entry)) navigate(path)
  }
  const drop = () => {
    if (cancel(entry)) notify('Discarded', { label: 'Undo', run: () => restore(entry) })
  }
  return (
    <div className={`pending-note ${problem === null ? '' : 'failed'}`}>
      <Icon name={problem === null ? 'clock' : 'warning'} size={14} />
      <p>
        {problem === null ? (
          'Will be sent when you are back online'
        ) : (
          <>
            <b>Not sent.</b> {problem}
          </>
        )}
      </p>
      <div className="row">
        {problem !== null && <Action run={() => retry(entry)}>Send now</Action>}
        {entry.isOrphaned && text && <Action run={() => void copyText(text)}>Copy text</Action>}
        {canEdit(entry) && !entry.isOrphaned && (
          <Action run={edit} isDisabled={isSending}>
            Edit
          </Action>
        )}
        <Action run={drop} isDisabled={isSending}>
          {problem === null ? 'Cancel' : 'Discard'}
        </Action>
      </div>
    </div>
  )
}

const Action = ({ run, isDisabled, children }: { run(): void; isDisabled?: boolean; children: ReactNode }) => (
  <button type="button" className="pending-action" onClick={run} aria-disabled={isDisabled || undefined}>
    {children}
  </button>
)

/** Goes to where a text is written, if that is on this page. */
function focusEditor({ kind, input }: Waiting): boolean {
  const { parent_id } = input as { parent_id?: string | null }
  if (kind === 'comment' && parent_id) {
    const button = document.getElementById(parent_id)?.querySelector<HTMLElement>('[data-do=reply]')
    button?.click()
    return button !== null && button !== undefined
  }
  const label = { comment: 'Comment', message: 'Message' }[kind]
  const surface = label && findSurfaceOf(label)
  if (surface) surface.focus()
  return Boolean(surface)
}
