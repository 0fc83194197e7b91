import type { Viewer } from '../../domain/permissions'
import { deleteAttention } from '../attention/follows'
import { inBatches } from '../engines/bulk'
import type { Reader, Writer } from '../engines/db'
import { removeReferences } from '../files/references'
import { countPost, type PostRow } from '../posts'
import { deleteReactions } from '../reactions'
import { redactRecords } from '../redaction'
import { deletePinAndSaves } from '../saved-deletion'
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
