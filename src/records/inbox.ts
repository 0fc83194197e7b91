import { excerptOf } from '../contract/browser/excerpt'
import type { InboxEntry, InboxSubject } from '../contract/inbox'
import type { Post } from '../contract/posts'
import { type Links, toAuthor } from '../domain/links'
import { parseFields, parsePostTitle, type ResolutionFields } from '../domain/record-fields'
import { timestamp, timestampOrNull } from '../domain/timestamps'
import type { EntryRow } from '../store/attention/entries'

export function toInboxEntry(links: Links, row: EntryRow): InboxEntry {
  const item = row.comment ?? row.message
  return {
    id: row.entry_id,
    subject: toSubject(links, row),
    reason: row.reason,
    actor: row.actor === null ? null : toAuthor(links, row.actor),
    item_id: item === null ? null : parseFields<{ id: string }>(item).id,
    excerpt: excerptOf(htmlOf(row)),
    new_count: row.new_count,
    last_activity_at: timestamp(row.entry_at),
    read_at: timestampOrNull(row.read_at),
    archived_at: timestampOrNull(row.archived_at),
  }
}

/** What was written; empty where nothing was, or it is gone. */
function htmlOf({ comment, message, post, note }: EntryRow): string {
  if (note !== null) return parseFields<ResolutionFields>(note).resolved_html ?? ''
  const written = comment ?? message ?? post
  return written === null ? '' : parseFields<{ content: string }>(written).content
}

function toSubject(links: Links, row: EntryRow): InboxSubject {
  const { subject_id: id, post_title, thread_title } = row
  if (thread_title !== null) return { type: 'thread', id, title: thread_title, url: links.thread(id), channel: null }
  const channel = parseFields<Post['channel']>(row.channel_fields!)
  if (post_title === null) return { type: 'channel', id, title: channel.name, url: links.channel(id), channel }
  return { type: 'post', id, title: parsePostTitle(post_title), url: links.post(id), channel }
}
