import { sql } from 'kysely'
import type { Viewer } from '../../domain/permissions'
import { attentionNumbers } from '../../domain/references'
import { canSeeChannel, viewerKeysOf, viewerParams } from '../access/visibility'
import { prepare, type Reader, type RowOf } from '../engines/db'
import { levelNumbers } from './follows'
import { countUpToMax, unreadItems } from './unread-items'

/** How many posts of a channel, by their latest activity, are looked at. */
const MAX_POSTS = 500
/** How many threads of a member, by their latest activity, are looked at. */
const MAX_THREADS = 200

const muted = sql.lit(levelNumbers.none)

const memberByKey = prepare((db, param) =>
  db.selectFrom('members').where('author_key', '=', param<number>('me')).select('read_revision'),
)

/** Up to which revision a member has read everything. */
export async function findReadRevision(db: Reader, viewer: Viewer): Promise<number> {
  const [member] = await memberByKey(db, [], { me: viewer.author.key })
  return member!.read_revision
}

const unreadChannels = prepare((db, param, seesPublic: boolean) => {
  const viewer = viewerParams(param, seesPublic)
  const everything = param<number>('everything')
  const readUpTo = sql`CASE WHEN mine.read_revision > ${everything} THEN mine.read_revision ELSE ${everything} END`
  const ownRow = sql`own.author_key = ${viewer.me} AND own.subject_type = ${sql.lit(attentionNumbers.post)}`
  const isHeard = sql`(own.level IS NULL OR own.level <> ${muted})`
  // Those that were marked as unread may be older than what was read of the channel; they are counted by themselves.
  const unread = sql`SELECT 1 FROM (SELECT p.post_key AS key, p.activity_revision FROM post_activity AS p
      WHERE p.channel_key = c.key AND p.activity_revision > ${readUpTo}
      ORDER BY p.activity_revision DESC LIMIT ${sql.lit(MAX_POSTS)}) AS latest
    WHERE coalesce((SELECT CASE WHEN own.read_revision < latest.activity_revision AND own.is_marked_unread = 0
      AND ${isHeard} THEN 1 ELSE 0 END FROM attention AS own WHERE ${ownRow} AND own.subject_key = latest.key), 1) = 1`
  const marked = sql`SELECT 1 FROM attention AS own JOIN post_activity AS p ON p.post_key = own.subject_key
    WHERE ${ownRow} AND own.channel_key = c.key AND own.is_marked_unread = 1 AND ${isHeard}
      AND p.activity_revision > own.read_revision`
  return db
    .selectFrom('channels as c')
    .leftJoin('attention as mine', (join) =>
      join
        .on('mine.author_key', '=', viewer.me)
        .on('mine.subject_type', '=', sql.lit(attentionNumbers.channel))
        .onRef('mine.subject_key', '=', 'c.key'),
    )
    .where('c.workspace_key', '=', viewer.workspace)
    .where(canSeeChannel('c', viewer))
    .select(['c.id', 'mine.level', 'mine.is_level_chosen'])
    .select(
      sql<number>`CASE WHEN mine.level = ${muted} THEN 0
      ELSE ${countUpToMax(unread)} + ${countUpToMax(marked)} END`.as('unread_count'),
    )
    .orderBy('c.name_fold')
})

export type UnreadChannelRow = RowOf<typeof unreadChannels>

/** The channels a member may see, with the number of unread posts. */
export function listUnreadChannels(db: Reader, viewer: Viewer, everything: number): Promise<UnreadChannelRow[]> {
  const { seesPublic, ...keys } = viewerKeysOf(viewer)
  return unreadChannels(db, [seesPublic], { ...keys, everything })
}

const unreadThreads = prepare((db, param) => {
  const me = param<number>('me')
  const everything = param<number>('everything')
  const readUpTo = sql`CASE WHEN own.is_marked_unread = 1 OR own.read_revision > ${everything}
    THEN own.read_revision ELSE ${everything} END`
  const unread = sql`SELECT 1 ${unreadItems(sql`messages AS m WHERE m.thread_key = t.key`, readUpTo, me)}`
  return db
    .selectFrom((from) =>
      from
        .selectFrom('thread_members')
        .where('workspace_key', '=', param<number>('workspace'))
        .where('author_key', '=', me)
        .select(['thread_key', 'last_activity_at', 'thread_id'])
        .orderBy('last_activity_at', 'desc')
        .orderBy('thread_id', 'desc')
        .limit(sql.lit(MAX_THREADS))
        .as('latest'),
    )
    .innerJoin('threads as t', 't.key', 'latest.thread_key')
    .leftJoin('attention as own', (join) =>
      join
        .on('own.author_key', '=', me)
        .on('own.subject_type', '=', sql.lit(attentionNumbers.thread))
        .onRef('own.subject_key', '=', 't.key'),
    )
    .where(sql<boolean>`t.activity_revision > ${readUpTo}`)
    .where((eb) => eb.or([eb('own.level', 'is', null), eb('own.level', '<>', muted)]))
    .select(['t.id', 'own.level', countUpToMax(unread).as('unread_count')])
    .orderBy('latest.last_activity_at', 'desc')
    .orderBy('latest.thread_id', 'desc')
})

export type UnreadThreadRow = RowOf<typeof unreadThreads>

/** Of the latest threads of a member, those that something happened in since they read them. */
export const listUnreadThreads = (db: Reader, viewer: Viewer, everything: number): Promise<UnreadThreadRow[]> =>
  unreadThreads(db, [], { workspace: viewer.workspace.key, me: viewer.author.key, everything })
