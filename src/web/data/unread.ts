import { useQuery } from '@tanstack/react-query'
import { kindOf } from '../../contract/browser/kinds'
import type { Event } from '../../contract/events'
import type { Follow, FollowLevel } from '../../contract/follows'
import type { PostState, ThreadState, Unread } from '../../contract/unread'
import { notifyProblem } from '../parts/notices'
import { coalesce } from './cache/batches'
import { cache, parley } from './cache/parley'
import { getMyId } from './me'

const UNREAD = ['unread']
const NOTHING: Unread = { inbox_count: 0, channels: [], threads: [] }

/** What is unread; nothing until it is loaded. */
export const useUnread = (): Unread =>
  useQuery({ queryKey: UNREAD, queryFn: () => parley.unread.get(), refetchOnWindowFocus: 'always' }).data ?? NOTHING

export const useInboxCount = () => useUnread().inbox_count

/** Unread messages in all threads that are not muted. */
export const useThreadsCount = () =>
  useUnread().threads.reduce((sum, { level, unread_count }) => sum + (level === 'none' ? 0 : unread_count), 0)

/** How the member follows a channel: as chosen, else only mentions. */
export const useChannelLevel = (id: string): FollowLevel =>
  useUnread().channels.find((channel) => channel.id === id)?.level ?? 'mentions'

export const changeUnread = (change: (unread: Unread) => Unread) =>
  cache.setQueryData<Unread>(UNREAD, (unread) => unread && change(unread))

/** Counts again. However many events arrive, one request is under way and one waits. */
export const refreshUnread = coalesce(() => cache.refetchQueries({ queryKey: UNREAD }, { cancelRefetch: false }))

/** My own actions are never unread to me. */
export const refreshUnlessMine = ({ actor }: Event) => {
  if (actor?.id !== getMyId()) void refreshUnread()
}

export const handleComment = (event: Event & { data: { subject_id: string } }) => {
  postStates.refresh(event.data.subject_id)
  refreshUnlessMine(event)
}

export const handleResolution = (event: Event & { data: { id: string } }) => {
  postStates.refresh(event.data.id)
  refreshUnlessMine(event)
}

export const handleMessage = (event: Event & { data: { thread_id: string } }) => {
  threadStates.refresh(event.data.thread_id)
  refreshUnlessMine(event)
}

/** Loads again what is unread of a post or thread. A channel, or null, stands for many of them. */
export function refreshSubject(id: string | null) {
  const kind = id === null ? 'channel' : kindOf(id)
  const one = kind === 'channel' ? undefined : id!
  if (kind === 'post' || kind === 'channel') postStates.refresh(one)
  if (kind === 'thread' || kind === 'channel') threadStates.refresh(one)
  void refreshUnread()
}

export const refreshIfMe = ({ data }: { data: { member: { id: string } } }) => {
  if (data.member.id === getMyId()) refreshSubject(null)
}

/** The signed-in member's state of posts and threads: whether they are unread and followed, and the latest texts. */
export const postStates = createStates<PostState>('post-state', async (ids) => {
  const { data } = await parley.unread.posts({ ids })
  return new Map(data.map((state) => [state.post_id, state]))
})
export const threadStates = createStates<ThreadState>('thread-state', async (ids) => {
  const { data } = await parley.unread.threads({ ids })
  return new Map(data.map((state) => [state.thread_id, state]))
})

export const usePostState = postStates.useState
export const useThreadState = threadStates.useState

/** The most ids of one request, as long as a page. */
const MAX_IDS = 50

type Load<S> = (ids: string[]) => Promise<Map<string, S>>

/** States are cached by id, and loaded by one request for all rows that need one at the same time. */
function createStates<S extends object>(name: string, load: Load<S>) {
  const loadOne = createBatches(load)
  const keyOf = (id: string) => [name, id]
  const apply = (change: Partial<S>) => (state: S | null | undefined) => state && { ...(state as S), ...change }
  return {
    useState: (id: string) => useQuery({ queryKey: keyOf(id), queryFn: () => loadOne(id) }),
    get: (id: string) => cache.getQueryData<S | null>(keyOf(id)) ?? undefined,
    change: (id: string, change: Partial<S>) =>
      cache.setQueryData<S | null, string[], S | null>(keyOf(id), apply(change)),
    changeAll: (change: Partial<S>) => cache.setQueriesData<S | null>({ queryKey: [name] }, apply(change)),
    /** Loads the state of one, or of all, again. What is not on the page is loaded when it is shown. */
    refresh: (id?: string) => void cache.invalidateQueries({ queryKey: id === undefined ? [name] : keyOf(id) }),
  }
}

interface Waiting<S> {
  id: string
  resolve(state: S | null): void
  reject(error: unknown): void
}

/** Collects the ids that are asked for until the previous request has been answered. An id that is not found gives null. */
function createBatches<S>(load: Load<S>) {
  let waiting: Waiting<S>[] = []
  let isRunning = false

  async function run() {
    // Effects of one render ask one after the other.
    await Promise.resolve()
    while (waiting.length > 0) {
      const batch = takeBatch()
      try {
        const states = await load([...new Set(batch.map(({ id }) => id))])
        for (const { id, resolve } of batch) resolve(states.get(id) ?? null)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isRunning = false
  }

  function takeBatch() {
    const batch = waiting.slice(0, MAX_IDS)
    waiting = waiting.slice(MAX_IDS)
    return batch
  }

  return (id: string) =>
    new Promise<S | null>((resolve, reject) => {
      waiting.push({ id, resolve, reject })
      if (isRunning) return
      isRunning = true
      void run()
    })
}

/** Follows, unfollows or mutes a post, thread or channel: shown at once, undone if the request fails. */
export async function setLevel(subjectId: string, level: FollowLevel) {
  putFollow({ subject_id: subjectId, level, is_chosen: true })
  try {
    await parley.follows.set({ subject_id: subjectId, level })
  } catch (error) {
    refreshFollow(subjectId)
    notifyProblem('Your choice could not be saved.', error)
  }
}

function putFollow({ subject_id, level, is_chosen }: Follow) {
  postStates.change(subject_id, { level, is_level_chosen: is_chosen })
  threadStates.change(subject_id, { level, is_level_chosen: is_chosen })
  if (kindOf(subject_id) !== 'channel') return
  changeUnread((unread) => {
    const known = unread.channels.find(({ id }) => id === subject_id)
    const others = unread.channels.filter(({ id }) => id !== subject_id)
    const unread_count = level === 'none' ? 0 : (known?.unread_count ?? 0)
    return { ...unread, channels: [...others, { id: subject_id, unread_count, level }] }
  })
}

function refreshFollow(subjectId: string) {
  const kind = kindOf(subjectId)
  if (kind === 'thread') threadStates.refresh(subjectId)
  // How a channel is followed decides for its posts.
  else postStates.refresh(kind === 'channel' ? undefined : subjectId)
  void refreshUnread()
}

export function handleFollow({ data }: { data: Follow }) {
  putFollow(data)
  refreshFollow(data.subject_id)
}
