import { describe, expect, test } from 'bun:test'
import { QueryObserver } from '@tanstack/react-query'
import { cache } from '../../src/web/data/cache/parley'
import { markStale, REPEAT_AFTER_MS, update } from '../../src/web/data/cache/records'

let lists = 0

/** A list that is on the page. Each response holds what was there when it was requested, and arrives later. */
function showList(responseMs: number) {
  const queryKey = ['list', ++lists]
  const onServer: string[] = []
  let requests = 0
  const stop = new QueryObserver(cache, {
    queryKey,
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
    shown: () => cache.getQueryData<string[]>(queryKey),
    isLoading: () => cache.isFetching({ queryKey }) > 0,
    /** The server has a new record, and its event arrives at once. */
    add(name: string) {
      onServer.push(name)
      update<string[]>(queryKey, (list) => (list.includes(name) ? list : [...list, name]))
    },
    markStale: () => markStale(queryKey),
    stop,
  }
}

async function waitUntil(isDone: () => boolean) {
  const deadline = performance.now() + 60_000
  while (!isDone() && performance.now() < deadline) await Bun.sleep(5)
}

describe('a response that is older than an event', () => {
  test('is replaced by a newer one, which is not requested more often than twice a second', async () => {
    const list = showList(20)
    const started = performance.now()
    for (let count = 0; performance.now() - started < 3 * REPEAT_AFTER_MS; count++) {
      list.add(`record ${count}`)
      await Bun.sleep(5)
    }
    await waitUntil(() => list.shown()?.length === list.onServer.length)
    await Bun.sleep(2 * REPEAT_AFTER_MS)
    const mostRequests = 2 + (performance.now() - started) / REPEAT_AFTER_MS
    expect(list.shown()).toEqual(list.onServer)
    expect(list.requests()).toBeGreaterThan(1)
    expect(list.requests()).toBeLessThanOrEqual(mostRequests)
    list.stop()
  })

  test('is kept if the event was about something else', async () => {
    const list = showList(20)
    update(['something else'], () => 'changed')
    await waitUntil(() => !list.isLoading())
    await Bun.sleep(2 * REPEAT_AFTER_MS)
    expect(list.requests()).toBe(1)
    list.stop()
  })
})

describe('what events mark as stale', () => {
  test('is requested at most twice a second, and once more if it was being requested', async () => {
    const list = showList(50)
    await waitUntil(() => list.shown() !== undefined)
    const started = performance.now()
    while (performance.now() - started < 3 * REPEAT_AFTER_MS) {
      list.markStale()
      await Bun.sleep(5)
    }
    list.onServer.push('the last')
    list.markStale()
    await waitUntil(() => list.shown()?.includes('the last') ?? false)
    expect(list.shown()).toEqual(['the last'])
    expect(list.requests()).toBeLessThanOrEqual(3 + (performance.now() - started) / REPEAT_AFTER_MS)
    list.stop()
  })

  test('does not become fresh again because an event changes it', async () => {
    const queryKey = ['not shown']
    cache.setQueryData(queryKey, ['one'])
    await cache.invalidateQueries({ queryKey })
    update<string[]>(queryKey, (list) => [...list, 'two'])
    expect(cache.getQueryState(queryKey)).toMatchObject({ data: ['one', 'two'], isInvalidated: true })
  })
})
