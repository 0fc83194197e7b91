import { useEffect, useState, useSyncExternalStore } from 'react'
import { ApiError } from '../../client/errors'
import { Button } from './button'
import { getErrorMessage } from './states'

interface NoticeAction {
  label: string
  run(): void
}

/** The state of a record that a notice is about. Any later change of the record dismisses the notice. */
interface Subject {
  id: string
  at: string
}

interface Notice {
  text: string
  shownMs: number
  action?: NoticeAction
  about?: Subject
}

const NOTICE_MS = 4_000
/** Problems are longer, and nothing else shows them. */
const PROBLEM_MS = 10_000

let current: Notice | undefined
const listeners = new Set<() => void>()

function show(notice: Notice | undefined) {
  current = notice
  for (const listener of listeners) listener()
}

/** Shows a notice for something that is not visible otherwise, in place of the one before. */
export const notify = (text: string, action?: NoticeAction, about?: Subject) =>
  show({ text, shownMs: NOTICE_MS, action, about })

/** Dismisses the notice about a record that has changed at this time. */
export function dismissOutdatedNotice(id: string, changedAt: string) {
  if (current?.about?.id === id && changedAt > current.about.at) show(undefined)
}

/** Reports that a change shown optimistically has failed, and why. */
export function notifyProblem(what: string, error: unknown) {
  const request = error instanceof ApiError ? ` (request ${error.requestId})` : ''
  show({ text: `${what} ${getErrorMessage(error)}${request}`, shownMs: PROBLEM_MS })
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The latest notice. It stays as long as the pointer or the focus is on it. */
export function Notices() {
  const notice = useSyncExternalStore(subscribe, () => current)
  const [isHovered, setHovered] = useState(false)
  const [isFocused, setFocused] = useState(false)
  const isHeld = isHovered || isFocused
  useEffect(() => {
    if (!notice) {
      setHovered(false)
      setFocused(false)
    }
    if (!notice || isHeld) return
    const timer = setTimeout(() => show(undefined), notice.shownMs)
    return () => clearTimeout(timer)
  }, [notice, isHeld])
  return (
    <div className="notices" role="status" aria-live="polite">
      {notice && (
        // biome-ignore lint/a11y/noStaticElementInteractions: it only stays longer; its buttons have the focus.
        <div
          className="notice"
          onPointerEnter={() => setHovered(true)}
          onPointerLeave={() => setHovered(false)}
          onFocus={() => setFocused(true)}
          onBlur={() => setFocused(false)}
        >
          <span>{notice.text}</span>
          <span className="row">
            {notice.action && <ActionButton {...notice.action} />}
            <Button icon="close" label="Dismiss" onClick={() => show(undefined)} />
          </span>
        </div>
      )}
    </div>
  )
}

const ActionButton = ({ label, run }: NoticeAction) => (
  <Button
    onClick={() => {
      show(undefined)
      run()
    }}
  >
    {label}
  </Button>
)
