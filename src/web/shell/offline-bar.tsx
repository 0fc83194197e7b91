import { useEffect, useState } from 'react'
import { useIsLive } from '../data/live'

/** Not shown for brief interruptions. */
const DELAY_MS = 4_000

/** Says that the page may be out of date while there is no connection. */
export function OfflineBar() {
  const isLive = useIsLive()
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    if (isLive) return setShown(false)
    const timer = setTimeout(() => setShown(true), DELAY_MS)
    return () => clearTimeout(timer)
  }, [isLive])
  return (
    <div role="status">
      {isShown && (
        <p className="offline">
          {navigator.onLine ? "Can't reach the server. Trying again…" : "You're offline. This page may be out of date."}
        </p>
      )}
    </div>
  )
}
