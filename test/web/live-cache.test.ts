import { describe, expect, test } from 'bun:test'
import { InfiniteQueryObserver, QueryObserver } from '@tanstack/react-query'
import { cache, REPEAT_AFTER_MS } from '../../src/web/data/cache/parley'
import { loadAside, markStale, update } from '../../src/web/data/cache/records'

let lists = 0

/** A list that is on the page. Each response holds what was there when it was requested, and arrives later. */
function showList(responseMs: number) {
  const queryKey = ['list', { sort: 'date', name: ++lists }]
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
    queryKey,
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

  test('is not shown in a list of pages, which is requested again', async () => {
    const queryKey = ['pages', ++lists]
    const onServer = { state: 'open', requests: 0 }
    const stop = new InfiniteQueryObserver(cache, {
      queryKey,
      queryFn: async () => {
        onServer.requests++
        const page = [onServer.state]
        await Bun.sleep(20)
        return page
      },
      initialPageParam: undefined,
      getNextPageParam: () => undefined,
    }).subscribe(() => {})
    const shown = () => cache.getQueryData<{ pages: string[][] }>(queryKey)?.pages.flat()
    await waitUntil(() => shown() !== undefined)
    markStale(queryKey)
    await waitUntil(() => onServer.requests === 2)
    onServer.state = 'resolved'
    update<{ pages: string[][] }>(queryKey, (list) => ({ ...list, pages: [['resolved']] }))
    const seen: (string[] | undefined)[] = []
    await waitUntil(() => {
      seen.push(shown())
      return onServer.requests === 3 && cache.isFetching({ queryKey }) === 0
    })
    expect(onServer.requests).toBe(3)
    expect(seen.filter((state) => state?.join() !== 'resolved')).toEqual([])
    stop()
  })

  test('is kept if the event was about something else', async () => {
    const [list, other] = [showList(20), showList(20)]
    other.add('changed')
    update(['something else'], () => 'changed')
    await waitUntil(() => !list.isLoading())
    await Bun.sleep(2 * REPEAT_AFTER_MS)
    expect(list.requests()).toBe(1)
    expect(other.requests()).toBe(2)
    list.stop()
    other.stop()
  })

  test('makes no other list be requested, though all of its key is in that of the other', async () => {
    const all = showList(20)
    await waitUntil(() => !all.isLoading())
    const requests = { ofChannel: 0 }
    const queryKey = ['list', { ...(all.queryKey[1] as object), channel: 'general' }]
    const queryFn = () => {
      requests.ofChannel++
      return []
    }
    const stop = new QueryObserver(cache, { queryKey, queryFn }).subscribe(() => {})
    await waitUntil(() => cache.getQueryData(queryKey) !== undefined)
    markStale(all.queryKey, true)
    await waitUntil(() => all.requests() === 2)
    all.add('changed')
    await waitUntil(() => all.requests() === 3 && !all.isLoading())
    expect(requests.ofChannel).toBe(1)
    all.stop()
    stop()
  })
})

describe('what is loaded beside a query', () => {
  test('is requested again if an event came meanwhile, and only then', async () => {
    const list = showList(20)
    await waitUntil(() => !list.isLoading())
    const load = () =>
      loadAside(
        list.queryKey,
        async () => {
          const response = [...list.onServer]
          await Bun.sleep(20)
          return response
        },
        (loaded) => cache.setQueryData(list.queryKey, loaded),
      )
    await load()
    await Bun.sleep(2 * REPEAT_AFTER_MS)
    expect(list.requests()).toBe(1)

    const loading = load()
    list.add('new')
    await loading
    expect(list.shown()).toEqual([])
    await waitUntil(() => list.shown()?.length === 1)
    expect(list.shown()).toEqual(['new'])
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
