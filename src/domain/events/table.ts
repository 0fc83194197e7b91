import { type EventType, eventTypes, type PersonalEventType } from '../../contract/event-types'
import type { EventData } from '../../contract/events'
import type { InboxReason, InboxSubject } from '../../contract/inbox'
import type { SearchType } from '../../contract/search'

/** Everything the server has to know about a type of event. Nothing is optional: rows are made by the constructors below. */
export interface Row<E extends EventType> {
  /** Who can see it: members and apps in any of these groups. */
  audience: readonly Group[]
  /**
   * Whose access it may change: what they can see, or whether they may call at all. `named`: the authors whose id is in its
   * data; `channel`: everyone who can see its channel before or after; `all`: everyone.
   */
  affects: 'nobody' | 'named' | 'channel' | 'all'
  /** Where its data holds what people wrote. When a text is deleted, it is removed from earlier events. */
  content: Content<EventData<E>> | null
  /** Which entries it makes in inboxes. */
  notifies: Notification | null
  /** Whose responses it makes out of date: those about content, of everyone; or those about what only its recipients see. */
  moves: 'content' | 'personal'
}

/** Each is defined twice, in memory (`isIn` in visibility.ts) and in SQL (`isVisible` in store/log/events.ts). */
export type Group =
  /** Can see the channel it happened in. */
  | 'channel'
  /** Could see the channel it happened in before it was archived. */
  | 'archivedChannel'
  /** Could see the channel it happened in while it was public, and cannot now. */
  | 'hiddenChannel'
  /** Takes part in the thread it happened in. */
  | 'thread'
  /** It is addressed to them. */
  | 'recipients'
  | 'everyone'
  | 'allButGuests'
  /** An admin, whose token may still lack the scope. */
  | 'admins'

interface Content<Data> {
  /** The id of the post, comment or message. */
  subjectId(data: Data): string
  /** Whether the event says that it was deleted. */
  isDeletion: boolean
  /** Whether it changes a post itself, so that who looks it up may find it elsewhere, or not at all. */
  changesPost: boolean
  /** The text to search that is new or may have changed. */
  text: TextChange | null
}

export interface TextChange {
  type: SearchType
  isNew: boolean
}

/** The entries that an event makes in inboxes. */
export interface Notification {
  /** What the entries are about. */
  subject: InboxSubject['type']
  /** Which part of it: a comment or message, or the note a post was resolved with. */
  item: 'comment' | 'message' | 'note' | null
  /** The reason for members who follow the subject; null if only the members that the event names get an entry. */
  followers: InboxReason | null
  /** The reason for members the event names. */
  named: InboxReason
  /** Its entries are marked as read from the start, and are removed when the reaction is removed. */
  isReaction: boolean
}

type Change = 'created' | 'changed' | 'deleted'

/** A post, comment or message as of this change. */
const record = (type: SearchType, change: Change): Content<{ id: string }> => ({
  subjectId: ({ id }) => id,
  isDeletion: change === 'deleted',
  changesPost: type === 'post',
  text: change === 'deleted' ? null : { type, isNew: change === 'created' },
})

/** A record that something else refers to: it neither moves nor changes by that. */
const reference = <Data>(subjectId: (data: Data) => string): Content<Data> => ({
  subjectId,
  isDeletion: false,
  changesPost: false,
  text: null,
})
const reacted = reference(({ subject_id }: { subject_id: string }) => subject_id)

const entries = (
  subject: Notification['subject'],
  item: Notification['item'],
  followers: InboxReason | null,
  named: InboxReason,
): Notification => ({ subject, item, followers, named, isReaction: false })

const followed = (subject: Notification['subject'], item: Notification['item'], reason: InboxReason): Notification =>
  entries(subject, item, reason, 'mention')
/** Only for members who are newly mentioned. */
const mentioned = (subject: Notification['subject'], item: Notification['item']): Notification =>
  entries(subject, item, null, 'mention')
/** Only for members who were added. */
const added = (subject: Notification['subject']): Notification => entries(subject, null, null, 'added')
/** Only for the author of the record, by which the subject is found: see `locateNotification`. */
const reaction: Notification = { subject: 'post', item: null, followers: null, named: 'reaction', isReaction: true }

type Audience = Row<EventType>['audience']
type Affected = Row<EventType>['affects']

/** Something that people wrote. */
const written = <E extends EventType>(
  audience: Audience,
  content: Content<EventData<E>>,
  notifies: Notification | null,
): Row<E> => ({ audience, affects: 'nobody', content, notifies, moves: 'content' })

/** Who can see what. */
const access = <E extends EventType>(audience: Audience, affects: Affected, notifies: Notification | null): Row<E> => ({
  audience,
  affects,
  content: null,
  notifies,
  moves: 'content',
})

/** An event that is shown and has no other effect. */
const shownTo = <E extends EventType>(...audience: Group[]): Row<E> => access(audience, 'nobody', null)
/** An event about something that admins manage. */
const admin = <E extends EventType>(affects: 'nobody' | 'named'): Row<E> => access(['admins'], affects, null)
/** The state of a single member. */
const personal = <E extends PersonalEventType>(): Row<E> => ({ ...shownTo<E>('recipients'), moves: 'personal' })

/** What the server does with each type of event. */
export const eventTable: { [E in EventType]: Row<E> } = {
  'post.created': written(['channel'], record('post', 'created'), followed('post', null, 'post')),
  'post.updated': written(['channel'], record('post', 'changed'), mentioned('post', null)),
  'post.deleted': written(['channel'], record('post', 'deleted'), null),
  'post.resolved': written(['channel'], record('post', 'changed'), followed('post', 'note', 'resolved')),
  'post.unresolved': written(['channel'], record('post', 'changed'), followed('post', null, 'reopened')),
  'post.pinned': written(['channel'], record('post', 'changed'), null),
  'post.unpinned': written(['channel'], record('post', 'changed'), null),
  'comment.created': written(['channel'], record('comment', 'created'), followed('post', 'comment', 'comment')),
  'comment.updated': written(['channel'], record('comment', 'changed'), mentioned('post', 'comment')),
  'comment.deleted': written(['channel'], record('comment', 'deleted'), null),
  'thread.created': access(['thread'], 'named', followed('thread', null, 'thread')),
  'thread.member_added': access(['thread'], 'named', added('thread')),
  'thread.member_removed': access(['thread'], 'named', null),
  'message.created': written(['thread'], record('message', 'created'), followed('thread', 'message', 'message')),
  'message.updated': written(['thread'], record('message', 'changed'), mentioned('thread', 'message')),
  'message.deleted': written(['thread'], record('message', 'deleted'), null),
  'file.deleted': shownTo('channel', 'thread'),
  'channel.created': access(['channel'], 'channel', null),
  'channel.updated': access(['channel'], 'channel', null),
  'channel.deleted': access(['channel', 'archivedChannel'], 'channel', null),
  'channel.member_added': access(['channel'], 'named', added('channel')),
  'channel.member_removed': access(['channel'], 'named', null),
  // It comes with the event that took the access away, which says whom that affects.
  'access.lost': shownTo('recipients', 'hiddenChannel'),
  'member.created': shownTo('allButGuests'),
  'member.updated': access(['allButGuests'], 'named', null),
  'member.deactivated': access(['allButGuests'], 'named', null),
  'member.reactivated': access(['allButGuests'], 'named', null),
  'profile.updated': shownTo('allButGuests'),
  'group.created': shownTo('allButGuests'),
  'group.updated': shownTo('allButGuests'),
  'group.deleted': shownTo('allButGuests'),
  'group.member_added': shownTo('allButGuests'),
  'group.member_removed': shownTo('allButGuests'),
  'app.mentioned': written(
    ['channel', 'thread'],
    reference(({ subject }) => subject.id),
    null,
  ),
  'app.created': admin('nobody'),
  'app.deleted': admin('named'),
  'token.created': admin('nobody'),
  'token.revoked': admin('named'),
  'session.created': admin('nobody'),
  'session.ended': admin('named'),
  'sign_in_link.created': admin('nobody'),
  'sign_in_link.revoked': admin('nobody'),
  'invite_link.created': admin('nobody'),
  'invite_link.updated': admin('nobody'),
  'invite_link.revoked': admin('nobody'),
  // The sessions it ends have events of their own.
  'password.changed': admin('nobody'),
  'password.removed': admin('nobody'),
  'webhook.created': admin('nobody'),
  'webhook.updated': admin('nobody'),
  'webhook.deleted': admin('nobody'),
  'hook.created': shownTo('admins', 'recipients'),
  'hook.updated': shownTo('admins', 'recipients'),
  'hook.deleted': shownTo('admins', 'recipients'),
  'reaction.added': written(['channel', 'thread'], reacted, reaction),
  'reaction.removed': written(['channel', 'thread'], reacted, reaction),
  'emoji.created': shownTo('allButGuests'),
  'emoji.deleted': shownTo('allButGuests'),
  'inbox.updated': personal(),
  'read.updated': personal(),
  'follow.updated': personal(),
  'draft.updated': personal(),
  'saved.updated': personal(),
  'sidebar.updated': personal(),
  'workspace.created': admin('nobody'),
  'workspace.updated': shownTo('everyone'),
  'workspace.seeded': access(['everyone'], 'all', null),
}

/** The row of a type, or undefined if this version does not know the type. */
export const rowOf = (type: string): Row<EventType> | undefined =>
  Object.hasOwn(eventTable, type) ? eventTable[type as EventType] : undefined

/** The types whose row fits. */
export const typesWhere = (fits: (row: Row<EventType>) => boolean): EventType[] =>
  eventTypes.filter((type) => fits(eventTable[type]))
