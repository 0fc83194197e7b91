import type { Comment } from '../contract/comments'
import { type Links, toAuthor } from '../domain/links'
import { commentFields, type OwnComment, parseFields } from '../domain/record-fields'

/** A comment from the JSON that the database makes of it. */
export const toComment = ({ record }: { record: string }): Comment => JSON.parse(record)

/** The record of a new comment, without reading it back. */
export const toNewComment = (links: Links, comment: OwnComment, author: string): Comment => ({
  ...parseFields<Omit<Comment, 'replies_count' | 'author'>>(commentFields(comment)),
  replies_count: 0,
  author: toAuthor(links, author),
})
