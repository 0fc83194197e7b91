import { sql } from 'kysely'
import { kindOf } from '../../contract/browser/kinds'
import { notificationOf, notifyingTypes } from '../../domain/events/effects'
import type { Notification } from '../../domain/events/table'
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
const moreColumns = ['mentioned', 'subject_id', 'created_at'] as const

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
export interface LocatedEvent extends NotifyingEvent {
  rule: Notification
  subject: Subject
  item_key: number
  /** Who wrote what it replies to; 0 for nobody. */
  replied_to_key: number
  named: readonly number[]
}

/** A post, thread or channel that several events of a batch can be about. */
export interface Subject {
  kind: AttentionKind
  key: number
  id: string
  channel_key: number
}

/** Most edits, and reactions to what one wrote oneself, name nobody. */
export const canHaveRecipients = ({ type, mentioned }: NotifyingEvent): boolean =>
  mentioned !== '' || notificationOf(type)!.followers !== null

/** Finds the subject of a reaction by the id of the record. */
function ruleOf({ type, subject_id }: NotifyingEvent): Notification {
  const rule = notificationOf(type)!
  const kind = kindOf(subject_id)
  if (!rule.isReaction || kind === 'post') return rule
  return kind === 'comment'
    ? { ...rule, subject: 'post', item: 'comment' }
    : { ...rule, subject: 'thread', item: 'message' }
}

/** A record that events are about: its key, that of its post or thread, and who wrote what it replies to. */
interface FoundRecord {
  id: string
  key: number
  subject_key: number
  subject_id: string
  replied_to_key: number | null
}

const recordsById = {
  comment: prepare((db, param) =>
    db
      .selectFrom('comments as m')
      .innerJoin('posts as p', 'p.key', 'm.post_key')
      .leftJoin('comments as parent', 'parent.key', 'm.parent_key')
      .where(db.syntax.hasIdInJson('m', param<number>('workspaceKey'), param<string>('ids')))
      .where('m.is_deleted', '=', false)
      .select(['m.id', 'm.key', 'p.key as subject_key', 'p.id as subject_id', 'parent.author_key as replied_to_key']),
  ),
  message: prepare((db, param) =>
    db
      .selectFrom('messages as m')
      .innerJoin('threads as t', 't.key', 'm.thread_key')
      .leftJoin('messages as parent', 'parent.key', 'm.parent_key')
      .where(db.syntax.hasIdInJson('m', param<number>('workspaceKey'), param<string>('ids')))
      .select(['m.id', 'm.key', 't.key as subject_key', 't.id as subject_id', 'parent.author_key as replied_to_key']),
  ),
  post: prepare((db, param) =>
    db
      .selectFrom('posts as p')
      .where(db.syntax.hasIdInJson('p', param<number>('workspaceKey'), param<string>('ids')))
      .select(['p.id', 'p.key', 'p.key as subject_key', 'p.id as subject_id'])
      .select(sql.lit(0).as('replied_to_key')),
  ),
} satisfies Record<string, (...args: never) => Promise<FoundRecord[]>>

const idsByKey = prepare((db, param, table: 'threads' | 'channels') =>
  db
    .selectFrom(table)
    .where(db.syntax.isInJson('key', param<string>('keys')))
    .select(['key', 'id']),
)

/** The events with what they are about, without those about something that is gone. */
export async function locateEvents(
  db: Reader,
  workspaceKey: number,
  events: NotifyingEvent[],
): Promise<LocatedEvent[]> {
  const rules = events.map(ruleOf)
  const kinds = rules.map(({ subject, item }) => (item === 'comment' || item === 'message' ? item : subject))
  const records = new Map<string, FoundRecord>()
  for (const kind of ['comment', 'message', 'post'] as const) {
    const ids = new Set(events.filter((_, at) => kinds[at] === kind).map(({ subject_id }) => subject_id))
    if (ids.size === 0) continue
    const found: FoundRecord[] = await recordsById[kind](db, [], { workspaceKey, ids: JSON.stringify([...ids]) })
    for (const record of found) records.set(record.id, record)
  }
  const places = new Map<string, string>()
  for (const [kind, table] of [
    ['thread', 'threads'],
    ['channel', 'channels'],
  ] as const) {
    const keys = new Set(events.filter((_, at) => kinds[at] === kind).map((event) => event[`${kind}_key`]))
    if (keys.size === 0) continue
    for (const { key, id } of await idsByKey(db, [table], { keys: JSON.stringify([...keys]) }))
      places.set(`${kind} ${key}`, id)
  }
  const subjects = new Map<string, Subject>()
  const subjectOf = (subject: Subject) => subjects.getOrInsert(`${subject.kind} ${subject.key}`, subject)
  return events.flatMap((event, at) => {
    const rule = rules[at]!
    const named = event.mentioned === '' ? [] : event.mentioned.slice(1, -1).split(',').map(Number)
    const kind = rule.subject
    const placeKey = kind === 'thread' ? event.thread_key : event.channel_key
    const record = records.get(event.subject_id)
    const place = places.get(`${kind} ${placeKey}`)
    const channel_key = kind === 'thread' ? 0 : event.channel_key
    if (kinds[at] === 'thread' || kinds[at] === 'channel')
      return place === undefined
        ? []
        : [
            {
              ...event,
              rule,
              named,
              item_key: 0,
              replied_to_key: 0,
              subject: subjectOf({ kind, key: placeKey, id: place, channel_key }),
            },
          ]
    if (!record) return []
    const item_key = kinds[at] === 'post' ? (rule.item === 'note' ? RESOLUTION_NOTE : 0) : record.key
    const subject = subjectOf({ kind, key: record.subject_key, id: record.subject_id, channel_key })
    return [{ ...event, rule, named, item_key, replied_to_key: record.replied_to_key ?? 0, subject }]
  })
}
