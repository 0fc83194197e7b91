import { useEffect, useState } from 'react'
import { useIsLive } from '../data/live'

/** Long enough that a page that just opened, or a short cut, is no news. */
const PATIENCE_MS = 4_000

/** Says that what is shown may be old, and goes away by itself. */
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
