import { useEffect, useSyncExternalStore } from 'react'
import { ParleyError } from '../../client'
import type { EventType } from '../../contract/event-types'
import type { Event, EventData } from '../../contract/events'
import { hearApps } from './apps'
import { hearChannels } from './channels'
import { hearComments } from './commenting'
import { refreshMe } from './me'
import { hearMembers } from './members'
import { hearMessages } from './messages'
import { cache, parley } from './parley'
import { hearPosts } from './posts'
import { hearProfile } from './profile'
import { isSignedOut } from './session'
import { hearSessions } from './sessions'
import { hearSignInLinks } from './sign-in-links'
import { hearThreads } from './threads'
import { hearTokens } from './tokens'
import { hearWebhooks } from './webhooks'

/** What a kind of record does about events that concern it. */
export type Hearing = { [T in EventType]?: (event: Event & { data: EventData<T> }) => void }

const hearings: Hearing[] = [
  hearPosts,
  hearComments,
  hearChannels,
  hearThreads,
  hearMessages,
  hearMembers,
  hearApps,
  hearTokens,
  hearWebhooks,
  hearSessions,
  hearSignInLinks,
  hearProfile,
]

function hear(event: Event) {
  for (const hearing of hearings) (hearing[event.type] as ((event: Event) => void) | undefined)?.(event)
}

/** Whether what is shown follows what happens. */
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

/** Follows the log for as long as the app is open, and keeps what is shown true. */
export function useLiveUpdates() {
  useEffect(() => {
    const end = new AbortController()
    void follow(end.signal)
    return () => end.abort()
  }, [])
}

async function follow(signal: AbortSignal) {
  let last: string | undefined
  while (!signal.aborted) {
    const network = followNetwork(signal)
    try {
      // What was read before the stream was open may have changed in between; after that, nothing is missed.
      const onOpen = () => {
        if (last === undefined) void cache.invalidateQueries()
        connection.set(true)
      }
      const onLost = () => connection.set(false)
      const onReset = () => void cache.invalidateQueries()
      const options = { signal: network.signal, after: last, onOpen, onLost, onReset }
      for await (const event of parley.events.stream(options)) {
        last = event.id
        hear(event)
      }
    } catch (error) {
      if (!(error instanceof ParleyError)) throw error
      // Signed out: start over.
      last = undefined
      if (isSignedOut(error)) void refreshMe()
      await new Promise((resolve) => setTimeout(resolve, 5_000))
    } finally {
      network.close()
    }
  }
}

/** Ends what waits for the server when the network is back: then it is asked at once. */
function followNetwork(outer: AbortSignal) {
  const end = new AbortController()
  const giveUp = () => end.abort()
  const lost = () => connection.set(false)
  addEventListener('online', giveUp)
  addEventListener('offline', lost)
  outer.addEventListener('abort', giveUp)
  return {
    signal: end.signal,
    close() {
      removeEventListener('online', giveUp)
      removeEventListener('offline', lost)
      outer.removeEventListener('abort', giveUp)
    },
  }
}
