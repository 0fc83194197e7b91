import { sql } from 'kysely'
import type { FollowLevel } from '../../contract/follows'
import type { Viewer } from '../../domain/permissions'
import { type AttentionKind, type AttentionSubject, attentionNumbers } from '../../domain/references'
import type { Reader, Writer } from '../engines/db'
import { rowOf } from './positions'

/** How levels are stored; these numbers never change. */
export const levelNumbers = { none: 0, mentions: 1, all: 2 } as const satisfies Record<FollowLevel, number>
export const levelNames = ['none', 'mentions', 'all'] as const

export interface FollowState {
  level: FollowLevel
  isChosen: boolean
}

/** How a member follows a subject: by their own level, else by that of its channel, else by the default. */
export async function findFollow(
  db: Reader,
  viewer: Viewer,
  { kind, key, channel_key }: AttentionSubject,
): Promise<FollowState> {
  const rows = await db
    .selectFrom('attention')
    .where('author_key', '=', viewer.author.key)
    .where((eb) =>
      eb.or([
        eb.and([eb('subject_type', '=', attentionNumbers[kind]), eb('subject_key', '=', key)]),
        eb.and([eb('subject_type', '=', attentionNumbers.channel), eb('subject_key', '=', channel_key)]),
      ]),
    )
    .select(['subject_type', 'level', 'is_level_chosen'])
    .execute()
  const own = rows.find((row) => row.subject_type === attentionNumbers[kind])
  const ofChannel = rows.find((row) => row.subject_type === attentionNumbers.channel)
  const level = own?.level ?? ofChannel?.level ?? levelNumbers[kind === 'thread' ? 'all' : 'mentions']
  return { level: levelNames[level]!, isChosen: own?.is_level_chosen ?? false }
}

/** Follows a subject as the member chose. */
export const setFollow = (db: Writer, viewer: Viewer, subject: AttentionSubject, level: FollowLevel) =>
  db
    .insertInto('attention')
    .values({ ...rowOf(viewer, subject), level: levelNumbers[level], is_level_chosen: true })
    .onConflict((conflict) =>
      conflict
        .columns(['author_key', 'subject_type', 'subject_key'])
        .doUpdateSet({ level: levelNumbers[level], is_level_chosen: true }),
    )
    .execute()

/** Follows a subject as if the member had never chosen: a post they wrote, commented on or were mentioned in, with all activity. */
export const resetFollow = (db: Writer, viewer: Viewer, { kind, key }: AttentionSubject) => {
  const me = viewer.author.key
  const hasWritten = sql`(reason = 'mention' OR EXISTS (SELECT 1 FROM posts AS p WHERE p.key = ${key} AND p.author_key = ${me})
    OR EXISTS (SELECT 1 FROM comments AS m WHERE m.post_key = ${key} AND m.author_key = ${me}))`
  return db
    .updateTable('attention')
    .set({
      is_level_chosen: false,
      level: kind === 'post' ? sql`CASE WHEN ${hasWritten} THEN ${sql.lit(levelNumbers.all)} END` : null,
    })
    .where('author_key', '=', me)
    .where('subject_type', '=', attentionNumbers[kind])
    .where('subject_key', '=', key)
    .execute()
}

/** Deletes what a subject that is gone was to everyone. */
export const deleteAttention = (db: Writer, kind: AttentionKind, key: number) =>
  db.deleteFrom('attention').where('subject_type', '=', attentionNumbers[kind]).where('subject_key', '=', key).execute()
