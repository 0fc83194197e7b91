import { sql } from 'kysely'
import type { Slice } from '../domain/lists/paging'
import type { Viewer } from '../domain/permissions'
import { countRows, type Reader, type Writer } from './engines/db'
import { listFiltered } from './filtered'
import { type PostRow, postJson } from './posts'
import { channelIsOpen, viewerKeysOf } from './visibility'

export interface SavedState {
  saved_at: number
  remind_at: number | null
}

/** A saved post: the post as JSON, and since when it is saved. */
export interface SavedRow extends SavedState {
  record: string
}

/** The posts that a member saved and may see now: at most `MAX_SAVED`. */
const visibleSaved = (db: Reader, viewer: Viewer) =>
  db
    .selectFrom('saved_posts as s')
    .innerJoin('posts as p', 'p.key', 's.post_key')
    .innerJoin('channels as c', 'c.key', 'p.channel_key')
    .where('s.author_key', '=', viewer.author.key)
    .where(channelIsOpen('c', viewerKeysOf(viewer)))

/** One slice of the saved posts of a member, and their total. */
export function listSaved(
  db: Reader,
  base: string,
  viewer: Viewer,
  { reminders }: { reminders?: boolean },
  slice: Slice,
) {
  const matching = visibleSaved(db, viewer).$if(reminders !== undefined, (query) =>
    query.where('s.remind_at', reminders ? 'is not' : 'is', null),
  )
  const selected = matching
    .innerJoin('authors as a', 'a.key', 'p.author_key')
    .select(['s.saved_at', 's.remind_at', postJson(base).as('record')])
  return listFiltered<SavedRow>(matching, selected, { at: 's.saved_at', id: 's.post_id' }, slice)
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
