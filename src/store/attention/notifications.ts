import { type Notification, notificationOf, notifyingTypes } from '../../domain/notifications'
import type { Reader } from '../db'
import type { Tables } from '../schema'

/** Stands for the note that a post was resolved with, where an entry is about no comment and no message. */
export const RESOLUTION_NOTE = -1

const eventColumns = ['workspace_key', 'revision', 'type', 'actor_key', 'channel_key', 'thread_key'] as const
const moreColumns = ['mentioned', 'subject_id', 'created_at'] as const

export type NotifyingEvent = Pick<Tables['events'], (typeof eventColumns)[number] | (typeof moreColumns)[number]>

/** The next events of a log that make entries in inboxes, in order. */
export const listNotifyingEvents = (
  db: Reader,
  workspaceKey: number,
  { after, upTo, limit }: { after: number; upTo: number; limit: number },
): Promise<NotifyingEvent[]> =>
  db
    .selectFrom('events')
    .where('workspace_key', '=', workspaceKey)
    .where('revision', '>', after)
    .where('revision', '<=', upTo)
    .where('type', 'in', notifyingTypes)
    .where('is_redacted', '=', false)
    .select(eventColumns)
    .select(moreColumns)
    .orderBy('revision')
    .limit(limit)
    .execute()

/** An event with the records it is about, by key. */
export interface LocatedNotification extends NotifyingEvent {
  rule: Notification
  subject_key: number
  subject_public_id: string
  item_key: number
  /** Who wrote what it replies to; 0 for nobody. */
  replied_to_key: number
}

/** What an event tells of; undefined if that is gone. */
export async function locateNotification(db: Reader, event: NotifyingEvent): Promise<LocatedNotification | undefined> {
  const rule = notificationOf(event.type)!
  const found = await findRecords(db, rule, event)
  return found && { ...event, rule, ...found }
}

function findRecords(db: Reader, { subject, item }: Notification, event: NotifyingEvent) {
  if (item === 'comment') return findComment(db, event)
  if (item === 'message') return findMessage(db, event)
  if (subject === 'post') return findPost(db, event, item === 'note' ? RESOLUTION_NOTE : 0)
  const isThread = subject === 'thread'
  return findPlace(db, isThread ? 'threads' : 'channels', isThread ? event.thread_key : event.channel_key)
}

async function findPost(db: Reader, { workspace_key, subject_id }: NotifyingEvent, item_key: number) {
  const post = await db
    .selectFrom('posts')
    .where('workspace_key', '=', workspace_key)
    .where('id', '=', subject_id)
    .select('key')
    .executeTakeFirst()
  return post && { subject_key: post.key, subject_public_id: subject_id, item_key, replied_to_key: 0 }
}

async function findPlace(db: Reader, table: 'threads' | 'channels', key: number) {
  const place = await db.selectFrom(table).where('key', '=', key).select('id').executeTakeFirst()
  return place && { subject_key: key, subject_public_id: place.id, item_key: 0, replied_to_key: 0 }
}

async function findComment(db: Reader, { workspace_key, subject_id }: NotifyingEvent) {
  const comment = await db
    .selectFrom('comments as m')
    .innerJoin('posts as p', 'p.key', 'm.post_key')
    .leftJoin('comments as parent', 'parent.key', 'm.parent_key')
    .where('m.workspace_key', '=', workspace_key)
    .where('m.id', '=', subject_id)
    .where('m.is_deleted', '=', false)
    .select(['m.key', 'm.post_key', 'p.id', 'parent.author_key'])
    .executeTakeFirst()
  return (
    comment && {
      subject_key: comment.post_key,
      subject_public_id: comment.id,
      item_key: comment.key,
      replied_to_key: comment.author_key ?? 0,
    }
  )
}

async function findMessage(db: Reader, { workspace_key, subject_id }: NotifyingEvent) {
  const message = await db
    .selectFrom('messages as m')
    .innerJoin('threads as t', 't.key', 'm.thread_key')
    .leftJoin('messages as parent', 'parent.key', 'm.parent_key')
    .where('m.workspace_key', '=', workspace_key)
    .where('m.id', '=', subject_id)
    .select(['m.key', 'm.thread_key', 't.id', 'parent.author_key'])
    .executeTakeFirst()
  return (
    message && {
      subject_key: message.thread_key,
      subject_public_id: message.id,
      item_key: message.key,
      replied_to_key: message.author_key ?? 0,
    }
  )
}
