import { sql } from 'kysely'
import type { FollowLevel } from '../../contract/follows'
import type { Viewer } from '../../domain/permissions'
import { type AttentionSubject, attentionNumbers } from '../../domain/references'
import { prepare, type Reader, type Writer } from '../engines/db'

/** How levels are stored; these numbers never change. */
export const levelNumbers = { none: 0, mentions: 1, all: 2 } as const satisfies Record<FollowLevel, number>
export const levelNames = ['none', 'mentions', 'all'] as const

export interface FollowState {
  level: FollowLevel
  isChosen: boolean
}

const primaryKey = ['kind', 'subject_key', 'author_key'] as const

/** How a member follows a subject: by their own level, else by that of its channel, else by the default. */
export async function findFollow(
  db: Reader,
  viewer: Viewer,
  { kind, key, channel_key }: AttentionSubject,
): Promise<FollowState> {
  const rows = await db
    .selectFrom('follows')
    .where('author_key', '=', viewer.author.key)
    .where((eb) =>
      eb.or([
        eb.and([eb('kind', '=', attentionNumbers[kind]), eb('subject_key', '=', key)]),
        eb.and([eb('kind', '=', attentionNumbers.channel), eb('subject_key', '=', channel_key)]),
      ]),
    )
    .select(['kind', 'level', 'is_chosen'])
    .execute()
  const own = rows.find((row) => row.kind === attentionNumbers[kind])
  const ofChannel = rows.find((row) => row.kind === attentionNumbers.channel)
  const level = own?.level ?? ofChannel?.level ?? levelNumbers[kind === 'thread' ? 'all' : 'mentions']
  return { level: levelNames[level]!, isChosen: own?.is_chosen ?? false }
}

/** Follows a subject as the member chose. */
export const setFollow = (db: Writer, viewer: Viewer, { kind, key }: AttentionSubject, level: FollowLevel) => {
  const chosen = { level: levelNumbers[level], is_chosen: true }
  return db
    .insertInto('follows')
    .values({ author_key: viewer.author.key, kind: attentionNumbers[kind], subject_key: key, ...chosen })
    .onConflict((conflict) => conflict.columns(primaryKey).doUpdateSet(chosen))
    .execute()
}

const followStatement = prepare((db, param) =>
  db
    .insertInto('follows')
    .values({
      author_key: param<number>('me'),
      kind: sql.lit(attentionNumbers.post),
      subject_key: param<number>('post'),
      level: sql.lit(levelNumbers.all),
    })
    .onConflict((conflict) => conflict.columns(primaryKey).doNothing()),
)

/** Who writes in a post follows it from then on, unless they chose otherwise. Apps follow nothing. */
export async function followWritten(db: Writer, { author }: Pick<Viewer, 'author'>, postKey: number) {
  if (author.type !== 'app') await followStatement(db, [], { me: author.key, post: postKey })
}

/** Follows a subject as if the member had never chosen: a post they wrote, commented on or were mentioned in, with all activity. */
export async function resetFollow(db: Writer, viewer: Viewer, { kind, key }: AttentionSubject) {
  const me = viewer.author.key
  await db
    .deleteFrom('follows')
    .where('kind', '=', attentionNumbers[kind])
    .where('subject_key', '=', key)
    .where('author_key', '=', me)
    .execute()
  if (kind === 'post' && (await hasTakenPart(db, me, key))) await followWritten(db, viewer, key)
}

async function hasTakenPart(db: Reader, me: number, postKey: number): Promise<boolean> {
  const { is_taking_part } = await db
    .selectNoFrom(
      sql<boolean>`CAST(CASE WHEN EXISTS (SELECT 1 FROM posts AS p WHERE p.key = ${postKey} AND p.author_key = ${me})
        OR EXISTS (SELECT 1 FROM comments AS m WHERE m.post_key = ${postKey} AND m.author_key = ${me})
        OR EXISTS (SELECT 1 FROM inbox_entries AS e WHERE e.kind = ${sql.lit(attentionNumbers.post)}
          AND e.subject_key = ${postKey} AND e.author_key = ${me} AND e.reason = 'mention')
        THEN 1 ELSE 0 END AS bigint)`.as('is_taking_part'),
    )
    .executeTakeFirstOrThrow()
  return is_taking_part
}
