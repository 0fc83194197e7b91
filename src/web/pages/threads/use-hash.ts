import { useSyncExternalStore } from 'react'

const moves = ['hashchange', 'popstate', 'pushState', 'replaceState']

const subscribe = (listener: () => void) => {
  for (const move of moves) addEventListener(move, listener)
  return () => {
    for (const move of moves) removeEventListener(move, listener)
  }
}

/** The fragment of the URL. */
export const useHash = () => useSyncExternalStore(subscribe, () => decodeURIComponent(location.hash.slice(1)))
