import { useQuery } from '@tanstack/react-query'
import type { PostState, ThreadState } from '../../contract/unread'
import { cache, parley } from './parley'

/** The signed-in member's state of posts and threads: whether they are unread and followed, and the latest texts. */
export const postStates = createStates<PostState>('post-state', async (ids) => {
  const { data } = await parley.unread.posts({ ids })
  return new Map(data.map((state) => [state.post_id, state]))
})
export const threadStates = createStates<ThreadState>('thread-state', async (ids) => {
  const { data } = await parley.unread.threads({ ids })
  return new Map(data.map((state) => [state.thread_id, state]))
})

export const usePostState = postStates.useState
export const useThreadState = threadStates.useState

/** The most ids of one request, as long as a page. */
const MAX_IDS = 50

type Load<S> = (ids: string[]) => Promise<Map<string, S>>

/** States are cached by id, and loaded by one request for all rows that need one at the same time. */
function createStates<S extends object>(name: string, load: Load<S>) {
  const loadOne = createBatches(load)
  const keyOf = (id: string) => [name, id]
  const apply = (change: Partial<S>) => (state: S | null | undefined) => state && { ...(state as S), ...change }
  return {
    useState: (id: string) => useQuery({ queryKey: keyOf(id), queryFn: () => loadOne(id) }),
    get: (id: string) => cache.getQueryData<S | null>(keyOf(id)) ?? undefined,
    change: (id: string, change: Partial<S>) =>
      cache.setQueryData<S | null, string[], S | null>(keyOf(id), apply(change)),
    changeAll: (change: Partial<S>) => cache.setQueriesData<S | null>({ queryKey: [name] }, apply(change)),
    /** Loads the state of one, or of all, again. What is not on the page is loaded when it is shown. */
    refresh: (id?: string) => void cache.invalidateQueries({ queryKey: id === undefined ? [name] : keyOf(id) }),
  }
}

interface Waiting<S> {
  id: string
  resolve(state: S | null): void
  reject(error: unknown): void
}

/** Collects the ids that are asked for until the previous request has been answered. An id that is not found gives null. */
function createBatches<S>(load: Load<S>) {
  let waiting: Waiting<S>[] = []
  let isRunning = false

  async function run() {
    // Effects of one render ask one after the other.
    await Promise.resolve()
    while (waiting.length > 0) {
      const batch = takeBatch()
      try {
        const states = await load([...new Set(batch.map(({ id }) => id))])
        for (const { id, resolve } of batch) resolve(states.get(id) ?? null)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isRunning = false
  }

  function takeBatch() {
    const batch = waiting.slice(0, MAX_IDS)
    waiting = waiting.slice(MAX_IDS)
    return batch
  }

  return (id: string) =>
    new Promise<S | null>((resolve, reject) => {
      waiting.push({ id, resolve, reject })
      if (isRunning) return
      isRunning = true
      void run()
    })
}
