import { useSyncExternalStore } from 'react'
import { fold } from '../../contract/browser/fold'
import { createStoredValue } from './storage'

/** What the member searched for on this device, latest first. */
const searches = createStoredValue<string[]>('searches', [])
const MAX_SEARCHES = 10

export const useRecentSearches = () => useSyncExternalStore(searches.subscribe, searches.get)

export function rememberSearch(q: string) {
  const text = q.trim()
  if (text) searches.set([text, ...without(text)].slice(0, MAX_SEARCHES))
}

export const forgetSearch = (q: string) => searches.set(without(q))
export const clearSearches = () => searches.set([])

const without = (q: string) => searches.get().filter((other) => fold(other) !== fold(q))
