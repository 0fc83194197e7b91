import { postActivity, resolutionFields } from '../domain/record-fields'
import type { Reader, Writer } from './engines/db'
import { countPost, type PostRow, unresolved } from './posts'

/** The note a post was resolved with; empty where there is none. */
export const findResolutionMarkdown = async (db: Reader, key: number): Promise<string> =>
  (await db.selectFrom('posts').where('key', '=', key).select('resolved_markdown').executeTakeFirstOrThrow())
    .resolved_markdown ?? ''

export interface NewResolution {
  resolved_at: number
  resolved_html: string | null
  resolved_markdown: string | null
  resolved_by_key: number
  resolved_comment_key: number
  resolved_via: string | null
}

export async function setResolution(db: Writer, post: PostRow, resolution: NewResolution, revision: number) {
  const { resolved_at, resolved_html, ...columns } = resolution
  await db
    .updateTable('posts')
    .set({ ...columns, is_resolved: true, answer_deleted_at: null, ...activeAt(post, resolved_at, revision) })
    .set({ resolution: resolutionFields({ resolved_at, resolved_html }) })
    .where('key', '=', post.key)
    .execute()
  if (!post.is_resolved) await countPost(db, post, { resolved: 1 })
}

export async function clearResolution(db: Writer, post: PostRow, now: number, revision: number) {
  await db
    .updateTable('posts')
    .set({ ...unresolved, ...activeAt(post, now, revision) })
    .where('key', '=', post.key)
    .execute()
  await countPost(db, post, { resolved: -1 })
}

const activeAt = ({ comments_count }: PostRow, last_activity_at: number, revision: number) => ({
  last_activity_at,
  activity_revision: revision,
  own_revision: revision,
  activity: postActivity({ last_activity_at, comments_count }),
})
