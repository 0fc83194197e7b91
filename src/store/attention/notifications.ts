import { kindOf } from '../../contract/browser/kinds'
import { notificationOf, notifyingTypes } from '../../domain/events/effects'
import type { Notification } from '../../domain/events/table'
import { prepare, type Reader } from '../engines/db'
import type { Tables } from '../schema'

/** Stands for the note that a post was resolved with, where an entry is about no comment and no message. */
export const RESOLUTION_NOTE = -1

const eventColumns = ['workspace_key', 'revision', 'type', 'actor_key', 'channel_key', 'thread_key'] as const
const moreColumns = ['mentioned', 'subject_id', 'created_at'] as const

export type NotifyingEvent = Pick<Tables['events'], (typeof eventColumns)[number] | (typeof moreColumns)[number]>

const eventsAfter = prepare((db, param) =>
  db
    .selectFrom('events')
    .where('workspace_key', '=', param<number>('workspaceKey'))
    .where('revision', '>', param<number>('after'))
    .where('revision', '<=', param<number>('upTo'))
    .where('type', 'in', notifyingTypes)
    .where('is_redacted', '=', false)
    .select(eventColumns)
    .select(moreColumns)
    .orderBy('revision')
    .limit(param<number>('limit')),
)

/** The next events of a log that make entries in inboxes, in order. */
export const listNotifyingEvents = (
  db: Reader,
  workspaceKey: number,
  range: { after: number; upTo: number; limit: number },
): Promise<NotifyingEvent[]> => eventsAfter(db, [], { workspaceKey, ...range })

/** An event with the records it is about, by key. */
export interface LocatedNotification extends NotifyingEvent {
  rule: Notification
  subject_key: number
  subject_public_id: string
  item_key: number
  /** Who wrote what it replies to; 0 for nobody. */
  replied_to_key: number
}

/** Most edits, and reactions to what one wrote oneself, name nobody. */
export const canHaveRecipients = ({ type, mentioned }: NotifyingEvent): boolean =>
  mentioned !== '' || notificationOf(type)!.followers !== null

/** What was found by earlier events of a transaction: a post that many react to is looked up once. */
export type KnownRecords = Map<string, ReturnType<typeof findRecords>>

/** What an event tells of; undefined if that is gone. */
export async function locateNotification(
  db: Reader,
  event: NotifyingEvent,
  known: KnownRecords,
): Promise<LocatedNotification | undefined> {
  const rule = ruleOf(event)
  const { subject, item } = rule
  const name = [subject, item, event.subject_id, event.thread_key || event.channel_key].join()
  const found = await known.getOrInsertComputed(name, () => findRecords(db, rule, event))
  return found && { ...event, rule, ...found }
}

/** Finds the subject of a reaction by the id of the record. */
function ruleOf({ type, subject_id }: NotifyingEvent): Notification {
  const rule = notificationOf(type)!
  const kind = kindOf(subject_id)
  if (!rule.isReaction || kind === 'post') return rule
  return kind === 'comment'
    ? { ...rule, subject: 'post', item: 'comment' }
    : { ...rule, subject: 'thread', item: 'message' }
}

function findRecords(db: Reader, { subject, item }: Notification, event: NotifyingEvent) {
  if (item === 'comment') return findComment(db, event)
  if (item === 'message') return findMessage(db, event)
  if (subject === 'post') return findPost(db, event, item === 'note' ? RESOLUTION_NOTE : 0)
  const isThread = subject === 'thread'
  return findPlace(db, isThread ? 'threads' : 'channels', isThread ? event.thread_key : event.channel_key)
}

const postById = prepare((db, param) =>
  db
    .selectFrom('posts')
    .where('workspace_key', '=', param<number>('workspaceKey'))
    .where('id', '=', param<string>('id'))
    .select('key'),
)

async function findPost(db: Reader, { workspace_key, subject_id }: NotifyingEvent, item_key: number) {
  const [post] = await postById(db, [], { workspaceKey: workspace_key, id: subject_id })
  return post && { subject_key: post.key, subject_public_id: subject_id, item_key, replied_to_key: 0 }
}

const placeByKey = prepare((db, param, table: 'threads' | 'channels') =>
  db.selectFrom(table).where('key', '=', param<number>('key')).select('id'),
)

async function findPlace(db: Reader, table: 'threads' | 'channels', key: number) {
  const [place] = await placeByKey(db, [table], { key })
  return place && { subject_key: key, subject_public_id: place.id, item_key: 0, replied_to_key: 0 }
}

const commentById = prepare((db, param) =>
  db
    .selectFrom('comments as m')
    .innerJoin('posts as p', 'p.key', 'm.post_key')
    .leftJoin('comments as parent', 'parent.key', 'm.parent_key')
    .where('m.workspace_key', '=', param<number>('workspaceKey'))
    .where('m.id', '=', param<string>('id'))
    .where('m.is_deleted', '=', false)
    .select(['m.key', 'm.post_key', 'p.id', 'parent.author_key']),
)

async function findComment(db: Reader, { workspace_key, subject_id }: NotifyingEvent) {
  const [comment] = await commentById(db, [], { workspaceKey: workspace_key, id: subject_id })
  return (
    comment && {
      subject_key: comment.post_key,
      subject_public_id: comment.id,
      item_key: comment.key,
      replied_to_key: comment.author_key ?? 0,
    }
  )
}

const messageById = prepare((db, param) =>
  db
    .selectFrom('messages as m')
    .innerJoin('threads as t', 't.key', 'm.thread_key')
    .leftJoin('messages as parent', 'parent.key', 'm.parent_key')
    .where('m.workspace_key', '=', param<number>('workspaceKey'))
    .where('m.id', '=', param<string>('id'))
    .select(['m.key', 'm.thread_key', 't.id', 'parent.author_key']),
)

async function findMessage(db: Reader, { workspace_key, subject_id }: NotifyingEvent) {
  const [message] = await messageById(db, [], { workspaceKey: workspace_key, id: subject_id })
  return (
    message && {
      subject_key: message.thread_key,
      subject_public_id: message.id,
      item_key: message.key,
      replied_to_key: message.author_key ?? 0,
    }
  )
}
