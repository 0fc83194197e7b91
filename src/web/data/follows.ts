import { kindOf } from '../../contract/browser/kinds'
import type { Follow, FollowLevel } from '../../contract/follows'
import { notifyProblem } from '../parts/notices'
import { parley } from './parley'
import { postStates, threadStates } from './states'
import { changeUnread, refreshUnread } from './unread'

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
