import type { Thread } from '../contract/threads'
import { avatarOf } from '../domain/avatar'
import { type Links, toAuthor } from '../domain/links'
import { timestamp, timestampOrNull } from '../domain/timestamps'
import type { ThreadMemberRow } from '../store/thread-members'
import type { ThreadRow } from '../store/threads'

/** `all` may hold those of other threads too. */
export function toThread(links: Links, row: ThreadRow, all: readonly ThreadMemberRow[]): Thread {
  const author = toAuthor(links, row.author)
  const members = all.filter((member) => member.thread_key === row.key).map((member) => toAuthor(links, member.author))
  const is_direct = row.direct_pair !== null
  return {
    id: row.id,
    title: row.title,
    url: links.thread(row.id),
    is_direct,
    group: !is_direct,
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
    last_activity_at: timestamp(row.last_activity_at),
    last_message_at: timestampOrNull(row.last_message_at),
    messages_count: row.messages_count,
    avatar_urls: links.avatar(avatarOf(row.id, row.title)),
    author,
    creator: author,
    members,
    members_count: members.length,
  }
}
