import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { EventOf } from '../../contract/events'
import type { PostState, ThreadState } from '../../contract/unread'
import { notifyProblem } from '../parts/notices'
import { parley } from './cache/parley'
import { changeEntries, readAdded, refreshInbox } from './inbox'
import { getMyId } from './me'
import {
  changeUnread,
  postStates,
  refreshSubject,
  threadStates,
  useInboxCount,
  type usePostState,
  type useThreadState,
} from './unread'

const READ = { is_unread: false, unread_count: 0, first_unread_id: null }

/** Marks a post or thread as read up to a comment or message, or all of it. */
export async function markRead(subjectId: string, upToId?: string) {
  postStates.change(subjectId, READ)
  threadStates.change(subjectId, READ)
  changeUnread((unread) => ({ ...unread, threads: unread.threads.filter(({ id }) => id !== subjectId) }))
  readEntries(subjectId)
  await parley.reads.set({ subject_id: subjectId, up_to_id: upToId }).catch(() => refreshReads(subjectId))
}

/** Reading a post or thread also reads its entries in the inbox. */
function readEntries(subjectId: string) {
  changeEntries(
    ({ subject }) => subject.id === subjectId,
    (entry) => ({ ...entry, is_unread: false, new_count: 0 }),
  )
}

/** A record that was marked as unread on its own page stays unread until the page is left. */
const keptUnread = new Set<string>()
export const isKeptUnread = (subjectId: string) => keptUnread.has(subjectId)
export const resumeReading = (subjectId: string) => void keptUnread.delete(subjectId)

/** Marks a post or thread as unread, from a comment or message on. */
export async function markUnread(subjectId: string, fromId?: string) {
  keptUnread.add(subjectId)
  const unread = { is_unread: true, ...(fromId && { first_unread_id: fromId }) }
  postStates.change(subjectId, unread)
  threadStates.change(subjectId, unread)
  try {
    await parley.reads.unset({ subject_id: subjectId, from_id: fromId })
  } catch (error) {
    refreshReads(subjectId)
    notifyProblem('It could not be marked as unread.', error)
  }
}

/** Marks every post of a channel as read. */
export async function markChannelRead(id: string) {
  changeUnread((unread) => ({
    ...unread,
    channels: unread.channels.map((channel) => (channel.id === id ? { ...channel, unread_count: 0 } : channel)),
  }))
  try {
    await parley.reads.set({ subject_id: id })
  } catch (error) {
    refreshReads(null)
    notifyProblem('The channel could not be marked as read.', error)
  }
}

/** Marks everything as read: channels, threads and the inbox. */
export async function markAllRead() {
  postStates.changeAll(READ)
  threadStates.changeAll(READ)
  changeUnread(({ channels }) => ({
    inbox_count: 0,
    channels: channels.map((channel) => ({ ...channel, unread_count: 0 })),
    threads: [],
  }))
  changeEntries(
    () => true,
    (entry) => ({ ...entry, is_unread: false }),
  )
  try {
    await parley.reads.setAll()
  } catch (error) {
    refreshReads(null)
    notifyProblem('Not everything could be marked as read.', error)
  }
}

export function refreshReads(subjectId: string | null) {
  refreshSubject(subjectId)
  void refreshInbox()
}

/** How often the inbox was told of a post, thread or channel that is shown, or of all of them, by what others did. */
const told = new Map<string | null, number>()
const toldListeners = new Set<() => void>()

export function noteInbox({ actor, data: { subject_id } }: EventOf<'inbox.updated'>) {
  if (actor?.id === getMyId()) return
  told.set(subject_id, (told.get(subject_id) ?? 0) + 1)
  for (const listener of toldListeners) listener()
}

function subscribeTold(listener: () => void) {
  toldListeners.add(listener)
  return () => void toldListeners.delete(listener)
}

const useTold = (subjectId: string | undefined) =>
  useSyncExternalStore(subscribeTold, () => (told.get(subjectId ?? '') ?? 0) + (told.get(null) ?? 0))

interface Reading {
  subjectId: string
  state: ReturnType<typeof usePostState> | ReturnType<typeof useThreadState>
  /** Whether its comments or messages are shown. */
  isShown: boolean
  /** The last comment or message that is known, even if it is on a page that is not loaded. */
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

  const canRead = opened !== undefined && isShown && isAttentive
  const activity = `${lastActivityAt} ${lastId}`
  const read = useRef<string>(undefined)
  // An edit is no activity, but may mention someone.
  const toldCount = useTold(subjectId)
  const hasEntries = useInboxCount() > 0
  const readCount = useRef(toldCount)
  useEffect(() => {
    if (!canRead || isKeptUnread(subjectId)) return
    const isTold = hasEntries && readCount.current !== toldCount
    if (read.current === activity && !isTold) return
    read.current = activity
    if (hasEntries) readCount.current = toldCount
    void markRead(subjectId, lastId)
  }, [subjectId, canRead, lastId, activity, hasEntries, toldCount])
  const divided = isKeptUnread(subjectId) ? state.data : opened
  return divided?.first_unread_id ?? undefined
}

/** Showing a channel in a window with the focus reads the entry that one was added to it, not its posts. */
export function useReadAdded(channelId: string | undefined) {
  const isAttentive = useAttention()
  const toldCount = useTold(channelId)
  const hasEntries = useInboxCount() > 0
  const read = useRef<string>(undefined)
  useEffect(() => {
    const shown = `${channelId} ${toldCount}`
    if (!channelId || !isAttentive || !hasEntries || read.current === shown) return
    read.current = shown
    void readAdded(channelId)
  }, [channelId, isAttentive, hasEntries, toldCount])
}

function subscribe(listener: () => void) {
  document.addEventListener('visibilitychange', listener)
  addEventListener('focus', listener)
  addEventListener('blur', listener)
  return () => {
    document.removeEventListener('visibilitychange', listener)
    removeEventListener('focus', listener)
    removeEventListener('blur', listener)
  }
}

const isAttentive = () => document.visibilityState === 'visible' && document.hasFocus()

/** Whether the page is visible and its window has the focus. */
const useAttention = () => useSyncExternalStore(subscribe, isAttentive)
