import { NO_PLACE } from '../../contract/browser/constants'
import { kindOf } from '../../contract/browser/kinds'
import type { ListedDraft } from '../../contract/drafts'
import { paths } from '../paths'

/** What a draft is for, and the page on which it can be continued. */
interface DraftPlace {
  label: string
  path: string
}

/** The place of a draft; undefined if it was deleted or the member cannot see it. */
export function getDraftPlace({ subject_id: id, place }: ListedDraft): DraftPlace | undefined {
  if (id === NO_PLACE) return { label: 'New post', path: paths.newPost(NO_PLACE) }
  if (!place) return undefined
  const { name, post_id, author_name } = place
  if (author_name !== null) return { label: `Reply to ${author_name} in “${name}”`, path: paths.post(post_id!, id) }
  if (post_id !== null) return { label: `Comment on “${name}”`, path: paths.post(id) }
  if (kindOf(id) === 'channel') return { label: `New post in #${name}`, path: paths.newPost(id) }
  return kindOf(id) === 'thread'
    ? { label: `Message in ${name}`, path: paths.thread(id) }
    : { label: `Message to ${name}`, path: paths.newThread([id]) }
}
