import { sql } from 'kysely'
import { reasonFor } from '../../domain/events/effects'
import { attentionNumbers } from '../../domain/references'
import { paramsFor, prepare, type Reader, type RowOf, type Value, type Writer } from '../engines/db'
import { levelNumbers } from './follows'
import type { LocatedNotification } from './notifications'
import type { Recipient } from './recipients'

const laggingInboxes = prepare((db) =>
  db
    .selectFrom('inbox_positions as i')
    .innerJoin('workspaces as w', 'w.key', 'i.workspace_key')
    .whereRef('i.revision', '<', 'w.revision')
    .select(['i.workspace_key', 'i.revision', 'i.recipient_key'])
    .select(['w.revision as log_revision', 'w.nonce as log_nonce']),
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

const columns = [
  ...(['author_key', 'subject_type', 'subject_key', 'workspace_key', 'channel_key', 'level'] as const),
  ...(['entry_id', 'entry_revision', 'entry_at', 'reason', 'actor_key', 'item_key', 'read_at'] as const),
] as const

/** The comment or message that an entry is about still exists, if it is about one. */
const isItemThere = sql`(attention.item_key <= 0
  OR EXISTS (SELECT 1 FROM comments AS m WHERE attention.subject_type = ${sql.lit(attentionNumbers.post)}
    AND m.key = attention.item_key AND m.is_deleted = 0)
  OR EXISTS (SELECT 1 FROM messages AS m WHERE attention.subject_type = ${sql.lit(attentionNumbers.thread)}
    AND m.key = attention.item_key))`

/**
 * A new event moves an entry up and makes it unread. While a mention is unread and not deleted, the entry goes on to show it; and a
 * reminder, unless they are mentioned. What the member has read already stays where it is, archived or not. An event that is older than
 * a reminder changes nothing.
 */
const upsertStatement = prepare((db, param, size: number) => {
  const params = paramsFor<Value>(columns.length * size, param)
  const rows = Array.from({ length: size }, (_, row) =>
    Object.fromEntries(columns.map((column, at) => [column, params[row * columns.length + at]])),
  )
  const keepsMention = sql`attention.reason = 'mention' AND attention.read_at IS NULL AND excluded.reason <> 'mention'
    AND ${isItemThere}`
  const keepsReminder = sql`attention.reason = 'reminder' AND attention.read_at IS NULL AND excluded.reason <> 'mention'`
  const isOlder = sql`attention.entry_revision > excluded.entry_revision`
  const newest = (column: 'reason' | 'actor_key' | 'item_key') =>
    sql<never>`CASE WHEN ${keepsMention} OR ${keepsReminder} OR ${isOlder}
      THEN ${sql.ref(`attention.${column}`)} ELSE ${sql.ref(`excluded.${column}`)} END`
  const newer = (column: 'entry_revision' | 'entry_at' | 'read_at') =>
    sql<never>`CASE WHEN ${isOlder} THEN ${sql.ref(`attention.${column}`)} ELSE ${sql.ref(`excluded.${column}`)} END`
  return db
    .insertInto('attention')
    .values(rows as never)
    .onConflict((conflict) =>
      conflict.columns(['author_key', 'subject_type', 'subject_key']).doUpdateSet({
        level: sql`coalesce(attention.level, excluded.level)`,
        entry_id: sql`coalesce(attention.entry_id, excluded.entry_id)`,
        entry_revision: newer('entry_revision'),
        entry_at: newer('entry_at'),
        reason: newest('reason'),
        actor_key: newest('actor_key'),
        item_key: newest('item_key'),
        read_at: newer('read_at'),
        archived_at: sql`CASE WHEN excluded.read_at IS NULL AND NOT coalesce(${isOlder}, 1 = 0) THEN NULL ELSE attention.archived_at END`,
        before_reactions: null,
      }),
    )
})

/** Adds entries about an event to the inboxes of these recipients, or moves up those that are there. */
export async function upsertEntries(
  db: Writer,
  notification: LocatedNotification,
  recipients: readonly Recipient[],
  { now, newEntryId }: { now: number; newEntryId: () => string },
) {
  const rows = recipients.map((recipient) => toValues(notification, recipient, now, newEntryId()))
  let from = 0
  for (let size = db.syntax.rowsPerInsert; size >= 1; size /= 2)
    for (; rows.length - from >= size; from += size)
      await upsertStatement(db, [size], { ...rows.slice(from, from + size).flat() })
}

function toValues(event: LocatedNotification, recipient: Recipient, now: number, entryId: string): Value[] {
  const { rule } = event
  const reason = reasonFor(rule, recipient)
  const row: Record<(typeof columns)[number], Value> = {
    author_key: recipient.author_key,
    subject_type: attentionNumbers[rule.subject],
    subject_key: event.subject_key,
    workspace_key: event.workspace_key,
    channel_key: rule.subject === 'thread' ? 0 : event.channel_key,
    // Being mentioned is a reason to follow, where nothing else was chosen.
    level: reason === 'mention' ? levelNumbers.all : null,
    entry_id: entryId,
    entry_revision: event.revision,
    entry_at: event.created_at,
    reason,
    actor_key: event.actor_key,
    item_key: event.item_key,
    read_at: recipient.is_read ? now : null,
  }
  return columns.map((column) => row[column])
}
