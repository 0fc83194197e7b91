import type { Post, Resolution } from '../contract/posts'
import { timestamp } from '../domain/timestamps'
import type { PostRow } from '../store/posts'
import { toAuthor } from './authors'
import { toComment } from './comments'
import type { Links } from './links'

export const toPost = (links: Links, row: PostRow): Post => ({
  id: row.id,
  title: row.title,
  created_at: timestamp(row.published_at),
  last_activity_at: timestamp(row.last_activity_at),
  url: links.post(row.id),
  content: row.content,
  comments_count: row.comments_count,
  channel: { id: row.channel_id, name: row.channel_name },
  author: toAuthor(links, row.author),
  resolution: row.resolved_at === null ? null : toResolution(links, row, row.resolved_at),
})

const toResolution = (links: Links, row: PostRow, resolvedAt: number): Resolution => ({
  resolved_at: timestamp(resolvedAt),
  resolved_html: row.resolved_html,
  resolved_by: toAuthor(links, row.resolver!),
  resolved_comment:
    row.answer_id === null
      ? null
      : toComment(links, {
          id: row.answer_id,
          content: row.answer_content!,
          created_at: row.answer_created_at!,
          replies_count: row.answer_replies_count!,
          parent_id: row.answer_parent_id,
          post_id: row.id,
          author: row.answer_author!,
        }),
})
