import { type SqlBool, sql } from 'kysely'
import type { SavedPost } from '../../contract/saved'
import type { PageRequest } from '../../domain/lists/paging'
import type { Viewer } from '../../domain/permissions'
import { timestamp, timestampOrNull } from '../../domain/timestamps'
import { canSeeChannel, viewerKeysOf } from '../access/visibility'
import { countRows, prepare, type Reader, type RowOf, type Writer } from '../engines/db'
import { type ListedRecord, readFilteredPage } from '../lists/list'
import { object, select, time, when } from '../lists/record-json'
import { listedPost, type PostRow, toPost } from './posts'

export interface SavedState {
  saved_at: number
  remind_at: number | null
}

/** The posts that a member saved and may see now: at most `MAX_SAVED`. */
const visibleSaved = (db: Reader, viewer: Viewer) =>
  db
    .selectFrom('saved_posts as s')
    .innerJoin('posts as p', 'p.key', 's.post_key')
    .innerJoin('channels as c', 'c.key', 'p.channel_key')
    .where('s.author_key', '=', viewer.author.key)
    .where(canSeeChannel('c', viewerKeysOf(viewer)))

/** One page of the saved posts of a member, and their total. */
export function listSaved(
  db: Reader,
  base: string,
  viewer: Viewer,
  { reminders }: { reminders?: boolean },
  request: PageRequest<string>,
) {
  const { syntax } = db
  const post = listedPost(syntax, base)
  const record: ListedRecord = {
    ...post,
    json: object<SavedPost>({
      post: post.json,
      saved_at: time(syntax, 'k.at'),
      remind_at: select(
        when(sql`s.remind_at IS NOT NULL`, time(syntax, 's.remind_at')),
        sql`saved_posts AS s WHERE s.author_key = ${viewer.author.key} AND s.post_key = k.key`,
      ),
    }),
  }
  const isVisible = sql`EXISTS (SELECT 1 FROM posts AS p JOIN channels AS c ON c.key = p.channel_key
    WHERE p.key = saved_posts.post_key AND ${canSeeChannel('c', viewerKeysOf(viewer))})`
  const hasReminder = sql.raw(
    reminders === undefined ? '' : `AND saved_posts.remind_at IS ${reminders ? 'NOT' : ''} NULL`,
  )
  const list = {
    ...{ table: 'saved_posts', key: 'post_key', at: 'saved_at', id: 'post_id' },
    ranges: [{ author_key: viewer.author.key }],
    where: sql<SqlBool>`${isVisible} ${hasReminder}`,
  }
  return readFilteredPage(db, viewer, record, list, request)
}

/** Since when a member has saved a post, and when they want to be reminded of it. */
export const findSaved = (db: Reader, viewer: Viewer, postKey: number): Promise<SavedState | undefined> =>
  db
    .selectFrom('saved_posts')
    .where('author_key', '=', viewer.author.key)
    .where('post_key', '=', postKey)
    .select(['saved_at', 'remind_at'])
    .executeTakeFirst()

/** How many posts a member has saved. Posts that they can no longer see do not count, because they could not remove them. */
export const countSaved = (db: Reader, viewer: Viewer): Promise<number> => countRows(visibleSaved(db, viewer))

/** Saves a post, or changes the reminder of one that is saved. */
export const upsertSaved = (db: Writer, viewer: Viewer, post: PostRow, { saved_at, remind_at }: SavedState) =>
  db
    .insertInto('saved_posts')
    .values({
      author_key: viewer.author.key,
      post_key: post.key,
      post_id: post.id,
      workspace_key: post.workspace_key,
      saved_at,
      remind_at,
    })
    .onConflict((conflict) =>
      conflict.columns(['author_key', 'post_key']).doUpdateSet({ remind_at: sql`excluded.remind_at` }),
    )
    .execute()

export const deleteSaved = (db: Writer, viewer: Viewer, postKey: number) =>
  db.deleteFrom('saved_posts').where('author_key', '=', viewer.author.key).where('post_key', '=', postKey).execute()

const dueWorkspace = prepare((db, param) =>
  db
    .selectFrom('saved_posts')
    .where('remind_at', 'is not', null)
    .where('remind_at', '<=', param<number>('now'))
    .orderBy('remind_at')
    .orderBy('author_key')
    .orderBy('post_key')
    .limit(1)
    .select('workspace_key'),
)

/** The workspace whose reminder has been due the longest; undefined if none is. */
export const findDueWorkspace = async (db: Reader, now: number): Promise<number | undefined> =>
  (await dueWorkspace(db, [], { now }))[0]?.workspace_key

/** Whether a member `m` can see the channel `c` of the post. */
const canSee = sql<boolean>`CASE WHEN m.is_deactivated = 0 AND ${canSeeChannel('c', { member: 'm' })} THEN 1 ELSE 0 END`

/** How many reminders of all workspaces are searched for the reminders of one. */
const WINDOW = 1_000

/** Finds all due reminders, also without their member or post: one that is not found would stay due, and be looked for again at once. */
const dueReminders = prepare((db, param) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('saved_posts')
        .where('remind_at', 'is not', null)
        .where('remind_at', '<=', param<number>('now'))
        .orderBy('remind_at')
        .orderBy('author_key')
        .orderBy('post_key')
        .limit(sql.lit(WINDOW))
        .selectAll()
        .as('s'),
    )
    .leftJoin('members as m', 'm.author_key', 's.author_key')
    .leftJoin('posts as p', 'p.key', 's.post_key')
    .leftJoin('channels as c', 'c.key', 'p.channel_key')
    .where('s.workspace_key', '=', param<number>('workspace'))
    .orderBy('s.remind_at')
    .limit(param<number>('limit'))
    .select(['s.author_key', 's.post_key', 's.post_id', 's.saved_at', canSee.as('is_visible')])
    .select((eb) => eb.fn.coalesce('p.channel_key', sql.lit(0)).as('channel_key')),
)

/** A reminder that is due, and whether its member may see the post at this moment. */
export type DueReminder = RowOf<typeof dueReminders>

/** The next reminders of a workspace, starting with the one that was due first. */
export const listDueReminders = (db: Reader, workspace: number, now: number, limit: number): Promise<DueReminder[]> =>
  dueReminders(db, [], { workspace, now, limit })

const clearStatement = prepare((db, param) =>
  db
    .updateTable('saved_posts')
    .set({ remind_at: null })
    .where('author_key', '=', param<number>('author_key'))
    .where('post_key', '=', param<number>('post_key')),
)

/** The post stays saved. */
export const clearReminder = (db: Writer, { author_key, post_key }: DueReminder) =>
  clearStatement(db, [], { author_key, post_key })

export const toSavedPost = (row: SavedState & { record: string }): SavedPost => ({
  post: toPost(row),
  saved_at: timestamp(row.saved_at),
  remind_at: timestampOrNull(row.remind_at),
})
