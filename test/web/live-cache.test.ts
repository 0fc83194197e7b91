import { describe, expect, test } from 'bun:test'
import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { LiveCache, REPEAT_AFTER_MS } from '../../src/web/data/cache/parley'

const KEY = ['posts']

/** A list that is on the page. Each response holds what was there when it was requested, and arrives later. */
function showList(responseMs: number) {
  const cache = new LiveCache()
  const client = new QueryClient({ queryCache: cache })
  const onServer: string[] = []
  let requests = 0
  const stop = new QueryObserver(client, {
    queryKey: KEY,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      requests++
      const response = [...onServer]
      await Bun.sleep(responseMs)
      return response
    },
  }).subscribe(() => {})
  return {
    onServer,
    requests: () => requests,
    shown: () => client.getQueryData<string[]>(KEY),
    isLoading: () => client.isFetching() > 0,
    /** The server has a new record, and its event arrives at once. */
    add(name: string) {
      onServer.push(name)
      cache.handleEvent(() =>
        client.setQueriesData<string[]>({ queryKey: KEY }, (list) =>
          list && !list.includes(name) ? [...list, name] : list,
        ),
      )
    },
    handle: (change: () => void) => cache.handleEvent(change),
    stop,
  }
}

describe('a response that is older than an event', () => {
  test('is replaced by a newer one, which is not requested more often than twice a second', async () => {
    const list = showList(20)
    const started = performance.now()
    for (let count = 0; performance.now() - started < 3 * REPEAT_AFTER_MS; count++) {
      list.add(`record ${count}`)
      await Bun.sleep(5)
    }
    const deadline = performance.now() + 60_000
    while (list.shown()?.length !== list.onServer.length && performance.now() < deadline) await Bun.sleep(5)
    await Bun.sleep(REPEAT_AFTER_MS + 100)
    const mostRequests = 1 + (performance.now() - started) / REPEAT_AFTER_MS
    expect(list.shown()).toEqual(list.onServer)
    expect(list.requests()).toBeGreaterThan(1)
    expect(list.requests()).toBeLessThanOrEqual(mostRequests)
    list.stop()
  })

  test('is kept if the event was about something else, or its handler failed', async () => {
    const list = showList(20)
    list.handle(() => {})
    expect(() =>
      list.handle(() => {
        throw new Error('A handler failed.')
      }),
    ).toThrow('A handler failed.')
    list.shown()
    while (list.isLoading()) await Bun.sleep(5)
    await Bun.sleep(REPEAT_AFTER_MS + 100)
    expect(list.requests()).toBe(1)
    list.stop()
  })
})
