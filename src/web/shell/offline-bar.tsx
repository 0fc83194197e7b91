import { useEffect, useState } from 'react'
import { useIsLive } from '../data/live'

/** Not shown for brief interruptions. */
const PATIENCE_MS = 4_000

/** Says that the page may be out of date while there is no connection. */
export function OfflineBar() {
  const isLive = useIsLive()
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    if (isLive) return setLate(false)
    const timer = setTimeout(() => setLate(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [isLive])
  return (
    <div role="status">
      {isLate && (
        <p className="offline">
          {navigator.onLine ? 'The server is away. Trying again …' : 'You are offline. What you see may be old.'}
        </p>
      )}
    </div>
  )
}
