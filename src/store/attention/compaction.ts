import { sql } from 'kysely'
import type { Viewer } from '../../domain/permissions'
import { attentionNumbers } from '../../domain/references'
import { prepare, type RowOf, type Writer } from '../engines/db'
import { rowOf } from './positions'

/** More posts than this are not looked through. */
const MAX_POSTS = 500

const postsAfter = prepare((db, param) => {
  const own = sql`CASE WHEN own.read_revision > ${param<number>('after')} THEN own.read_revision ELSE ${param<number>('after')} END`
  return db
    .selectFrom('post_activity as p')
    .leftJoin('attention as own', (join) =>
      join
        .on('own.author_key', '=', param<number>('me'))
        .on('own.subject_type', '=', sql.lit(attentionNumbers.post))
        .onRef('own.subject_key', '=', 'p.post_key'),
    )
    .where('p.channel_key', '=', param<number>('channel'))
    .where('p.activity_revision', '>', param<number>('after'))
    .orderBy('p.activity_revision')
    .limit(sql.lit(MAX_POSTS + 1))
    .select(['p.activity_revision', 'p.own_revision', 'own.is_marked_unread', sql<number>`${own}`.as('read_revision')])
    .select(
      sql<number | null>`CASE WHEN ${own} < p.activity_revision
        THEN (SELECT min(m.revision) FROM comments AS m WHERE m.post_key = p.post_key AND m.revision > ${own}) END`.as(
        'first_comment',
      ),
    )
})

const inboxPosition = prepare((db, param) =>
  db.selectFrom('inbox_positions').where('workspace_key', '=', param<number>('workspace')).select('revision'),
)

/**
 * Moves what a member has read of a whole channel to just before what they have not, so that the posts they read one by one
 * need not be looked at again. What is unread stays so, to the comment; and what inboxes were not told of yet, such as a
 * mention that was added to an old comment.
 */
export async function compactChannel(db: Writer, viewer: Viewer, key: number, after: number, present: number) {
  const posts = await postsAfter(db, [], { me: viewer.author.key, channel: key, after })
  if (posts.length > MAX_POSTS) return
  // What was marked as unread has a position of its own.
  const unread = posts.filter((post) => !post.is_marked_unread && post.read_revision < post.activity_revision)
  const [told] = await inboxPosition(db, [], { workspace: viewer.workspace.key })
  const readUpTo = Math.min(present, told!.revision, ...unread.map((post) => firstUnread(post) - 1))
  if (readUpTo <= after) return
  await db
    .insertInto('attention')
    .values({ ...rowOf(viewer, { kind: 'channel', key, channel_key: key }), read_revision: readUpTo })
    .onConflict((conflict) =>
      conflict.columns(['author_key', 'subject_type', 'subject_key']).doUpdateSet({ read_revision: readUpTo }),
    )
    .execute()
}

/** The revision of the first unread comment, or of what else happened to a post. */
function firstUnread({ own_revision, read_revision, first_comment, activity_revision }: RowOf<typeof postsAfter>) {
  const own = own_revision > read_revision ? own_revision : activity_revision
  return Math.min(own, first_comment ?? activity_revision)
}
