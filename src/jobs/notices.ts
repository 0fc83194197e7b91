import { sentenceOf } from '../contract/browser/inbox-sentence'
import type { InboxEntry } from '../contract/inbox'
import type { Links } from '../domain/links'
import type { Viewer } from '../domain/permissions'
import { toInboxEntry } from '../store/attention/inbox'
import { listUnreadEntries } from '../store/attention/inbox-list'
import type { Reader } from '../store/engines/db'

/** An unread entry of an inbox in words. */
export interface Notice {
  revision: number
  subjectId: string
  /** The post, thread or channel. */
  title: string
  /** What happened: “Ada commented on your post”. */
  what: string
  /** The beginning of what was written; empty if there is nothing. */
  excerpt: string
  /** The path of the page that shows it. */
  path: string
}

const MAX_EXCERPT = 400
const MAX_TITLE = 150
const MAX_NAME = 80

/** What is new to someone after a revision, still unread, and still theirs to see. The newest comes first. */
export async function readNotices(
  db: Reader,
  links: Links,
  viewer: Viewer,
  revisions: { after: number; upTo?: number },
  limit: number,
): Promise<Notice[]> {
  const rows = await listUnreadEntries(db, viewer, revisions, limit)
  return rows.map((row) => toNotice(links, row.revision, toInboxEntry(links, row, MAX_EXCERPT)))
}

function toNotice({ base }: Links, revision: number, entry: InboxEntry): Notice {
  const { subject, actor, item_id, excerpt } = entry
  const hash = item_id === null ? '' : `#${item_id}`
  return {
    revision,
    subjectId: subject.id,
    title: shorten(
      subject.type === 'channel' ? `#${subject.title}` : subject.title || actor?.name || 'Conversation',
      MAX_TITLE,
    ),
    what: entry.reason === 'reminder' ? 'Reminder' : shorten(sentenceOf(entry, nameOf(actor)), 2 * MAX_TITLE),
    excerpt: shorten(excerpt, MAX_EXCERPT),
    path: subject.url.slice(base.length) + hash,
  }
}

/** Apps, also the apps of incoming webhooks, can have the same name as a member. */
const nameOf = (actor: InboxEntry['actor']): string =>
  shorten(actor?.name ?? 'Someone', MAX_NAME) + (actor?.type === 'app' ? ' (app)' : '')

/** The beginning of a text as one line. */
function shorten(text: string, max: number): string {
  const line = text
    .slice(0, 4 * max)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return (line.length > max ? `${line.slice(0, max - 1)}…` : line).toWellFormed()
}
