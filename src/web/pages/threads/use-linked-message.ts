import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { findLoadedMessage, type useMessages } from '../../data/messages'
import { parley } from '../../data/parley'
import { notify } from '../../parts/notices'
import { useHash } from './use-hash'

/** The message that the URL points to: loads it, scrolls to it and focuses it. */
export function useLinkedMessage(
  threadId: string,
  messages: ReturnType<typeof useMessages>,
  show: (row: HTMLElement) => void,
) {
  const hash = useHash()
  const target = hash.startsWith('msg_') ? hash : undefined
  const [isSeeking, setSeeking] = useState(target !== undefined)
  const wanted = useRef<string>(undefined)
  const latest = useRef(messages)
  latest.current = messages

  useEffect(() => {
    if (!target) return
    wanted.current = target
    let isLeft = false
    setSeeking(true)
    void seek(threadId, target, latest, () => isLeft).finally(() => setSeeking(false))
    return () => {
      isLeft = true
    }
  }, [threadId, target])

  useLayoutEffect(() => {
    const row = wanted.current && document.getElementById(wanted.current)
    if (!row) return
    wanted.current = undefined
    show(row)
    row.querySelector<HTMLElement>('[data-message]')?.focus({ preventScroll: true })
  }, [messages.data, isSeeking, target])
  return { target, isSeeking }
}

async function seek(
  threadId: string,
  id: string,
  messages: { current: ReturnType<typeof useMessages> },
  isLeft: () => boolean,
) {
  if (findLoadedMessage(threadId, id)) return
  const found = await parley.messages.get({ id }).catch(() => undefined)
  if (found?.thread_id !== threadId) return notify('The message that the link points at is gone.')
  let hasMore = true
  while (hasMore && !isLeft() && !findLoadedMessage(threadId, id))
    hasMore = (await messages.current.fetchNextPage({ cancelRefetch: false })).hasNextPage
}
