import { sql } from 'kysely'
import type { Writer } from '../db'
import { subjectTypes } from './subjects'

/**
 * What is in a channel when a member is added to it is read, if they could not see it before: a private channel, or any for a
 * guest.
 */
export const setReadOnJoining = (
  db: Writer,
  channel: { key: number; is_private: boolean },
  authorKey: number,
  revision: number,
) =>
  db
    .insertInto('attention')
    .columns(['author_key', 'subject_type', 'subject_key', 'workspace_key', 'channel_key', 'read_revision'])
    .expression((eb) =>
      eb
        .selectFrom('members')
        .where('author_key', '=', authorKey)
        .$if(!channel.is_private, (members) => members.where('role', '=', 'guest'))
        .select((columns) => [
          'author_key',
          columns.val(subjectTypes.channel).as('subject_type'),
          columns.val(channel.key).as('subject_key'),
          'workspace_key',
          columns.val(channel.key).as('channel_key'),
          columns.val(revision).as('read_revision'),
        ]),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['author_key', 'subject_type', 'subject_key'])
        .doUpdateSet({ read_revision: sql`excluded.read_revision` }),
    )
    .execute()

/** What was written in a thread before a member was added to it is read, and so is what their inbox has of it from an earlier time. */
export const setThreadReadOnJoining = (
  db: Writer,
  threadKey: number,
  authorKey: number,
  revision: number,
  now: number,
) =>
  db
    .insertInto('attention')
    .columns(['author_key', 'subject_type', 'subject_key', 'workspace_key', 'channel_key', 'read_revision'])
    .expression((eb) =>
      eb
        .selectFrom('members')
        .where('author_key', '=', authorKey)
        .select((columns) => [
          'author_key',
          columns.val(subjectTypes.thread).as('subject_type'),
          columns.val(threadKey).as('subject_key'),
          'workspace_key',
          columns.val(0).as('channel_key'),
          columns.val(revision).as('read_revision'),
        ]),
    )
    .onConflict((conflict) =>
      conflict.columns(['author_key', 'subject_type', 'subject_key']).doUpdateSet({
        read_revision: sql`excluded.read_revision`,
        is_marked_unread: false,
        read_at: sql`CASE WHEN attention.entry_id IS NULL THEN NULL ELSE coalesce(attention.read_at, ${now}) END`,
      }),
    )
    .execute()
