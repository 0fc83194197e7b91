import { type SqlBool, sql } from 'kysely'
import type { Role } from '../../contract/members'
import type { Viewer } from '../../domain/permissions'
import { attentionNumbers } from '../../domain/references'
import { canSeeChannel, viewerKeysOf } from '../access/visibility'
import { prepare, type Reader, type Writer } from '../engines/db'
import {
  entriesReadUpToText,
  findFilledRevision,
  joinPosition,
  type OwnSubject,
  primaryKey,
  readEntriesOf,
  rowOf,
} from './reads'

/** So many unread entries stay unread when their channel is read because its member comes back. */
const MAX_KEPT_UNREAD = 200

/**
 * What is in a channel when a member is added to it is read, if they could not see it before: a private channel, or any for a
 * guest. What their inbox has of it from an earlier time stays unread.
 */
export async function setChannelReadOnJoining(
  db: Writer,
  { key, is_private }: { key: number; is_private: boolean },
  authorKey: number,
  revision: number,
) {
  const role = is_private ? undefined : 'guest'
  await keepStatement(db, [role !== undefined], { me: authorKey, channel: key })
  await readOnJoining(db, { kind: 'channel', key, channel_key: key }, authorKey, revision, role)
}

const keepStatement = prepare((db, param, isForGuests: boolean) => {
  const [me, channel] = [param<number>('me'), param<number>('channel')]
  const unread = sql`(SELECT e.key FROM inbox_entries AS e JOIN members AS m ON m.author_key = ${me}
    ${joinPosition('place', 'channel', 'e.channel_key', me)}
    WHERE e.author_key = ${me} AND e.channel_key = ${channel} AND e.is_read = 0 AND e.is_marked_unread = 0
      AND e.revision > ${sql.raw(entriesReadUpToText('place', 'm'))} ${isForGuests ? sql`AND m.role = 'guest'` : sql``}
    ORDER BY e.revision DESC LIMIT ${sql.lit(MAX_KEPT_UNREAD)})`
  return db.updateTable('inbox_entries').set({ is_marked_unread: true }).where(sql<SqlBool>`key IN ${unread}`)
})

/** What was written in a thread before a member was added to it is read, and so is what their inbox has of it from an earlier time. */
export async function setThreadReadOnJoining(db: Writer, key: number, authorKey: number, revision: number) {
  const thread = { kind: 'thread', key, channel_key: 0 } as const
  await readOnJoining(db, thread, authorKey, revision)
  await readEntriesOf(db, authorKey, thread, revision)
}

/** Adds nothing for apps, nor for members of another role than the given one. */
const readOnJoining = (db: Writer, { kind, key, channel_key }: OwnSubject, me: number, revision: number, role?: Role) =>
  db
    .insertInto('read_positions')
    .columns([...primaryKey, 'channel_key', 'revision'])
    .expression((eb) =>
      eb
        .selectFrom('members')
        .where('author_key', '=', me)
        .$if(role !== undefined, (members) => members.where('role', '=', role!))
        .select((columns) => [
          columns.val(attentionNumbers[kind]).as('kind'),
          columns.val(key).as('subject_key'),
          'author_key',
          columns.val(channel_key).as('channel_key'),
          columns.val(revision).as('revision'),
        ]),
    )
    .onConflict((conflict) =>
      conflict.columns(primaryKey).doUpdateSet({ revision: sql`excluded.revision`, is_marked_unread: false }),
    )
    .execute()

/** A channel with more posts than this is not compacted. */
const MAX_POSTS = 500

/** Posts of a channel that something happened to after a revision, and the first revision that is unread of each. */
const postsAfter = prepare((_, param, limit: number) => {
  const own = sql`CASE WHEN own.revision > ${param<number>('after')} THEN own.revision ELSE ${param<number>('after')} END`
  return sql<{ key: number; is_marked_unread: boolean | null; first_unread: number | null }>`
    SELECT p.post_key AS key, own.is_marked_unread, CASE WHEN ${own} < p.activity_revision THEN
      coalesce((SELECT min(m.revision) FROM comments AS m WHERE m.post_key = p.post_key AND m.revision > ${own}
        AND (p.own_revision <= ${own} OR m.revision < p.own_revision)),
        CASE WHEN p.own_revision > ${own} THEN p.own_revision ELSE p.activity_revision END) END AS first_unread
    FROM post_activity AS p ${joinPosition('own', 'post', 'p.post_key', param<number>('me'))}
    WHERE p.channel_key = ${param<number>('channel')} AND p.activity_revision > ${param<number>('after')}
    ORDER BY p.activity_revision LIMIT ${sql.lit(limit)}`
})

/** How many posts these are, but not more than one too many. It only reads the index. */
const countPostsAfter = prepare((_, param) => {
  const posts = sql`SELECT 1 FROM post_activity WHERE channel_key = ${param<number>('channel')}
    AND activity_revision > ${param<number>('after')} LIMIT ${sql.lit(MAX_POSTS + 1)}`
  return sql<{ count: number }>`SELECT count(*) AS count FROM (${posts}) AS found`
})

/** The first unread entry of a channel after a revision. */
const firstUnreadEntry = prepare((db, param) =>
  db
    .selectFrom('inbox_entries')
    .where('author_key', '=', param<number>('me'))
    .where('channel_key', '=', param<number>('channel'))
    .where(sql<SqlBool>`is_read = 0 AND is_marked_unread = 0`)
    .where('revision', '>', param<number>('after'))
    .where('revision', '>', (eb) =>
      eb.selectFrom('members').where('members.author_key', '=', param<number>('me')).select('inbox_revision'),
    )
    .select('revision')
    .orderBy('revision')
    .limit(1),
)

/**
 * Moves what a member has read of a whole channel to just before what they have not, so that the posts they read one by one need not
 * be looked at again; their own positions are deleted. What is unread stays so, to the comment, and also the entries that are unread
 * or not there yet, such as of a mention that was added to an old comment.
 */
export async function compactChannel(db: Writer, viewer: Viewer, key: number, after: number, present: number) {
  const me = viewer.author.key
  // As long as the first post is unread, the position could not move past it: the posts read after it keep their own.
  const [first] = await postsAfter(db, [1], { me, channel: key, after })
  if (first && first.first_unread !== null && !first.is_marked_unread) return
  const [found] = await countPostsAfter(db, [], { channel: key, after })
  if (found!.count > MAX_POSTS) return
  const posts = await postsAfter(db, [MAX_POSTS], { me, channel: key, after })
  // What was marked as unread has a position of its own.
  const unread = posts.flatMap(({ is_marked_unread, first_unread }) =>
    is_marked_unread || first_unread === null ? [] : [first_unread - 1],
  )
  const entries = await firstUnreadEntry(db, [], { me, channel: key, after })
  const bounds = [present, await findFilledRevision(db, viewer), ...entries.map((entry) => entry.revision - 1)]
  const revision = Math.min(...bounds, ...unread)
  if (revision <= after) return
  await db
    .insertInto('read_positions')
    .values({ ...rowOf(viewer, { kind: 'channel', key, channel_key: key }), revision })
    .onConflict((conflict) => conflict.columns(primaryKey).doUpdateSet({ revision }))
    .execute()
  await db
    .deleteFrom('read_positions')
    .where('kind', '=', attentionNumbers.post)
    .where(db.syntax.isInJson('subject_key', JSON.stringify(posts.map((post) => post.key))))
    .where('author_key', '=', me)
    .where('revision', '<=', revision)
    .where('is_marked_unread', '=', false)
    .execute()
}

/** Whether anything happened in a channel after a revision. */
export const hasActivityAfter = async (db: Reader, channelKey: number, revision: number): Promise<boolean> =>
  (await db
    .selectFrom('post_activity')
    .where('channel_key', '=', channelKey)
    .where('activity_revision', '>', revision)
    .select('post_key')
    .limit(1)
    .executeTakeFirst()) !== undefined

/** Whether anything happened after a revision that this member may see. */
export async function hasAnyActivityAfter(db: Reader, viewer: Viewer, revision: number): Promise<boolean> {
  const keys = viewerKeysOf(viewer)
  const channel = await db
    .selectFrom('channels as c')
    .where('c.workspace_key', '=', keys.workspace)
    .where(canSeeChannel('c', keys))
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('post_activity as p')
          .whereRef('p.channel_key', '=', 'c.key')
          .where('p.activity_revision', '>', revision)
          .select('p.post_key'),
      ),
    )
    .select('c.key')
    .limit(1)
    .executeTakeFirst()
  if (channel) return true
  const thread = await db
    .selectFrom('thread_members as tm')
    .innerJoin('threads as t', 't.key', 'tm.thread_key')
    .where('tm.workspace_key', '=', keys.workspace)
    .where('tm.author_key', '=', keys.me)
    .where('t.activity_revision', '>', revision)
    .select('t.key')
    .limit(1)
    .executeTakeFirst()
  return thread !== undefined
}
