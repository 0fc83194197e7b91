import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import { kindOf } from '../../../contract/browser/kinds'
import { showMessage } from '../../data/messages'
import { notify, notifyProblem } from '../../parts/notices'

/** The message that the URL points to. */
export function useLinkedId(): string | undefined {
  const hash = useHash()
  return kindOf(hash) === 'message' ? hash : undefined
}

/** Loads the linked message, scrolls to it and focuses it. Says whether it is still being loaded. */
export function useLinkedMessage(
  threadId: string,
  linkedId: string | undefined,
  messages: unknown,
  scrollTo: (row: HTMLElement) => void,
): boolean {
  const [isLoading, setLoading] = useState(linkedId !== undefined)
  const pendingId = useRef<string>(undefined)

  useEffect(() => {
    if (!linkedId) return
    pendingId.current = linkedId
    setLoading(true)
    void show(threadId, linkedId).finally(() => setLoading(false))
  }, [threadId, linkedId])

  useLayoutEffect(() => {
    const row = pendingId.current && document.getElementById(pendingId.current)
    if (!row) return
    pendingId.current = undefined
    scrollTo(row)
    row.querySelector<HTMLElement>('[data-message]')?.focus({ preventScroll: true })
  }, [messages, isLoading, linkedId])
  return isLoading
}

async function show(threadId: string, id: string) {
  try {
    if (!(await showMessage(threadId, id))) notify('The linked message no longer exists.')
  } catch (error) {
    notifyProblem("Couldn't load the linked message.", error)
  }
}

const moves = ['hashchange', 'popstate', 'pushState', 'replaceState']

const subscribe = (listener: () => void) => {
  for (const move of moves) addEventListener(move, listener)
  return () => {
    for (const move of moves) removeEventListener(move, listener)
  }
}

/** The fragment of the URL. */
const useHash = () => useSyncExternalStore(subscribe, () => decodeURIComponent(location.hash.slice(1)))
