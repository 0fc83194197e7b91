import type { Comment } from '../contract/comments'
import { timestamp } from '../domain/timestamps'
import type { CommentRow } from '../store/comments'
import { toAuthor } from './authors'
import type { Links } from './links'

/** What a record shows of a comment. */
export type ShownComment = Pick<
  CommentRow,
  'id' | 'content' | 'created_at' | 'replies_count' | 'parent_id' | 'post_id' | 'author'
>

export const toComment = (links: Links, row: ShownComment): Comment => ({
  id: row.id,
  content: row.content,
  created_at: timestamp(row.created_at),
  replies_count: row.replies_count,
  parent_id: row.parent_id,
  subject_id: row.post_id,
  subject_type: 'post',
  author: toAuthor(links, row.author),
})
