import { useIsFetching } from '@tanstack/react-query'
import { useEffect } from 'react'

const QUIET_MS = 500

/** Loads the code of pages that are likely to be opened next, once this one has all it needs. */
export function Preload({ pages }: { pages: readonly (() => Promise<unknown>)[] }) {
  const isQuiet = useIsFetching() === 0
  useEffect(() => {
    if (!isQuiet) return
    // A page that cannot be loaded now is loaded when it is opened.
    const timer = setTimeout(() => void Promise.allSettled(pages.map((load) => load())), QUIET_MS)
    return () => clearTimeout(timer)
  }, [isQuiet, pages])
  return null
}
