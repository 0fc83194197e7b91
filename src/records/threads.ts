import type { Thread } from '../contract/threads'
import { timestamp } from '../domain/timestamps'
import type { ThreadMemberRow, ThreadRow } from '../store/threads'
import { toAuthor } from './authors'
import type { Links } from './links'

/** `members` may hold those of other threads too. */
export const toThread = (links: Links, row: ThreadRow, members: readonly ThreadMemberRow[]): Thread => ({
  id: row.id,
  title: row.title,
  url: links.thread(row.id),
  is_direct: row.direct_pair !== null,
  created_at: timestamp(row.created_at),
  last_activity_at: timestamp(row.last_activity_at),
  messages_count: row.messages_count,
  author: toAuthor(links, row.author),
  members: members.filter((member) => member.thread_key === row.key).map((member) => toAuthor(links, member.author)),
})
