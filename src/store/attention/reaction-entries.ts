import { type AttentionKind, attentionNumbers, kindNumbers } from '../../domain/references'
import { prepare, type Reader, type Writer } from '../engines/db'
import { type EntryKey, readHistory, type Shown, showInstead } from './entry-history'
import type { LocatedNotification } from './notifications'
import type { Recipient } from './recipients'

/** How many earlier states are kept. */
const MAX_BEFORE = 10

const keyOf = ({ rule, subject_key }: LocatedNotification, author_key: number): EntryKey => ({
  author_key,
  subject_type: attentionNumbers[rule.subject],
  subject_key,
})

const isOf = (shown: Shown | null, item: number, actor?: number) =>
  shown?.reason === 'reaction' && shown.item_key === item && (actor === undefined || shown.actor_key === actor)

const upsertStatement = prepare((db, param) => {
  const shown = {
    entry_id: param<string>('entry_id'),
    reason: 'reaction' as const,
    actor_key: param<number>('actor_key'),
    item_key: param<number>('item_key'),
    entry_revision: param<number>('entry_revision'),
    entry_at: param<number>('entry_at'),
    read_at: param<number>('read_at'),
    archived_at: null,
    before_reactions: param<string>('before_reactions'),
  }
  return db
    .insertInto('attention')
    .values({
      author_key: param<number>('author_key'),
      subject_type: param<number>('subject_type'),
      subject_key: param<number>('subject_key'),
      workspace_key: param<number>('workspace_key'),
      channel_key: param<number>('channel_key'),
      level: null,
      ...shown,
    })
    .onConflict((conflict) => conflict.columns(['author_key', 'subject_type', 'subject_key']).doUpdateSet(shown))
})

/**
 * Moves an entry up for a reaction, and marks it as read. An unread entry is not changed, and neither is a newer one, such as a
 * reminder. Each person appears only once for a record. Returns whether anything changed.
 */
export async function addReactionEntry(
  db: Writer,
  event: LocatedNotification,
  author_key: number,
  { now, newEntryId }: { now: number; newEntryId: () => string },
): Promise<boolean> {
  const key = keyOf(event, author_key)
  const { row, current, before } = await readHistory(db, key)
  if (current && (current.read_at === null || current.entry_revision! > event.revision)) return false
  if ([...before, current].some((shown) => isOf(shown, event.item_key, event.actor_key))) return false

  const next = [...before, current]
  if (next.length > MAX_BEFORE) next.splice(1, 1)
  const values = {
    entry_id: row?.entry_id ?? newEntryId(),
    actor_key: event.actor_key,
    item_key: event.item_key,
    entry_revision: event.revision,
    entry_at: event.created_at,
    read_at: now,
    before_reactions: JSON.stringify(next),
  }
  const channel_key = event.rule.subject === 'thread' ? 0 : event.channel_key
  await upsertStatement(db, [], { ...key, workspace_key: event.workspace_key, channel_key, ...values })
  return true
}

/** Restores the state of an entry before a reaction that was removed. Returns whether anything changed. */
export async function removeReactionEntry(
  db: Writer,
  event: LocatedNotification,
  author_key: number,
): Promise<boolean> {
  // They may have reacted with something else, too.
  if (await hasReacted(db, event)) return false
  return forget(db, keyOf(event, author_key), (shown) => isOf(shown, event.item_key, event.actor_key))
}

/** When a record is deleted, restores what the inbox of its author showed before anyone reacted to it. */
export const forgetReactionsTo = (
  db: Writer,
  author_key: number,
  subject: { kind: AttentionKind; key: number },
  itemKey: number,
): Promise<boolean> =>
  forget(db, { author_key, subject_type: attentionNumbers[subject.kind], subject_key: subject.key }, (shown) =>
    isOf(shown, itemKey),
  )

async function forget(db: Writer, key: EntryKey, isForgotten: (shown: Shown | null) => boolean): Promise<boolean> {
  const { row, current, before } = await readHistory(db, key)
  if (!row || before.length === 0) return false
  const all = [...before, current]
  const left = all.filter((shown) => !isForgotten(shown))
  if (left.length === all.length) return false
  const shown = left.pop()!
  await showInstead(db, key, row, shown && { ...shown, ...decidedSince(row) }, left)
  return true
}

/** If the member has marked the entry as unread or archived it in the meantime, it stays so. */
const decidedSince = ({ read_at, archived_at }: Pick<Shown, 'read_at' | 'archived_at'>): Partial<Shown> => ({
  ...(read_at === null && { read_at }),
  ...(archived_at !== null && { archived_at }),
})

const ownReaction = prepare((db, param) =>
  db
    .selectFrom('reactions')
    .where('subject_type', '=', param<number>('type'))
    .where('subject_key', '=', param<number>('key'))
    .where('author_key', '=', param<number>('actor'))
    .select('key')
    .limit(1),
)

async function hasReacted(db: Reader, { rule, item_key, subject_key, actor_key }: LocatedNotification) {
  const ofItem = rule.subject === 'thread' ? kindNumbers.message : kindNumbers.comment
  const type = item_key === 0 ? kindNumbers.post : ofItem
  return (await ownReaction(db, [], { type, key: item_key || subject_key, actor: actor_key })).length > 0
}

const toldStatement = prepare((db, param) =>
  db
    .selectFrom('attention')
    .where('author_key', '=', param<number>('author'))
    .where('author_key', '>', param<number>('after'))
    .where('subject_type', '=', param<number>('type'))
    .where('subject_key', '=', param<number>('subject'))
    .where('before_reactions', 'is not', null)
    .select('author_key'),
)

/** The author of a record, if their inbox shows reactions to it, even if they have muted it since. */
export async function listToldOfReactions(db: Reader, event: LocatedNotification, after: number): Promise<Recipient[]> {
  const author = Number(event.mentioned.slice(1, -1))
  const values = { author, after, type: attentionNumbers[event.rule.subject], subject: event.subject_key }
  const told = await toldStatement(db, [], values)
  return told.map(({ author_key }) => ({ author_key, is_named: true, is_replied_to: false, is_read: true }))
}
