import { useSyncExternalStore } from 'react'
import { ParleyError } from '../../client/error'
import { Button } from './button'
import { getErrorMessage } from './states'

interface Notice {
  id: number
  text: string
  action?: { label: string; run(): void }
}

const NOTICE_MS = 10_000
let notices: Notice[] = []
let count = 0
const listeners = new Set<() => void>()

function change(next: Notice[]) {
  notices = next
  for (const listener of listeners) listener()
}

const dismiss = (id: number) => change(notices.filter((notice) => notice.id !== id))

/** Shows a notice for something that is not visible otherwise, with an optional action. */
export function notify(text: string, action?: Notice['action']) {
  const id = ++count
  change([...notices.slice(-2), { id, text, action }])
  setTimeout(() => dismiss(id), NOTICE_MS)
}

/** Reports that a change shown optimistically has failed, and why. */
export function notifyProblem(what: string, error: unknown) {
  const request = error instanceof ParleyError ? ` (request ${error.requestId})` : ''
  notify(`${what} ${getErrorMessage(error)}${request}`)
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Notices() {
  const shown = useSyncExternalStore(subscribe, () => notices)
  return (
    <div className="notices" role="status" aria-live="polite">
      {shown.map(({ id, text, action }) => (
        <div key={id} className="notice">
          <span>{text}</span>
          <span className="row">
            {action && (
              <Button
                onClick={() => {
                  dismiss(id)
                  action.run()
                }}
              >
                {action.label}
              </Button>
            )}
            <Button icon="close" label="Dismiss" onClick={() => dismiss(id)} />
          </span>
        </div>
      ))}
    </div>
  )
}
