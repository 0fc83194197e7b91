import { sql } from 'kysely'
import type { Role } from '../../contract/members'
import { type AttentionSubject, attentionNumbers } from '../../domain/references'
import type { Writer } from '../engines/db'

/**
 * What is in a channel when a member is added to it is read, if they could not see it before: a private channel, or any for a
 * guest.
 */
export const setChannelReadOnJoining = (
  db: Writer,
  { key, is_private }: { key: number; is_private: boolean },
  authorKey: number,
  revision: number,
) =>
  insertRead(
    db,
    { kind: 'channel', key, channel_key: key },
    { authorKey, revision, role: is_private ? undefined : 'guest' },
  )
    .onConflict((conflict) => conflict.columns(primaryKey).doUpdateSet(readUpTo))
    .execute()

/** What was written in a thread before a member was added to it is read, and so is what their inbox has of it from an earlier time. */
export const setThreadReadOnJoining = (db: Writer, key: number, authorKey: number, revision: number, now: number) =>
  insertRead(db, { kind: 'thread', key, channel_key: 0 }, { authorKey, revision })
    .onConflict((conflict) =>
      conflict.columns(primaryKey).doUpdateSet({
        ...readUpTo,
        is_marked_unread: false,
        read_at: sql`CASE WHEN attention.entry_id IS NULL THEN NULL ELSE coalesce(attention.read_at, ${now}) END`,
      }),
    )
    .execute()

const primaryKey = ['author_key', 'subject_type', 'subject_key'] as const
const readUpTo = { read_revision: sql<number>`excluded.read_revision` }

/** Adds nothing for apps, nor for members of another role than the given one. */
const insertRead = (
  db: Writer,
  { kind, key, channel_key }: Pick<AttentionSubject, 'kind' | 'key' | 'channel_key'>,
  { authorKey, revision, role }: { authorKey: number; revision: number; role?: Role },
) =>
  db
    .insertInto('attention')
    .columns([...primaryKey, 'workspace_key', 'channel_key', 'read_revision'])
    .expression((eb) =>
      eb
        .selectFrom('members')
        .where('author_key', '=', authorKey)
        .$if(role !== undefined, (members) => members.where('role', '=', role!))
        .select((columns) => [
          'author_key',
          columns.val(attentionNumbers[kind]).as('subject_type'),
          columns.val(key).as('subject_key'),
          'workspace_key',
          columns.val(channel_key).as('channel_key'),
          columns.val(revision).as('read_revision'),
        ]),
    )
