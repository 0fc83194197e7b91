import { useQuery } from '@tanstack/react-query'
import type { Author } from '../../contract/shapes'
import type { Thread } from '../../contract/threads'
import { notify, notifyProblem } from '../parts/notices'
import { paths } from '../paths'
import { addFirst, changeRecords, type Pages, usePages } from './cache/pages'
import { cache, parley } from './cache/parley'

export const THREADS = ['threads']
const threadKey = (id: string) => ['thread', id]

export const useThreads = () => usePages<Thread>(THREADS, (after) => parley.threads.list({ ...(after && { after }) }))

export const useThread = (id: string) =>
  useQuery({
    queryKey: threadKey(id),
    queryFn: () => parley.threads.get({ id }),
    placeholderData: () => findThreadInList(id),
  })

const loadedThreads = () => cache.getQueryData<Pages<Thread>>(THREADS)?.pages.flatMap(({ data }) => data) ?? []
const findThreadInList = (id: string) => loadedThreads().find((thread) => thread.id === id)

/** Whether a thread is known to be a direct message. */
export const useIsDirect = (id: string): boolean =>
  useThreads().records.some((thread) => thread.id === id && thread.is_direct)

/** The title of a thread. A direct message is titled by the other person's name. */
export const getThreadTitle = ({ is_direct, members, title }: Thread, me: Author): string =>
  is_direct ? (members.find(({ id }) => id !== me.id)?.name ?? `${me.name} (you)`) : title

/** Where to write to a member: in the existing direct message if it is loaded, else in a new one. */
export function getDirectMessagePath(memberId: string): string {
  const direct = loadedThreads().find(
    ({ is_direct, members }) => is_direct && members.some(({ id }) => id === memberId),
  )
  return direct ? paths.thread(direct.id) : paths.newThread([memberId])
}

/** Updates a thread in the cache, and moves it up if it has the latest activity. */
export function putThread(thread: Thread) {
  cache.setQueryData(threadKey(thread.id), thread)
  const pages = cache.getQueryData<Pages<Thread>>(THREADS)
  if (!pages) return
  const shown = findThreadInList(thread.id)
  const first = pages.pages[0]?.data[0]
  const isFirst = !pages.pages[0]?.prev_cursor && (!first || thread.last_activity_at >= first.last_activity_at)
  const movesUp = isFirst && first?.id !== thread.id
  if (shown)
    changeRecords<Thread>(THREADS, (record) => (record.id !== thread.id ? record : movesUp ? undefined : thread))
  if (movesUp) cache.setQueryData<Pages<Thread>>(THREADS, (now) => now && addFirst(now, thread))
}

/** Removes a thread that the member can no longer see. If it is open, it is requested again, and not found. */
export function dropThread(id: string) {
  changeRecords<Thread>(THREADS, (thread) => (thread.id === id ? undefined : thread))
  void cache.resetQueries({ queryKey: threadKey(id) })
  cache.removeQueries({ queryKey: ['messages', id] })
}

/** Counts a message that was added or deleted. A new message moves its thread up. */
export async function updateMessageCount(threadId: string, change: 1 | -1, at?: string) {
  const known = cache.getQueryData<Thread>(threadKey(threadId)) ?? findThreadInList(threadId)
  if (known)
    return putThread({
      ...known,
      messages_count: Math.max(0, known.messages_count + change),
      last_activity_at: at && at > known.last_activity_at ? at : known.last_activity_at,
    })
  if (change > 0 && cache.getQueryData(THREADS)) putThread(await parley.threads.get({ id: threadId }))
}

const withMembers = (thread: Thread, members: Author[]): Thread => ({
  ...thread,
  members,
  members_count: members.length,
})

/** Adds someone to a thread: shown at once, undone if the request fails. */
export async function addToThread(thread: Thread, who: Author) {
  putThread(withMembers(thread, [...thread.members, who]))
  try {
    await parley.threads.addMember({ thread_id: thread.id, member_id: who.id })
  } catch (error) {
    putThread(thread)
    notifyProblem(`Couldn't add ${who.name}.`, error)
  }
}

/** Removes someone else from a thread: shown at once, undone if the request fails. */
export async function removeFromThread(thread: Thread, who: Author) {
  const others = thread.members.filter(({ id }) => id !== who.id)
  putThread(withMembers(thread, others))
  try {
    await parley.threads.removeMember({ thread_id: thread.id, member_id: who.id })
  } catch (error) {
    putThread(thread)
    notifyProblem(`Couldn't remove ${who.name}.`, error)
  }
}

/** Leaves a thread. It is no longer visible. */
export async function leaveThread({ id, title }: Thread) {
  try {
    await parley.threads.leave({ thread_id: id })
    dropThread(id)
    notify(`You left ${title}`)
  } catch (error) {
    notifyProblem(`You are still in ${title}.`, error)
  }
}
