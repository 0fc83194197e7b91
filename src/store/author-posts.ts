import { sql } from 'kysely'
import { prepare, type Writer } from './engines/db'

const addCounts = prepare((db, param) =>
  db
    .insertInto('author_posts')
    .values({
      workspace_key: param<number>('workspace_key'),
      author_key: param<number>('author_key'),
      channel_key: param<number>('channel_key'),
      posts_count: param<number>('posts'),
      resolved_count: param<number>('resolved'),
    })
    .onConflict((conflict) =>
      conflict.columns(['author_key', 'channel_key']).doUpdateSet({
        posts_count: sql`author_posts.posts_count + excluded.posts_count`,
        resolved_count: sql`author_posts.resolved_count + excluded.resolved_count`,
      }),
    ),
)

/** Where a post is and who wrote it. */
export interface PostPlace {
  workspace_key: number
  author_key: number
  channel_key: number
}

/** Counts posts in or out of those of an author in a channel. */
export const addToAuthorPosts = (
  db: Writer,
  { workspace_key, author_key, channel_key }: PostPlace,
  { posts = 0, resolved = 0 }: { posts?: number; resolved?: number },
) => addCounts(db, [], { workspace_key, author_key, channel_key, posts, resolved })
