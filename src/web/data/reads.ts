import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { EventOf } from '../../contract/events'
import type { PostState, ThreadState, Unread } from '../../contract/unread'
import { notifyProblem } from '../parts/notices'
import { keys } from './cache/keys'
import { optimistic } from './cache/optimistic'
import { cache, parley } from './cache/parley'
import { defineWrite } from './cache/queue'
import { applyChanges, type Change, change, markStale } from './cache/records'
import { changeEntries, readAdded } from './inbox'
import { getMyId } from './me'
import {
  changeState,
  getPostState,
  getThreadState,
  markStateStale,
  useInboxCount,
  type usePostState,
  type useThreadState,
} from './unread'

const READ = { is_unread: false, unread_count: 0, first_unread_id: null }

export interface Mark {
  subject_id: string
  /** Up to which comment or message it is read; all of it, if there is none. */
  up_to_id?: string
}

const changesOfMark = ({ subject_id }: Mark): Change[] => [
  ...changeState(subject_id, READ),
  change<Unread>(keys.unread, (unread) =>
    unread.threads.some(({ id }) => id === subject_id)
      ? { ...unread, threads: unread.threads.filter(({ id }) => id !== subject_id) }
      : unread,
  ),
  // Its entries in the inbox are read with it.
  changeEntries(
    ({ subject }) => subject.id === subject_id,
    (entry) => ({ ...entry, is_unread: false, new_count: 0 }),
  ),
]

/** Whether something was written since a post or thread was marked as read. */
function hasNews({ subject_id, up_to_id }: Mark) {
  const latest = getPostState(subject_id)?.latest_comment ?? getThreadState(subject_id)?.last_message
  return up_to_id !== undefined && latest?.id !== up_to_id
}

/** Marks a post or thread as read. */
const writeMark = defineWrite('read', {
  subjectOf: ({ subject_id }: Mark) => subject_id,
  changes: changesOfMark,
  send: (mark) => parley.reads.set(mark),
  // What is left to read is requested when the event comes; if nothing was left, there is none.
  settle: (_, mark) => (hasNews(mark) ? refreshReads(mark.subject_id) : applyChanges(changesOfMark(mark))),
  replacesEarlier: true,
  isAutomatic: true,
})

/** Marks a post or thread as read up to a comment or message, or all of it. */
export const markRead = (subject_id: string, up_to_id?: string) =>
  // It may be gone.
  writeMark({ subject_id, up_to_id }).catch(() => refreshReads(subject_id))

/** A record that was marked as unread on its own page stays unread until the page is left. */
const keptUnread = new Set<string>()
const isKeptUnread = (subjectId: string) => keptUnread.has(subjectId)
const resumeReading = (subjectId: string) => void keptUnread.delete(subjectId)

interface UnreadMark {
  subject_id: string
  from_id?: string
}

const changesOfUnreadMark = ({ subject_id, from_id }: UnreadMark) =>
  changeState(subject_id, { is_unread: true, ...(from_id && { first_unread_id: from_id }) })

const writeUnreadMark = defineWrite('unread', {
  subjectOf: ({ subject_id }: UnreadMark) => subject_id,
  changes: changesOfUnreadMark,
  send: (mark) => parley.reads.unset(mark),
  settle(_, mark) {
    applyChanges(changesOfUnreadMark(mark))
    refreshReads(mark.subject_id)
  },
  replacesEarlier: true,
})

/** Marks a post or thread as unread, from a comment or message on. */
export async function markUnread(subject_id: string, from_id?: string) {
  keptUnread.add(subject_id)
  try {
    await writeUnreadMark({ subject_id, from_id })
  } catch (error) {
    notifyProblem("Couldn't mark it as unread.", error)
  }
}

const withoutPosts = (unread: Unread, isRead: (channelId: string) => boolean): Unread => ({
  ...unread,
  channels: unread.channels.map((channel) => (isRead(channel.id) ? { ...channel, unread_count: 0 } : channel)),
})

/** Marks every post of a channel as read. */
export async function markChannelRead(id: string) {
  const read = change<Unread>(keys.unread, (unread) => withoutPosts(unread, (channelId) => channelId === id))
  try {
    await optimistic([read], () => parley.reads.set({ subject_id: id }))
  } catch (error) {
    notifyProblem("Couldn't mark the channel as read.", error)
  }
}

/** Marks everything as read: channels, threads and the inbox. */
export async function markAllRead() {
  const none = (unread: Unread): Unread => ({ ...withoutPosts(unread, () => true), inbox_count: 0, threads: [] })
  const states = [keys.postStates, keys.threadStates].map((key) =>
    change<PostState | ThreadState | null>(key, (state) => state && { ...state, ...READ }),
  )
  const entries = changeEntries(
    () => true,
    (entry) => ({ ...entry, is_unread: false }),
  )
  try {
    await optimistic([change(keys.unread, none), ...states, entries], () => parley.reads.setAll())
  } catch (error) {
    notifyProblem("Couldn't mark everything as read.", error)
  }
}

/**
 * A post or thread that the member writes on, resolves or reopens is read by that, with its entries in the inbox, and no event tells
 * of these.
 */
export function noteOwnActivity() {
  if (cache.getQueryData<Unread>(keys.unread)?.inbox_count === 0) return
  markStale(keys.unread)
  markStale(keys.inboxes)
}

export function refreshReads(subjectId: string | null) {
  markStateStale(subjectId)
  markStale(keys.inboxes)
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
