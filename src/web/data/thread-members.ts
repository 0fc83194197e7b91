import type { Author } from '../../contract/shapes'
import type { Thread } from '../../contract/threads'
import { notify, notifyProblem } from '../parts/notices'
import { parley } from './parley'
import { dropThread, putThread } from './threads'

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
