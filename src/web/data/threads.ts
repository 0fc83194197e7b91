import type { Message } from '../../contract/messages'
import type { Author } from '../../contract/shapes'
import type { Thread } from '../../contract/threads'
import { notify, notifyProblem } from '../parts/notices'
import { paths } from '../paths'
import { keys } from './cache/keys'
import { listRecords, type Pages } from './cache/lists'
import { optimistic, useShown } from './cache/optimistic'
import { usePages } from './cache/pages'
import { cache, parley } from './cache/parley'
import { changesOf, findLoaded, patch, put } from './cache/records'

export const useThreads = () =>
  usePages<Thread>(keys.threads, (after) => parley.threads.list({ ...(after && { after }) }))

export const useThread = (id: string) =>
  useShown<Thread>({
    queryKey: keys.thread(id),
    queryFn: () => parley.threads.get({ id }),
    placeholderData: () => findLoaded('thread', id),
  })

/** Whether a thread is known to be a direct message. */
export const useIsDirect = (id: string): boolean =>
  useThreads().records.some((thread) => thread.id === id && thread.is_direct)

/** The title of a thread. A direct message is titled by the other person's name. */
export const getThreadTitle = ({ is_direct, members, title }: Thread, me: Author): string =>
  is_direct ? (members.find(({ id }) => id !== me.id)?.name ?? `${me.name} (you)`) : title

/** Where to write to a member: in the existing direct message if it is loaded, else in a new one. */
export function getDirectMessagePath(memberId: string): string {
  const direct = listRecords(cache.getQueryData<Pages<Thread>>(keys.threads)).find(
    ({ is_direct, members }) => is_direct && members.some(({ id }) => id === memberId),
  )
  return direct ? paths.thread(direct.id) : paths.newThread([memberId])
}

/** Removes a thread that the member can no longer see. If it is open, it is requested again, and not found. */
export function loseThread(id: string) {
  patch('thread', id, () => undefined)
  void cache.resetQueries({ queryKey: keys.thread(id) })
  cache.removeQueries({ queryKey: keys.messages(id) })
}

/** Replaces a thread wherever it is cached; an older event or response does not know the latest message, which was counted already. */
export function putThread(thread: Thread) {
  const known = findLoaded('thread', thread.id)
  const isOlder = known !== undefined && known.last_activity_at > thread.last_activity_at
  const { messages_count, last_activity_at } = isOlder ? known : thread
  put('thread', { ...thread, messages_count, last_activity_at })
}

/** A thread with a new message, counted once: undefined if the thread may have been read with or without it. */
export function withMessage(thread: Thread, { created_at }: Message): Thread | undefined {
  if (created_at <= thread.last_activity_at) return undefined
  return { ...thread, messages_count: thread.messages_count + 1, last_activity_at: created_at }
}

const withMembers = (thread: Thread, members: Author[]): Thread => ({
  ...thread,
  members,
  members_count: members.length,
})

/** Adds someone to a thread: shown at once, undone if the request fails. */
export async function addToThread({ id }: Thread, who: Author) {
  const add = (thread: Thread) => withMembers(thread, [...thread.members.filter((each) => each.id !== who.id), who])
  try {
    await optimistic(changesOf('thread', id, add), () => parley.threads.addMember({ thread_id: id, member_id: who.id }))
  } catch (error) {
    notifyProblem(`Couldn't add ${who.name}.`, error)
  }
}

/** Removes someone else from a thread: shown at once, undone if the request fails. */
export async function removeFromThread({ id }: Thread, who: Author) {
  const remove = (thread: Thread) =>
    withMembers(
      thread,
      thread.members.filter((each) => each.id !== who.id),
    )
  try {
    await optimistic(changesOf('thread', id, remove), () =>
      parley.threads.removeMember({ thread_id: id, member_id: who.id }),
    )
  } catch (error) {
    notifyProblem(`Couldn't remove ${who.name}.`, error)
  }
}

/** Leaves a thread. It is no longer visible. */
export async function leaveThread({ id, title }: Thread) {
  try {
    await parley.threads.leave({ thread_id: id })
    loseThread(id)
    notify(`You left ${title}`)
  } catch (error) {
    notifyProblem(`Couldn't leave ${title}.`, error)
  }
}
