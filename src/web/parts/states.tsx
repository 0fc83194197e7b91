import type { ReactNode } from 'react'
import { ApiError } from '../../client/errors'
import { Button } from './button'

/** A grey bar in place of content that is loading; hidden for the first 150 ms. */
export const Skeleton = ({ width = '100%', height = 12 }: { width?: number | string; height?: number }) => (
  <div className="skeleton" style={{ width, height }} />
)

/** Skeletons, announced to screen readers. */
export const Loading = ({ what, children }: { what: string; children: ReactNode }) => (
  <div aria-busy="true">
    <p className="visually-hidden" role="status">
      Loading {what}…
    </p>
    <div aria-hidden="true">{children}</div>
  </div>
)

/** An empty state: one sentence and one action. */
export const Empty = ({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) => (
  <div className="empty">
    <h2>{title}</h2>
    {children && <p>{children}</p>}
    {action}
  </div>
)

/** A readable message for any error. */
export const getErrorMessage = (error: unknown): string => {
  if (error instanceof ApiError) return error.errors.map(({ message }) => message).join(' ') || error.detail
  return navigator.onLine ? "Can't reach the server." : "You're offline."
}

/** An error with a retry button and the request id for support. */
export const ProblemNote = ({ error, retry }: { error: unknown; retry?: () => void }) => (
  <div className="problem" role="alert">
    <p>{getErrorMessage(error)}</p>
    {retry && <Button onClick={retry}>Try again</Button>}
    {error instanceof ApiError && (
      <p className="meta">
        Request <code>{error.requestId}</code>
      </p>
    )}
  </div>
)
