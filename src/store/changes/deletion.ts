import { sql } from 'kysely'
import type { Viewer } from '../../domain/permissions'
import { addReplies, addToPost, type CommentRow } from '../content/comments'
import type { MessageRow } from '../content/messages'
import { countPost, type PostRow } from '../content/posts'
import { removeFromThread } from '../content/threads'
import type { Reader, Writer } from '../engines/db'
import { removeDependants } from './dependants'

/** Deletes a post with its comments and everything else that hangs on them. */
export async function deletePost(db: Writer, post: PostRow, now: number) {
  const comments = await listComments(db, post)
  await removeDependants(db, 'post', { ...post, comments, now })
  await db.deleteFrom('posts').where('key', '=', post.key).execute()
  await countPost(db, post, { posts: -1, resolved: post.is_resolved ? -1 : 0 })
}

const listComments = (db: Reader, { workspace_key, key }: PostRow) =>
  db
    .selectFrom('comments')
    .where('workspace_key', '=', workspace_key)
    .where('post_key', '=', key)
    .select(['key', 'id'])
    .execute()

/** Deletes a message. What answered it stays, answering nothing. */
export async function deleteMessage(db: Writer, viewer: Viewer, message: MessageRow, now: number) {
  await removeDependants(db, 'message', { ...message, workspace_key: viewer.workspace.key, now })
  await db.deleteFrom('messages').where('key', '=', message.key).execute()
  await removeFromThread(db, message.thread_key, now)
}

/**
 * Deletes a comment. While it has replies it stays, without content; it is deleted with the last of them. Says whether the parent
 * was deleted that way.
 */
export async function deleteComment(
  db: Writer,
  viewer: Viewer,
  comment: CommentRow,
  now: number,
): Promise<{ isParentDeleted: boolean }> {
  await removeDependants(db, 'comment', { ...comment, workspace_key: viewer.workspace.key, now })
  const deleted = await deleteOrEmpty(db, comment)
  await resetActivityRevision(db, comment.post_key)
  return deleted
}

/** What happened to a post last, without what was deleted. */
const latestRevision = sql<number>`(SELECT max(revision) FROM (SELECT own_revision AS revision UNION ALL SELECT max(m.revision)
  FROM comments AS m WHERE m.post_key = post_activity.post_key AND m.is_deleted = 0) AS activities)`

const resetActivityRevision = (db: Writer, postKey: number) =>
  db.updateTable('post_activity').set({ activity_revision: latestRevision }).where('post_key', '=', postKey).execute()

async function deleteOrEmpty(db: Writer, comment: CommentRow): Promise<{ isParentDeleted: boolean }> {
  if (comment.replies_count > 0) {
    await emptyComment(db, comment)
    return { isParentDeleted: false }
  }
  await removeRow(db, comment.key)
  if (comment.parent_key === 0) {
    await addToPost(db, comment.post_key, { comments: -1, roots: -1 })
    return { isParentDeleted: false }
  }
  const parent = await addReplies(db, comment.parent_key, -1)
  const isParentDeleted = parent.is_deleted && parent.replies_count === 0
  if (isParentDeleted) await removeRow(db, comment.parent_key)
  await addToPost(db, comment.post_key, isParentDeleted ? { comments: -2, roots: -1 } : { comments: -1, roots: 0 })
  return { isParentDeleted }
}

const emptyComment = (db: Writer, { key }: CommentRow) =>
  db
    .updateTable('comments')
    .set({ content: '', markdown: '', is_deleted: true, edited_at: null })
    .where('key', '=', key)
    .execute()

const removeRow = (db: Writer, key: number) => db.deleteFrom('comments').where('key', '=', key).execute()
