import type { LostAccess } from '../../contract/shapes'
import { cache } from './cache/parley'
import { dropChannel, setJoined } from './channels'
import { refreshMe } from './me'
import { dropPostsOf } from './posts'
import { dropThread } from './threads'
import { refreshUnread } from './unread'

/** Forgets what the member can no longer see. A page that shows it says that it was not found. */
export function forget({ subject_type, subject_id }: LostAccess) {
  if (subject_type === 'thread') dropThread(subject_id)
  else if (subject_type === 'channel') {
    dropChannel(subject_id)
    setJoined(subject_id, false)
    dropPostsOf(subject_id)
    void refreshUnread()
  } else {
    // As a guest, they see less of everything.
    void refreshMe()
    void cache.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' })
  }
}
