import type { EventType } from '../contract/event-types'
import type { InboxReason, InboxSubject } from '../contract/inbox'

/** The entries that an event makes in inboxes. */
export interface Notification {
  /** What the entries are about. */
  subject: InboxSubject['type']
  /** Which part of it: a comment or message, or the note a post was resolved with. */
  item?: 'comment' | 'message' | 'note'
  /** The reason for those who hear of all activity. Without one, only those the event names hear of it. */
  followers?: InboxReason
  /** The reason for those it names, unless they are mentioned. */
  named?: InboxReason
  /** Its entries are marked as read from the start, and are removed when the reaction is removed. */
  isQuiet?: true
}

/** The subject is found by the record: see `locateNotification`. The event names the author of the record. */
const reaction: Notification = { subject: 'post', named: 'reaction', isQuiet: true }

/** Which entries each type of event makes, if any. */
const notifications: { [E in EventType]: Notification | null } = {
  'post.created': { subject: 'post', followers: 'post' },
  'post.updated': { subject: 'post' },
  'post.deleted': null,
  'post.resolved': { subject: 'post', item: 'note', followers: 'resolved' },
  'post.unresolved': { subject: 'post', followers: 'reopened' },
  'post.pinned': null,
  'post.unpinned': null,
  'comment.created': { subject: 'post', item: 'comment', followers: 'comment' },
  'comment.updated': { subject: 'post', item: 'comment' },
  'comment.deleted': null,
  'thread.created': { subject: 'thread', followers: 'added' },
  'thread.member_added': { subject: 'thread', named: 'added' },
  'thread.member_removed': null,
  'message.created': { subject: 'thread', item: 'message', followers: 'message' },
  'message.updated': { subject: 'thread', item: 'message' },
  'message.deleted': null,
  'file.deleted': null,
  'channel.created': null,
  'channel.updated': null,
  'channel.deleted': null,
  'channel.member_added': { subject: 'channel', named: 'added' },
  'channel.member_removed': null,
  'access.lost': null,
  'member.created': null,
  'member.updated': null,
  'member.deactivated': null,
  'member.reactivated': null,
  'profile.updated': null,
  'app.mentioned': null,
  'app.created': null,
  'app.deleted': null,
  'token.created': null,
  'token.revoked': null,
  'session.created': null,
  'session.ended': null,
  'sign_in_link.created': null,
  'sign_in_link.revoked': null,
  'password.changed': null,
  'password.removed': null,
  'webhook.created': null,
  'webhook.updated': null,
  'webhook.deleted': null,
  'hook.created': null,
  'hook.updated': null,
  'hook.deleted': null,
  'reaction.added': reaction,
  'reaction.removed': reaction,
  'emoji.created': null,
  'emoji.deleted': null,
  'inbox.updated': null,
  'read.updated': null,
  'follow.updated': null,
  'draft.updated': null,
  'saved.updated': null,
  'workspace.created': null,
  'workspace.updated': null,
  'workspace.seeded': null,
}

export const notificationOf = (type: string): Notification | null => notifications[type as EventType] ?? null

/** The types of events that make entries. */
export const notifyingTypes = (Object.keys(notifications) as EventType[]).filter((type) => notifications[type])

interface Recipient {
  /** The event mentions them, or names them otherwise. */
  is_named: boolean
  /** They wrote what it replies to. */
  is_replied_to: boolean
}

/** Why this recipient gets an entry. */
export function reasonFor({ named, followers }: Notification, recipient: Recipient): InboxReason {
  if (recipient.is_named) return named ?? 'mention'
  return recipient.is_replied_to ? 'reply' : followers!
}
