import { useQuery } from '@tanstack/react-query'
import { kindOf } from '../../contract/browser/kinds'
import type { Event } from '../../contract/events'
import type { FollowLevel } from '../../contract/follows'
import type { Unread } from '../../contract/unread'
import { coalesce } from './coalesce'
import { getMyId } from './me'
import { cache, parley } from './parley'
import { postStates, threadStates } from './states'

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
