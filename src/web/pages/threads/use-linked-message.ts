import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { findLoadedMessage, type useMessages } from '../../data/messages'
import { parley } from '../../data/parley'
import { notify } from '../../parts/notices'
import { useHash } from './use-hash'

/** The message that the URL points to: loads it, scrolls to it and focuses it. */
export function useLinkedMessage(
  threadId: string,
  messages: ReturnType<typeof useMessages>,
  scrollTo: (row: HTMLElement) => void,
) {
  const hash = useHash()
  const linkedId = hash.startsWith('msg_') ? hash : undefined
  const [isLoading, setLoading] = useState(linkedId !== undefined)
  const pendingId = useRef<string>(undefined)
  const latest = useRef(messages)
  latest.current = messages

  useEffect(() => {
    if (!linkedId) return
    pendingId.current = linkedId
    let isCancelled = false
    setLoading(true)
    void loadUntilMessage(threadId, linkedId, latest, () => isCancelled).finally(() => setLoading(false))
    return () => {
      isCancelled = true
    }
  }, [threadId, linkedId])

  useLayoutEffect(() => {
    const row = pendingId.current && document.getElementById(pendingId.current)
    if (!row) return
    pendingId.current = undefined
    scrollTo(row)
    row.querySelector<HTMLElement>('[data-message]')?.focus({ preventScroll: true })
  }, [messages.data, isLoading, linkedId])
  return { linkedId, isLoading }
}

async function loadUntilMessage(
  threadId: string,
  id: string,
  messages: { current: ReturnType<typeof useMessages> },
  isCancelled: () => boolean,
) {
  if (findLoadedMessage(threadId, id)) return
  const found = await parley.messages.get({ id }).catch(() => undefined)
  if (found?.thread_id !== threadId) return notify('The linked message no longer exists.')
  let hasMore = true
  while (hasMore && !isCancelled() && !findLoadedMessage(threadId, id))
    hasMore = (await messages.current.fetchNextPage({ cancelRefetch: false })).hasNextPage
}
