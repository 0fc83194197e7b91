import { commentFields, postActivity, postFields, resolutionFields } from '../../domain/record-fields'
import { addToChannel } from '../content/channels'
import { addToAuthorPosts } from '../content/posts'
import { insertRows } from '../engines/bulk'
import type { Writer } from '../engines/db'
import type { SeededChannel } from './channels'
import { insertReactions, type NewReaction } from './reactions'

/** Markdown and what it renders to, always both. */
export interface Text {
  markdown: string
  html: string
}

export interface NewComment {
  id: string
  /** Which comment of the same post it answers. */
  parent?: number
  author_key: number
  text: Text
  created_at: number
  replies_count: number
}

export interface NewPost {
  id: string
  channel: SeededChannel
  author_key: number
  title: string
  text: Text
  published_at: number
  last_activity_at: number
  comments: readonly NewComment[]
  reactions: readonly NewReaction[]
  resolution?: { at: number; by_key: number; note?: Text; comment?: number }
}

/** Posts with their comments. */
export async function insertPosts(db: Writer, workspace_key: number, posts: readonly NewPost[]) {
  const keys = await db.syntax.reserveKeys(db, 'posts', posts.length)
  const count = posts.reduce((sum, post) => sum + post.comments.length, 0)
  const commentKeys = await db.syntax.reserveKeys(db, 'comments', count)
  let used = 0
  const firsts = posts.map(({ comments }) => {
    const first = used
    used += comments.length
    return first
  })
  const commentKey = (post: number, at: number) => commentKeys[firsts[post]! + at]!

  await insertRows(
    db,
    'posts',
    posts.map(({ channel, text, comments, resolution, reactions: _, ...post }, at) => ({
      key: keys[at]!,
      id: post.id,
      workspace_key,
      channel_key: channel.key,
      author_key: post.author_key,
      published_at: post.published_at,
      last_activity_at: post.last_activity_at,
      comments_count: comments.length,
      root_comments_count: comments.filter(({ parent }) => parent === undefined).length,
      is_listed: channel.is_listed,
      is_resolved: resolution !== undefined,
      resolved_by_key: resolution?.by_key ?? 0,
      resolved_comment_key: resolution?.comment === undefined ? 0 : commentKey(at, resolution.comment),
      activity: postActivity({ last_activity_at: post.last_activity_at, comments_count: comments.length }),
      fields: postFields({ ...post, content: text.html }),
      resolution: resolution
        ? resolutionFields({ resolved_at: resolution.at, resolved_html: resolution.note?.html ?? null })
        : null,
      markdown: text.markdown,
      resolved_markdown: resolution?.note?.markdown ?? null,
    })),
  )
  await insertRows(
    db,
    'comments',
    posts.flatMap(({ id: post_id, comments }, at) =>
      comments.map(({ parent, text, ...comment }, number) => ({
        key: commentKey(at, number),
        id: comment.id,
        workspace_key,
        post_key: keys[at]!,
        parent_key: parent === undefined ? 0 : commentKey(at, parent),
        author_key: comment.author_key,
        created_at: comment.created_at,
        replies_count: comment.replies_count,
        is_deleted: false,
        fields: commentFields({
          ...comment,
          content: text.html,
          parent_id: parent === undefined ? null : comments[parent]!.id,
          post_id,
        }),
        markdown: text.markdown,
      })),
    ),
  )
  await insertReactions(
    db,
    workspace_key,
    posts.map(({ reactions }, at) => ({ key: keys[at]!, reactions })),
  )
  for (const [channel, change] of countBy(posts, (post) => post.channel.key)) await addToChannel(db, channel, change)
  for (const [place, change] of countBy(posts, ({ author_key, channel }) => `${author_key} ${channel.key}`)) {
    const [author_key, channel_key] = place.split(' ').map(Number) as [number, number]
    await addToAuthorPosts(db, { workspace_key, author_key, channel_key }, change)
  }
}

function countBy<Key>(posts: readonly NewPost[], keyOf: (post: NewPost) => Key) {
  const counts = new Map<Key, { posts: number; resolved: number }>()
  for (const post of posts) {
    const count = counts.getOrInsertComputed(keyOf(post), () => ({ posts: 0, resolved: 0 }))
    count.posts += 1
    if (post.resolution) count.resolved += 1
  }
  return counts
}
