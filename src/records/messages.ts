import type { Message } from '../contract/messages'
import { timestamp } from '../domain/timestamps'
import type { MessageRow } from '../store/messages'
import { toAuthor } from './authors'
import type { Links } from './links'

/** What a record shows of a message. */
export type ShownMessage = Omit<MessageRow, 'key' | 'thread_key' | 'author_key'>

export const toMessage = (links: Links, row: ShownMessage): Message => ({
  id: row.id,
  content: row.content,
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
  parent_id: row.parent_id,
  thread_id: row.thread_id,
  author: toAuthor(links, row.author),
})
