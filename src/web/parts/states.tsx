import { type ReactNode, useSyncExternalStore } from 'react'
import { ApiError } from '../../client/errors'
import { Button } from './button'

/** A grey bar in place of content that is loading; hidden for the first 150 ms. */
export const Skeleton = ({ width = '100%', height = 12 }: { width?: number | string; height?: number }) => (
  <div className="skeleton" style={{ width, height }} />
)

/** Skeletons, announced to screen readers. Without a connection, what is not on the device is not loaded until there is one. */
export function Loading({ what, children }: { what: string; children: ReactNode }) {
  const isOnline = useIsOnline()
  return (
    <div aria-busy="true">
      <p className={isOnline ? 'visually-hidden' : 'meta not-loaded'} role="status">
        {isOnline ? `Loading ${what}…` : `You are offline, so ${what} can't be loaded.`}
      </p>
      {isOnline && <div aria-hidden="true">{children}</div>}
    </div>
  )
}

const subscribe = (listener: () => void) => {
  addEventListener('online', listener)
  addEventListener('offline', listener)
  return () => {
    removeEventListener('online', listener)
    removeEventListener('offline', listener)
  }
}

/** Whether the device has a connection, as far as the browser knows. */
export const useIsOnline = () => useSyncExternalStore(subscribe, () => navigator.onLine)

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
