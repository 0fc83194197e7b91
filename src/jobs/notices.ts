import { excerptOf } from '../contract/browser/excerpt'
import { kindOf } from '../contract/browser/kinds'
import type { InboxReason } from '../contract/inbox'
import type { Links } from '../domain/links'
import type { Viewer } from '../domain/permissions'
import { listUnreadEntries, type UnreadEntry } from '../store/attention/new-entries'
import type { Reader } from '../store/engines/db'

/** An unread entry of an inbox in words. */
export interface Notice {
  revision: number
  subjectId: string
  /** The post, thread or channel. */
  title: string
  /** What happened: “Ada commented”. */
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
export const readNotices = async (
  db: Reader,
  links: Links,
  viewer: Viewer,
  revisions: { after: number; upTo?: number },
  limit: number,
): Promise<Notice[]> => (await listUnreadEntries(db, viewer, revisions, limit)).map((entry) => toNotice(links, entry))

function toNotice(links: Links, entry: UnreadEntry): Notice {
  const hash = entry.item_id === null ? '' : `#${entry.item_id}`
  return {
    revision: entry.entry_revision,
    subjectId: entry.subject_id,
    title: shorten(titleOf(entry), MAX_TITLE),
    what: sentences[entry.reason](actorOf(entry)),
    excerpt: shorten(excerptOf(htmlOf(entry), MAX_EXCERPT), MAX_EXCERPT),
    path: pathOf(links, entry.subject_id) + hash,
  }
}

const sentences: Record<InboxReason, (actor: string) => string> = {
  mention: (actor) => `${actor} mentioned you`,
  reply: (actor) => `${actor} replied to you`,
  comment: (actor) => `${actor} commented`,
  post: (actor) => `${actor} posted`,
  resolved: (actor) => `${actor} resolved this`,
  reopened: (actor) => `${actor} reopened this`,
  message: (actor) => `${actor} sent a message`,
  added: (actor) => `${actor} added you`,
  reminder: () => 'Reminder',
  reaction: (actor) => `${actor} reacted to what you wrote`,
}

/** Apps, also the apps of incoming webhooks, can have the same name as a member. */
const actorOf = ({ actor_name, actor_type }: UnreadEntry): string =>
  shorten(actor_name ?? 'Someone', MAX_NAME) + (actor_type === 'app' ? ' (app)' : '')

function titleOf({ post_title, thread_title, channel_name, actor_name }: UnreadEntry): string {
  if (post_title !== null) return post_title
  if (thread_title !== null) return thread_title || actor_name || 'Conversation'
  return `#${channel_name ?? ''}`
}

/** What was written; empty where there is nothing. */
function htmlOf({ item_html, post_html, note_html, reason }: UnreadEntry): string {
  if (item_html !== null) return item_html
  if (reason === 'resolved') return note_html ?? ''
  const isAboutPost = reason === 'post' || reason === 'mention' || reason === 'reminder'
  return isAboutPost ? (post_html ?? '') : ''
}

function pathOf({ base, post, thread, channel }: Links, id: string): string {
  const kind = kindOf(id)
  const url = kind === 'post' ? post(id) : kind === 'thread' ? thread(id) : channel(id)
  return url.slice(base.length)
}

/** The beginning of a text as one line. */
function shorten(text: string, max: number): string {
  const line = text
    .slice(0, 4 * max)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return (line.length > max ? `${line.slice(0, max - 1)}…` : line).toWellFormed()
}
