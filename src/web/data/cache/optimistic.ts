import {
  hashKey,
  notifyManager,
  partialMatchKey,
  type QueryFunction,
  type QueryKey,
  type UseQueryOptions,
  useQuery,
} from '@tanstack/react-query'
import { useCallback, useRef, useSyncExternalStore } from 'react'
import { cache } from './parley'
import { applyChanges, type Change } from './records'

/**
 * What the member did and the server has not confirmed yet. The cache holds what the server said; these changes are laid over
 * it where it is shown. When its request ends, a change goes: into the cache if the server did it, else without a trace. So each
 * must change nothing where it was applied before.
 */
let changes: readonly Change[] = []
const listeners = new Set<() => void>()

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Shows changes until the function that it returns is called. */
export function show(added: readonly Change[]): () => void {
  changes = [...changes, ...added]
  // At once: a checkbox would go back to what it was until then.
  for (const listener of listeners) listener()
  return () => {
    changes = changes.filter((each) => !added.includes(each))
    // Together with what has changed in the cache.
    for (const listener of listeners) notifyManager.schedule(listener)
  }
}

/**
 * Shows changes while a request is under way. When it succeeds, they stay, or `settle` puts what the server returned in their
 * place; when it fails, they are gone and the error is thrown.
 */
export async function optimistic<T>(
  shown: readonly Change[],
  request: () => Promise<T>,
  settle: (result: T) => void = () => applyChanges(shown),
): Promise<T> {
  const hide = show(shown)
  try {
    const result = await request()
    notifyManager.batch(() => {
      settle(result)
      hide()
    })
    return result
  } finally {
    hide()
  }
}

const NONE: readonly Change[] = []

/** The changes of a query; the same array as before as long as they are the same. */
function findChanges(key: QueryKey, before: readonly Change[]): readonly Change[] {
  const found = changes.length === 0 ? NONE : changes.filter((each) => partialMatchKey(key, each.key))
  return found.length === before.length && found.every((each, at) => each === before[at]) ? before : found
}

const applyAll = <T>(found: readonly Change[], key: QueryKey, data: T): T =>
  found.reduce<unknown>((now, { apply }) => apply(now, key), data) as T

/** What is shown of a query, outside of components. */
export function getShown<T>(key: QueryKey): T | undefined {
  const data = cache.getQueryData<T>(key)
  return data === undefined ? undefined : applyAll(findChanges(key, NONE), key, data)
}

/** The option of a query that lays the unconfirmed changes over its data. */
export function useChanges<T>(key: QueryKey): ((data: T) => T) | undefined {
  const last = useRef(NONE)
  const found = useSyncExternalStore(subscribe, () => {
    last.current = findChanges(key, last.current)
    return last.current
  })
  const latestKey = useRef(key)
  latestKey.current = key
  const select = useCallback((data: T) => applyAll(found, latestKey.current, data), [found, hashKey(key)])
  return found.length > 0 ? select : undefined
}

type Options<T> = Omit<UseQueryOptions<T>, 'queryKey' | 'queryFn' | 'select'> & {
  queryKey: QueryKey
  queryFn: QueryFunction<T>
}

/** A query, as it is once the server has done what the member did. */
export const useShown = <T>(options: Options<T>) => useQuery<T>({ ...options, select: useChanges<T>(options.queryKey) })
