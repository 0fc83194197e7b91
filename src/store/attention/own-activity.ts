import { sql } from 'kysely'
import type { Viewer } from '../../domain/permissions'
import { type AttentionKind, attentionNumbers } from '../../domain/references'
import { prepare, type Writer } from '../engines/db'
import { levelNumbers } from './follows'

const noteStatement = prepare((db, param) =>
  db
    .insertInto('attention')
    .values({
      author_key: param<number>('author_key'),
      subject_type: param<number>('subject_type'),
      subject_key: param<number>('subject_key'),
      workspace_key: param<number>('workspace_key'),
      channel_key: param<number>('channel_key'),
      read_revision: param<number>('revision'),
      level: param<number>('level'),
    })
    .onConflict((conflict) =>
      conflict.columns(['author_key', 'subject_type', 'subject_key']).doUpdateSet({
        read_revision: sql`excluded.read_revision`,
        is_marked_unread: false,
        level: sql`coalesce(attention.level, excluded.level)`,
        read_at: sql`CASE WHEN attention.entry_id IS NULL THEN NULL ELSE coalesce(attention.read_at, ${param<number>('now')}) END`,
      }),
    ),
)

/**
 * What someone did to a post or a thread is read by them, and all before it. Who writes in a post follows it from then on,
 * unless they chose otherwise. Apps read nothing.
 */
export async function noteOwnActivity(
  db: Writer,
  { author, workspace }: Viewer,
  subject: { kind: Exclude<AttentionKind, 'channel'>; key: number; channel_key?: number },
  activity: { revision: number; now: number; isFollowed?: boolean },
) {
  if (author.type === 'app') return
  await noteStatement(db, [], {
    author_key: author.key,
    subject_type: attentionNumbers[subject.kind],
    subject_key: subject.key,
    workspace_key: workspace.key,
    channel_key: subject.channel_key ?? 0,
    revision: activity.revision,
    level: activity.isFollowed ? levelNumbers.all : null,
    now: activity.now,
  })
}
