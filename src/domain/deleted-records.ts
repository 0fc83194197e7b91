import type { Comment } from '../contract/comments'
import type { Message } from '../contract/messages'
import type { Post } from '../contract/posts'

interface Records {
  post: Post
  comment: Comment
  message: Message
}

const KEPT = undefined
/** What each field is once the record is deleted: what people wrote is gone. */
const deletedFields: { [K in keyof Records]: { [Field in keyof Records[K]]: typeof KEPT | '' | null } } = {
  post: {
    id: KEPT,
    title: '',
    created_at: KEPT,
    last_activity_at: KEPT,
    url: KEPT,
    content: '',
    comments_count: KEPT,
    channel: KEPT,
    author: KEPT,
    resolution: null,
  },
  comment: {
    id: KEPT,
    content: '',
    created_at: KEPT,
    replies_count: KEPT,
    parent_id: KEPT,
    subject_id: KEPT,
    subject_type: KEPT,
    author: KEPT,
  },
  message: {
    id: KEPT,
    content: '',
    created_at: KEPT,
    updated_at: KEPT,
    parent_id: KEPT,
    thread_id: KEPT,
    author: KEPT,
  },
}

/** The fields that hold what people wrote, with the values they have once the record is deleted. */
export const writtenFields = (kind: keyof Records): [field: string, deleted: '' | null][] =>
  Object.entries<typeof KEPT | '' | null>(deletedFields[kind]).flatMap(([field, deleted]) =>
    deleted === KEPT ? [] : [[field, deleted]],
  )

/** A record as the event of its deletion shows it. */
export const asDeleted = <K extends keyof Records>(kind: K, record: Records[K]): Records[K] => ({
  ...record,
  ...Object.fromEntries(writtenFields(kind)),
})
