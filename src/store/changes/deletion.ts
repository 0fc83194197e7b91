import { sql } from 'kysely'
import type { Viewer } from '../../domain/permissions'
import { commentFields } from '../../domain/record-fields'
import { deleteAttention } from '../attention/follows'
import { forgetReactionsTo } from '../attention/reaction-entries'
import { addReplies, addToPost, type CommentRow } from '../content/comments'
import { countPost, type PostRow } from '../content/posts'
import { deleteReactions } from '../content/reactions'
import { inBatches } from '../engines/bulk'
import type { Reader, Writer } from '../engines/db'
import { removeReferences } from '../files/references'
import { redactRecords, redactResolvedComment } from '../log/redaction'
import { removeDocuments } from '../search/documents'

/** Deletes a post with its comments, and what the log and stored answers hold of their content. */
export async function deletePost(db: Writer, viewer: Viewer, post: PostRow, now: number) {
  const workspaceKey = viewer.workspace.key
  const comments = await listComments(db, workspaceKey, post.key)
  const commentKeys = comments.map(({ key }) => key)
  await redactRecords(db, workspaceKey, [post.id, ...comments.map(({ id }) => id)])
  await removeDocuments(db, 'post', [post.key])
  await removeDocuments(db, 'comment', commentKeys)
  await removeReferences(db, 'post', [post.key], now)
  await removeReferences(db, 'resolution', [post.key], now)
  await removeReferences(db, 'comment', commentKeys, now)
  await deleteReactions(db, 'post', [post.key])
  await deleteReactions(db, 'comment', commentKeys)
  await inBatches(commentKeys, (some) => db.deleteFrom('comments').where('key', 'in', some).execute())
  await deletePinAndSaves(db, post.key)
  await db.deleteFrom('posts').where('key', '=', post.key).execute()
  await deleteAttention(db, 'post', post.key)
  await countPost(db, post, { posts: -1, resolved: post.is_resolved ? -1 : 0 })
}

const listComments = (db: Reader, workspaceKey: number, postKey: number) =>
  db
    .selectFrom('comments')
    .where('workspace_key', '=', workspaceKey)
    .where('post_key', '=', postKey)
    .select(['key', 'id'])
    .execute()

/**
 * Deletes a comment, also its content in the log and in stored answers. While it has replies it keeps its place, without
 * content; the last reply takes it along. Says whether the parent went that way.
 */
export async function deleteComment(
  db: Writer,
  viewer: Viewer,
  comment: CommentRow,
  now: number,
): Promise<{ parentGoes: boolean }> {
  const removed = await removeComment(db, viewer, comment, now)
  await resetActivityRevision(db, comment.post_key)
  return removed
}

/** What happened to a post last, without what was deleted. */
const latestRevision = sql<number>`(SELECT max(revision) FROM (SELECT own_revision AS revision UNION ALL
  SELECT max(m.revision) FROM comments AS m WHERE m.post_key = posts.key AND m.is_deleted = 0) AS activities)`

const resetActivityRevision = (db: Writer, postKey: number) =>
  db.updateTable('posts').set({ activity_revision: latestRevision }).where('key', '=', postKey).execute()

async function removeComment(
  db: Writer,
  viewer: Viewer,
  comment: CommentRow,
  now: number,
): Promise<{ parentGoes: boolean }> {
  await redactRecords(db, viewer.workspace.key, [comment.id])
  await redactResolvedComment(db, viewer.workspace.key, comment.post_id, comment.id)
  await removeDocuments(db, 'comment', [comment.key])
  await removeReferences(db, 'comment', [comment.key], now)
  await deleteReactions(db, 'comment', [comment.key])
  await forgetReactionsTo(db, comment.author_key, { kind: 'post', key: comment.post_key }, comment.key)
  await db
    .updateTable('posts')
    .set({ resolved_comment_key: 0, answer_deleted_at: now })
    .where('key', '=', comment.post_key)
    .where('resolved_comment_key', '=', comment.key)
    .execute()
  if (comment.replies_count > 0) {
    await emptyComment(db, comment)
    return { parentGoes: false }
  }
  await removeRow(db, comment.key)
  if (comment.parent_key === 0) {
    await addToPost(db, comment.post_key, { comments: -1, roots: -1 })
    return { parentGoes: false }
  }
  const parent = await addReplies(db, comment.parent_key, -1)
  const parentGoes = parent.is_deleted && parent.replies_count === 0
  if (parentGoes) await removeRow(db, comment.parent_key)
  await addToPost(db, comment.post_key, parentGoes ? { comments: -2, roots: -1 } : { comments: -1, roots: 0 })
  return { parentGoes }
}

async function emptyComment(db: Writer, { key, id, created_at, post_id }: CommentRow) {
  // One that has replies is on the top level: it has no parent.
  const fields = commentFields({ id, content: '', created_at, parent_id: null, post_id })
  await db
    .updateTable('comments')
    .set({ fields, markdown: '', is_deleted: true, edited_at: null })
    .where('key', '=', key)
    .execute()
}

const removeRow = (db: Writer, key: number) => db.deleteFrom('comments').where('key', '=', key).execute()

/** When a post is deleted, deletes its pin, and removes it from the saved posts of all members. */
async function deletePinAndSaves(db: Writer, postKey: number) {
  await db.deleteFrom('pins').where('post_key', '=', postKey).execute()
  await db.deleteFrom('saved_posts').where('post_key', '=', postKey).execute()
}
