import type { ReactionSubject } from '../../contract/reactions'
import type { Viewer } from '../../domain/permissions'
import { findByIds, visibleComments, visibleMessages, visiblePosts } from '../access/references'
import { prepare, type Reader } from '../engines/db'

/** A record that someone reacts to. */
export interface ReactedRecord {
  key: number
  author_key: number
  /** The channel or thread it is in; the other key is 0. */
  channel_key: number
  thread_key: number
}

const statements = {
  posts: prepare((db, param, seesPublic: boolean) =>
    visiblePosts(db, param, seesPublic).select(['p.key', 'p.author_key', 'p.channel_key as place_key']),
  ),
  comments: prepare((db, param, seesPublic: boolean) =>
    visibleComments(db, param, seesPublic)
      .where('m.is_deleted', '=', false)
      .select(['m.key', 'm.author_key', 'p.channel_key as place_key']),
  ),
  messages: prepare((db, param) =>
    visibleMessages(db, param).select(['m.key', 'm.author_key', 'm.thread_key as place_key']),
  ),
}

const prefixes: Record<ReactionSubject, string> = { post: 'post_', comment: 'cmt_', message: 'msg_' }

/** A post, comment or message that this viewer may see. A comment that was deleted has no reactions. */
export async function findReactedRecord(
  db: Reader,
  viewer: Viewer,
  type: ReactionSubject,
  id: string,
): Promise<ReactedRecord | undefined> {
  if (!id.startsWith(prefixes[type])) return undefined
  const [found] = await findByIds(db, viewer, [id], statements)
  if (!found) return undefined
  const { place_key, ...record } = found
  const isMessage = type === 'message'
  return { ...record, channel_key: isMessage ? 0 : place_key, thread_key: isMessage ? place_key : 0 }
}
