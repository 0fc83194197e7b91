import { useQuery } from '@tanstack/react-query'
import type { Event } from '../../contract/events'
import type { FollowLevel } from '../../contract/follows'
import type { Unread } from '../../contract/unread'
import { coalesce } from './coalesce'
import type { EventHandlers } from './event-handlers'
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

/** Whatever I do myself is never unread to me. */
const refreshUnlessMine = ({ actor }: Event) => {
  if (actor?.id !== getMyId()) void refreshUnread()
}

const handleComment = (event: Event & { data: { subject_id: string } }) => {
  postStates.refresh(event.data.subject_id)
  refreshUnlessMine(event)
}

const handleResolution = (event: Event & { data: { id: string } }) => {
  postStates.refresh(event.data.id)
  refreshUnlessMine(event)
}

const handleMessage = (event: Event & { data: { thread_id: string } }) => {
  threadStates.refresh(event.data.thread_id)
  refreshUnlessMine(event)
}

/** Loads again what is unread of a post or thread. A channel, or null, stands for many of them. */
export function refreshSubject(id: string | null) {
  const isMany = id === null || id.startsWith('chan_')
  if (isMany || id.startsWith('post_')) postStates.refresh(isMany ? undefined : id)
  if (isMany || id.startsWith('thr_')) threadStates.refresh(isMany ? undefined : id)
  void refreshUnread()
}

const refreshIfMe = ({ data }: { data: { member: { id: string } } }) => {
  if (data.member.id === getMyId()) refreshSubject(null)
}

export const unreadEventHandlers: EventHandlers = {
  'inbox.updated': ({ data }) => refreshSubject(data.subject_id),
  'post.created': refreshUnlessMine,
  'post.resolved': handleResolution,
  'post.unresolved': handleResolution,
  'post.deleted': () => void refreshUnread(),
  'comment.created': handleComment,
  'comment.updated': ({ data }) => postStates.refresh(data.subject_id),
  'comment.deleted': handleComment,
  'message.created': handleMessage,
  'message.updated': ({ data }) => threadStates.refresh(data.thread_id),
  'message.deleted': handleMessage,
  'channel.deleted': () => void refreshUnread(),
  'channel.member_added': refreshIfMe,
  'thread.member_added': refreshIfMe,
  'channel.member_removed': refreshIfMe,
  'workspace.seeded': () => refreshSubject(null),
}
