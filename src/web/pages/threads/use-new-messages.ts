import { useRef } from 'react'
import type { Thread } from '../../../contract/threads'
import { useMe } from '../../data/me'
import type { ShownMessage } from '../../data/messages'
import { useThreadState } from '../../data/states'
import { useReading } from '../../data/use-reading'

/** Reads the thread at its end. Tells what was unread when it was opened, and what arrives while the user has scrolled up. */
export function useNewMessages({ id, last_activity_at }: Thread, shown: readonly ShownMessage[], isAtEnd: boolean) {
  const { author } = useMe()
  const latest = shown.at(-1)
  const others = latest && latest.author.id !== author.id ? latest : undefined

  const lastId = shown.findLast(({ sending }) => sending === undefined)?.id
  const firstUnreadId = useReading({ subjectId: id, state: useThreadState(id), isShown: isAtEnd, lastId })
  const seenAt = useRef(last_activity_at)
  if (isAtEnd) seenAt.current = last_activity_at
  const hasNew = last_activity_at > seenAt.current
  const openedAt = useRef(last_activity_at)

  const isAnnounced = others && others.created_at > openedAt.current
  return { firstUnreadId, hasNew, announced: isAnnounced ? others : undefined }
}
