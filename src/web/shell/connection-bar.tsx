import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { reconnect, useIsLive } from '../data/cache/live'
import { useQueue } from '../data/cache/queue'
import { Button } from '../parts/button'
import { formatCount } from '../parts/format-count'
import { Icon } from '../parts/icon'
import { useIsOnline } from '../parts/states'
import { openWaitingList } from './overlays'

type Reason = 'offline' | 'unreachable'

/** Brief interruptions are not shown. That the device is offline is certain, and known at once. */
const DELAY_MS: Record<Reason, number> = { offline: 1_000, unreachable: 4_000 }
/** How long “Try now” says that it tries. */
const TRYING_MS = 1_500

/**
 * Says why nothing new arrives, what happens to what is written meanwhile, and what was not sent. Stays in view while the page is
 * scrolled.
 */
export default function ConnectionBar() {
  const bar = useRef<HTMLDivElement>(null)
  const reason = useReason()
  const entries = useQueue()
  const refused = entries.filter(({ problem }) => problem !== null).length
  const isShown = reason !== undefined || refused > 0
  useMeasuredHeight(bar, isShown)
  return (
    <div ref={bar} className="connection-bar" data-shown={isShown || undefined}>
      {isShown && <Icon name={reason === 'offline' ? 'offline' : 'warning'} />}
      <p role="status">
        {reason ? (
          <>
            <b>{reason === 'offline' ? 'You are offline.' : "Can't reach the server."}</b>{' '}
            <Outlook waiting={entries.length - refused} who={reason === 'offline' ? 'you are' : 'it is'} />
          </>
        ) : (
          refused > 0 && (
            <b>
              {formatCount(refused, 'change')} {refused === 1 ? 'was' : 'were'} not sent.
            </b>
          )
        )}
      </p>
      {!reason && refused > 0 && (
        <Button variant="plain" onClick={openWaitingList}>
          Show
        </Button>
      )}
      {reason && <TryNow />}
    </div>
  )
}

/** What happens to what is written, or has been written, without a connection. */
const Outlook = ({ waiting, who }: { waiting: number; who: string }) =>
  waiting === 0 ? (
    <span>You can keep reading and writing. Comments are sent when {who} back.</span>
  ) : (
    <span>
      <button type="button" className="text-button" onClick={openWaitingList}>
        {formatCount(waiting, 'change')} will be sent
      </button>{' '}
      when {who} back.
    </span>
  )

/** Why there is no connection; undefined if there is one. Right after the device is online again, it is not changed to another. */
function useReason(): Reason | undefined {
  const isLive = useIsLive()
  const isOnline = useIsOnline()
  const [reason, setReason] = useState<Reason>()
  useEffect(() => {
    if (isLive) return setReason(undefined)
    const next = isOnline ? 'unreachable' : 'offline'
    const timer = setTimeout(() => setReason(next), DELAY_MS[next])
    return () => clearTimeout(timer)
  }, [isLive, isOnline])
  return reason
}

/** What else stays at the top of the page stays below the bar, which has two lines where it is narrow. */
function useMeasuredHeight(bar: RefObject<HTMLElement | null>, isShown: boolean) {
  useLayoutEffect(() => {
    if (!isShown) return
    const { style } = document.documentElement
    const observer = new ResizeObserver(() =>
      style.setProperty('--connection-bar', `${bar.current?.offsetHeight ?? 0}px`),
    )
    observer.observe(bar.current!)
    return () => {
      observer.disconnect()
      style.removeProperty('--connection-bar')
    }
  }, [bar, isShown])
}

function TryNow() {
  const [isTrying, setTrying] = useState(false)
  useEffect(() => {
    if (!isTrying) return
    const timer = setTimeout(() => setTrying(false), TRYING_MS)
    return () => clearTimeout(timer)
  }, [isTrying])
  return (
    <Button
      icon="retry"
      variant="plain"
      aria-disabled={isTrying || undefined}
      onClick={() => {
        setTrying(true)
        reconnect()
      }}
    >
      <span className="narrow-hidden">{isTrying ? 'Trying…' : 'Try now'}</span>
    </Button>
  )
}
