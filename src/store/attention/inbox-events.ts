import { sql } from 'kysely'
import { kindOf } from '../../contract/browser/kinds'
import { notificationOf, notifyingTypes } from '../../domain/events/effects'
import type { Notification } from '../../domain/events/table'
import { groupsOf, type NamedGroup } from '../../domain/events/visibility'
import type { AttentionKind } from '../../domain/references'
import { prepare, type Reader, type RowOf, type Writer } from '../engines/db'
import type { Tables } from '../schema'
import { RESOLUTION_NOTE } from './inbox'

const laggingInboxes = prepare((db) =>
  db
    .selectFrom('inbox_positions as i')
    .innerJoin('workspaces as w', 'w.key', 'i.workspace_key')
    .whereRef('i.revision', '<', 'w.revision')
    .select(['i.workspace_key', 'i.revision', 'i.recipient_key', 'w.revision as log_revision']),
)

/** How far the log is in the inboxes of a workspace, and how long it is. */
export type LaggingInbox = RowOf<typeof laggingInboxes>

/** Workspaces with events that may belong into inboxes. */
export const listLaggingInboxes = (db: Reader): Promise<LaggingInbox[]> => laggingInboxes(db, [], {})

export interface InboxPosition {
  revision: number
  recipient_key: number
}

/** Locks how far the log is in the inboxes of a workspace until the end of the transaction. */
export const lockInboxPosition = (db: Writer, workspaceKey: number): Promise<InboxPosition> =>
  db.syntax
    .forUpdate(
      db.selectFrom('inbox_positions').where('workspace_key', '=', workspaceKey).select(['revision', 'recipient_key']),
    )
    .executeTakeFirstOrThrow()

/** Moves the inboxes of a workspace along the log, unless another process did. */
export const moveInboxes = async (
  db: Writer,
  workspaceKey: number,
  from: InboxPosition,
  { revision, recipient_key }: InboxPosition,
): Promise<boolean> =>
  (await db
    .updateTable('inbox_positions')
    .set({ revision, recipient_key })
    .where('workspace_key', '=', workspaceKey)
    .where('revision', '=', from.revision)
    .where('recipient_key', '=', from.recipient_key)
    .returning('revision')
    .executeTakeFirst()) !== undefined

const eventColumns = ['workspace_key', 'revision', 'type', 'actor_key', 'channel_key', 'thread_key'] as const
const moreColumns = ['named', 'named_groups', 'subject_id', 'created_at'] as const

type NotifyingEvent = Pick<Tables['events'], (typeof eventColumns)[number] | (typeof moreColumns)[number]>

/** At most so many events are looked at together. */
export const MAX_EVENTS = 200

export const eventsAfter = prepare((db, param) =>
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
    .limit(sql.lit(MAX_EVENTS)),
)

/** An event with the records it is about, by key. */
export interface LocatedEvent extends Omit<NotifyingEvent, 'named' | 'named_groups'> {
  rule: Notification
  subject: Subject
  item_key: number
  /** Who wrote what it replies to; 0 for nobody. */
  replied_to_key: number
  named: readonly number[]
  namedGroups: readonly NamedGroup[]
}

/** A post, thread or channel that several events of a batch can be about. */
export interface Subject {
  kind: AttentionKind
  key: number
  id: string
  channel_key: number
}

/** Most edits, and reactions to what one wrote oneself, name nobody. */
export const canHaveRecipients = ({ type, named, named_groups }: NotifyingEvent): boolean =>
  named !== '' || named_groups !== '' || notificationOf(type)!.followers !== null

/** Finds the subject of a reaction by the id of the record. */
function ruleOf({ type, subject_id }: NotifyingEvent): Notification {
  const rule = notificationOf(type)!
  const kind = kindOf(subject_id)
  if (!rule.isReaction || kind === 'post') return rule
  return kind === 'comment'
    ? { ...rule, subject: 'post', item: 'comment' }
    : { ...rule, subject: 'thread', item: 'message' }
}

type RecordKind = 'comment' | 'message' | AttentionKind

/** A record that events are about. Its name is its id; of threads and channels, which events have by key, that key. */
interface FoundRecord {
  name: string | number
  /** The key of a comment or message; 0 for the others. */
  item_key: number
  subject_key: number
  subject_id: string
  /** Who wrote what it replies to; null for nobody. */
  replied_to_key: number | null
}

const nothing = [sql.lit(0).as('item_key'), sql.lit(0).as('replied_to_key')] as const

const recordsOf = {
  comment: prepare((db, param) =>
    db
      .selectFrom('comments as m')
      .innerJoin('posts as p', 'p.key', 'm.post_key')
      .leftJoin('comments as parent', 'parent.key', 'm.parent_key')
      .where(db.syntax.hasIdInJson('m', param<number>('workspaceKey'), param<string>('names')))
      .where('m.is_deleted', '=', false)
      .select(['m.id as name', 'm.key as item_key', 'p.key as subject_key', 'p.id as subject_id'])
      .select('parent.author_key as replied_to_key'),
  ),
  message: prepare((db, param) =>
    db
      .selectFrom('messages as m')
      .innerJoin('threads as t', 't.key', 'm.thread_key')
      .leftJoin('messages as parent', 'parent.key', 'm.parent_key')
      .where(db.syntax.hasIdInJson('m', param<number>('workspaceKey'), param<string>('names')))
      .select(['m.id as name', 'm.key as item_key', 't.key as subject_key', 't.id as subject_id'])
      .select('parent.author_key as replied_to_key'),
  ),
  post: prepare((db, param) =>
    db
      .selectFrom('posts as p')
      .where(db.syntax.hasIdInJson('p', param<number>('workspaceKey'), param<string>('names')))
      .select(['p.id as name', 'p.key as subject_key', 'p.id as subject_id', ...nothing]),
  ),
  thread: prepare((db, param) =>
    db
      .selectFrom('threads')
      .where(db.syntax.isInJson('key', param<string>('names')))
      .select(['key as name', 'key as subject_key', 'id as subject_id', ...nothing]),
  ),
  channel: prepare((db, param) =>
    db
      .selectFrom('channels')
      .where(db.syntax.isInJson('key', param<string>('names')))
      .select(['key as name', 'key as subject_key', 'id as subject_id', ...nothing]),
  ),
} satisfies Record<RecordKind, (...args: never) => Promise<FoundRecord[]>>

/** The comment or message of an event, or what it happened to. */
function referenceOf(event: NotifyingEvent) {
  const rule = ruleOf(event)
  const kind: RecordKind = rule.item === 'comment' || rule.item === 'message' ? rule.item : rule.subject
  return { event, rule, kind, name: kind === 'thread' || kind === 'channel' ? event[`${kind}_key`] : event.subject_id }
}

/** The events with what they are about, without those about something that is gone: one statement for each kind of record. */
export async function locateEvents(
  db: Reader,
  workspaceKey: number,
  events: readonly NotifyingEvent[],
): Promise<LocatedEvent[]> {
  const references = events.map(referenceOf)
  const records = new Map<string, FoundRecord>()
  for (const [kind, some] of Map.groupBy(references, (reference) => reference.kind)) {
    const names = JSON.stringify([...new Set(some.map(({ name }) => name))])
    const found: FoundRecord[] = await recordsOf[kind](db, [], { workspaceKey, names })
    for (const record of found) records.set(`${kind} ${record.name}`, record)
  }
  const subjects = new Map<string, Subject>()
  return references.flatMap(({ event, rule, kind, name }) => {
    const record = records.get(`${kind} ${name}`)
    return record ? [toLocated(event, rule, record, subjects)] : []
  })
}

/** Events about the same share their subject. */
function toLocated(
  event: NotifyingEvent,
  rule: Notification,
  { item_key, replied_to_key, subject_key: key, subject_id: id }: FoundRecord,
  subjects: Map<string, Subject>,
): LocatedEvent {
  const kind = rule.subject
  const channel_key = kind === 'thread' ? 0 : event.channel_key
  return {
    ...event,
    rule,
    subject: subjects.getOrInsert(`${kind} ${key}`, { kind, key, id, channel_key }),
    item_key: rule.item === 'note' ? RESOLUTION_NOTE : item_key,
    replied_to_key: replied_to_key ?? 0,
    named: event.named === '' ? [] : event.named.slice(1, -1).split(',').map(Number),
    namedGroups: groupsOf(event.named_groups),
  }
}
