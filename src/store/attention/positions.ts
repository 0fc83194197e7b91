import { type RawBuilder, sql } from 'kysely'
import type { Viewer } from '../../domain/permissions'
import { type AttentionSubject, attentionNumbers } from '../../domain/references'
import type { Writer } from '../engines/db'

type OwnSubject = Pick<AttentionSubject, 'kind' | 'key' | 'channel_key'>

/** Which row of `attention` a subject is to the viewer. */
export const rowOf = (viewer: Viewer, { kind, key, channel_key }: OwnSubject) => ({
  author_key: viewer.author.key,
  subject_type: attentionNumbers[kind],
  subject_key: key,
  workspace_key: viewer.workspace.key,
  channel_key,
})

/**
 * Up to which revision a member has read a subject, from their row of it, that of its channel, and `members`. The rows may be
 * of outer joins.
 */
export const readUpTo = (own: string, channel: string, member: string): RawBuilder<number> => {
  const revision = (table: string) => sql`coalesce(${sql.ref(`${table}.read_revision`)}, 0)`
  const [mine, ofChannel, everything] = [revision(own), revision(channel), revision(member)]
  return sql<number>`CASE WHEN ${sql.ref(`${own}.is_marked_unread`)} = 1 OR (${mine} >= ${ofChannel} AND ${mine} >= ${everything})
    THEN ${mine} WHEN ${ofChannel} >= ${everything} THEN ${ofChannel} ELSE ${everything} END`
}

/**
 * Marks a subject as read up to a revision, and its entry in the inbox with it. To read all of it, that is the present
 * revision of the workspace: also what only told of it, such as a mention that was added later, is read then.
 */
export const setRead = (db: Writer, viewer: Viewer, subject: OwnSubject, upTo: number, now: number) =>
  db
    .insertInto('attention')
    .values({ ...rowOf(viewer, subject), read_revision: upTo })
    .onConflict((conflict) =>
      conflict.columns(['author_key', 'subject_type', 'subject_key']).doUpdateSet({
        read_revision: sql`CASE WHEN attention.is_marked_unread = 1 OR attention.read_revision < ${upTo}
          THEN ${upTo} ELSE attention.read_revision END`,
        is_marked_unread: false,
        read_at: sql`CASE WHEN attention.read_at IS NULL AND attention.entry_revision <= ${upTo}
          THEN ${now} ELSE attention.read_at END`,
      }),
    )
    .execute()

/** Marks a subject as unread after a revision, and its entry in the inbox with it. */
export const setUnread = (db: Writer, viewer: Viewer, subject: OwnSubject, after: number) =>
  db
    .insertInto('attention')
    .values({ ...rowOf(viewer, subject), read_revision: after, is_marked_unread: true })
    .onConflict((conflict) =>
      conflict.columns(['author_key', 'subject_type', 'subject_key']).doUpdateSet({
        read_revision: after,
        is_marked_unread: true,
        read_at: null,
      }),
    )
    .execute()
