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
  /** When something last happened to it, if that may be something else that is shown, such as a resolution. */
  lastActivityAt?: string
}

/**
 * Marks a post or thread as read while it is shown in a window with the focus. Returns the first comment or message that
 * was unread when it was opened, or that was marked as unread since.
 */
export function useReading({ subjectId, state, isShown, lastId, lastActivityAt }: Reading): string | undefined {
  const isAttentive = useAttention()
  const [opened, setOpened] = useState<PostState | ThreadState | null>()
  const isLoaded = state.data !== undefined && !state.isFetching
  useEffect(() => {
    if (isLoaded && opened === undefined) setOpened(state.data)
  }, [isLoaded, opened, state.data])
  useEffect(() => () => resumeReading(subjectId), [subjectId])

  const shown = `${lastActivityAt} ${lastId}`
  const read = useRef<string>(undefined)
  useEffect(() => {
    if (opened === undefined || !isShown || !isAttentive || isKeptUnread(subjectId)) return
    if (read.current === shown) return
    read.current = shown
    void markRead(subjectId, lastId)
  }, [subjectId, opened, isShown, isAttentive, lastId, shown])
  const divided = isKeptUnread(subjectId) ? state.data : opened
  return divided?.first_unread_id ?? undefined
}
