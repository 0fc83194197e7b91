import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { Thread } from '../../../contract/threads'
import { useMe } from '../../data/me'
import type { ShownMessage } from '../../data/messages'
import { getLastVisit, markSeen } from '../../data/visits'

const subscribeToVisibility = (listener: () => void) => {
  document.addEventListener('visibilitychange', listener)
  return () => document.removeEventListener('visibilitychange', listener)
}

/** New messages since the last visit, and those that arrive while the user has scrolled up. */
export function useNewMessages({ id, last_activity_at }: Thread, shown: readonly ShownMessage[], isAtEnd: boolean) {
  const { author } = useMe()
  const isVisible = useSyncExternalStore(subscribeToVisibility, () => document.visibilityState === 'visible')
  const latest = shown.at(-1)
  const others = latest && latest.author.id !== author.id ? latest : undefined

  const [divider] = useState(() => {
    const visitedAt = getLastVisit(id)
    return visitedAt && shown.find((message) => message.created_at > visitedAt && message.author.id !== author.id)?.id
  })
  const seenAt = useRef(last_activity_at)
  if (isAtEnd) seenAt.current = last_activity_at
  const isNew = last_activity_at > seenAt.current
  const initialLatest = useRef(latest?.id)

  useEffect(() => {
    if (isAtEnd && isVisible) markSeen(id, last_activity_at)
  }, [id, isAtEnd, isVisible, last_activity_at])

  const isAnnounced = others && others.id !== initialLatest.current
  return { divider: divider || undefined, hasNew: isNew, announced: isAnnounced ? others : undefined }
}
