import { useEffect, useRef, useState } from 'react'
import type { PostState, ThreadState } from '../../contract/unread'
import { useAttention } from '../parts/use-attention'
import { isKeptUnread, markRead, resumeReading } from './reads'
import type { usePostState, useThreadState } from './states'

interface Reading {
  subjectId: string
  state: ReturnType<typeof usePostState> | ReturnType<typeof useThreadState>
  /** Whether its comments or messages are shown up to the last one. */
  isShown: boolean
  /** The last comment or message that is shown. */
  lastId: string | undefined
}

/**
 * Marks a post or thread as read while it is shown in a window with the focus. Returns the first comment or message that
 * was unread when it was opened, or that was marked as unread since.
 */
export function useReading({ subjectId, state, isShown, lastId }: Reading): string | undefined {
  const isAttentive = useAttention()
  const [opened, setOpened] = useState<PostState | ThreadState | null>()
  const isLoaded = state.data !== undefined && !state.isFetching
  useEffect(() => {
    if (isLoaded && opened === undefined) setOpened(state.data)
  }, [isLoaded, opened, state.data])
  useEffect(() => () => resumeReading(subjectId), [subjectId])

  const readUpTo = useRef<string | null>(undefined)
  useEffect(() => {
    if (opened === undefined || !isShown || !isAttentive || isKeptUnread(subjectId)) return
    if (readUpTo.current === (lastId ?? null)) return
    readUpTo.current = lastId ?? null
    void markRead(subjectId, lastId)
  }, [subjectId, opened, isShown, isAttentive, lastId])
  const divided = isKeptUnread(subjectId) ? state.data : opened
  return divided?.first_unread_id ?? undefined
}
