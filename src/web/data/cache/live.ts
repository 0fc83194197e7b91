import { useEffect, useSyncExternalStore } from 'react'
import { ApiError } from '../../../client'
import type { Event } from '../../../contract/events'
import { refreshMe } from '../me'
import { cache, parley } from './parley'
import { sendWaiting } from './queue'
import { markStale } from './records'
import { dropFirstResponses, isSignedOut, takeEventsCursor } from './session'

/** What else wants to know of the event stream. */
interface StreamListener {
  onOpen(): void
  onEvent(event: Event): void
  /** The log is another one, since a backup was restored, or no longer has the last event. */
  onReset(): void
}

export const streamListeners = new Set<StreamListener>()
const tellAll = (tell: (listener: StreamListener) => void) => streamListeners.forEach(tell)

function invalidateAll() {
  dropFirstResponses()
  markStale([])
}

const RETRY_MS = 5_000
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** The code that handles events. The page can be shown before it is there. */
async function loadEvents(): Promise<typeof import('./events')> {
  for (;;) {
    try {
      return await import('./events')
    } catch {
      await sleep(RETRY_MS)
    }
  }
}

/** Whether the event stream is connected. */
const connection = {
  isLive: false,
  listeners: new Set<() => void>(),
  set(isLive: boolean) {
    connection.isLive = isLive
    for (const listener of connection.listeners) listener()
  },
  subscribe(listener: () => void) {
    connection.listeners.add(listener)
    return () => connection.listeners.delete(listener)
  },
}

export const useIsLive = () => useSyncExternalStore(connection.subscribe, () => connection.isLive)

/** Follows the event stream while the app is open and keeps the cache up to date. */
export function useLiveUpdates() {
  useEffect(() => {
    const controller = new AbortController()
    void follow(controller.signal)
    return () => controller.abort()
  }, [])
}

/**
 * Handles what has happened since this page sent its first request, so that what it has read need not be read again. Returns
 * where the stream goes on; undefined if that is not known.
 */
async function catchUp(events: ReturnType<typeof loadEvents>): Promise<string | undefined> {
  try {
    const after = await takeEventsCursor()
    if (after === undefined) return undefined
    const { data, next_cursor, has_more } = await parley.events.list({ after })
    if (has_more) return undefined
    const { handleEvent } = await events
    if (data.length > 0) dropFirstResponses()
    for (const event of data) handle(handleEvent, event)
    return next_cursor
  } catch {
    return undefined
  }
}

/** An error in one event must not end all others: what it was about is read again. */
function handle(handleEvent: (event: Event) => void, event: Event) {
  try {
    handleEvent(event)
    tellAll((listener) => listener.onEvent(event))
  } catch (error) {
    reportError(error)
    invalidateAll()
  }
}

/** What could not be read while there was no connection. */
const refetchFailed = () =>
  void cache.refetchQueries({
    type: 'active',
    predicate: ({ state }) => state.status === 'error' || state.isInvalidated,
  })

async function follow(signal: AbortSignal) {
  const events = loadEvents()
  let last = await catchUp(events)
  const { handleEvent } = await events
  while (!signal.aborted) {
    const network = followNetwork(signal)
    try {
      // Without a position to go on from, responses from before the connection may be outdated.
      const onOpen = () => {
        if (last === undefined) invalidateAll()
        connection.set(true)
        sendWaiting()
        refetchFailed()
        tellAll((listener) => listener.onOpen())
      }
      const onReset = () => {
        invalidateAll()
        tellAll((listener) => listener.onReset())
      }
      const onLost = () => connection.set(false)
      const params = { after: last, onOpen, onLost, onReset }
      for await (const event of parley.events.stream(params, { signal: network.signal })) {
        last = event.id
        dropFirstResponses()
        handle(handleEvent, event)
      }
    } catch (error) {
      // The session ended, or what came is no event stream: start over.
      last = undefined
      if (!(error instanceof ApiError)) reportError(error)
      if (isSignedOut(error)) void refreshMe()
      await sleep(RETRY_MS)
    } finally {
      network.close()
    }
  }
}

let endAttempt = () => {}

/** Connects now, instead of waiting for the next attempt. */
export const reconnect = () => endAttempt()

/** Aborts the current attempt when the network is back, to reconnect at once. */
function followNetwork(outer: AbortSignal) {
  const controller = new AbortController()
  const abort = () => controller.abort()
  endAttempt = abort
  const markOffline = () => connection.set(false)
  addEventListener('online', abort)
  addEventListener('offline', markOffline)
  outer.addEventListener('abort', abort)
  return {
    signal: controller.signal,
    close() {
      removeEventListener('online', abort)
      removeEventListener('offline', markOffline)
      outer.removeEventListener('abort', abort)
    },
  }
}
