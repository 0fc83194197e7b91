import { type SelectQueryBuilder, sql } from 'kysely'
import { seesPublic, type Viewer } from '../domain/permissions'
import type { AuthorRow } from './authors'
import { type Reader, slotsFor, type Writer } from './db'
import type { Branch, Ranges } from './keyset'
import { redactRecords, redactResolvedComment } from './redaction'

/** A comment with everything its record shows. */
export interface CommentRow extends AuthorRow {
  key: number
  id: string
  content: string
  created_at: number
  replies_count: number
  parent_key: number
  parent_id: string | null
  post_key: number
  post_id: string
  channel_key: number
  author_key: number
  is_deleted: number
}

// biome-ignore lint/suspicious/noExplicitAny: any query that has the table `m`
const withRecord = (query: SelectQueryBuilder<any, any, any>) =>
  query
    .innerJoin('posts as p', 'p.key', 'm.post_key')
    .innerJoin('authors as a', 'a.key', 'm.author_key')
    .leftJoin('comments as parent', 'parent.key', 'm.parent_key')
    .select([
      ...['m.key', 'm.id', 'm.content', 'm.created_at', 'm.replies_count', 'm.is_deleted'],
      ...['m.parent_key', 'parent.id as parent_id', 'm.post_key', 'p.id as post_id', 'p.channel_key'],
      ...['m.author_key', 'a.card as author'],
    ])

/** A comment this viewer may see: one whose post they may see. */
export async function findComment(db: Reader, viewer: Viewer, id: string): Promise<CommentRow | undefined> {
  const all = seesPublic(viewer)
  const [comment] = await db.prepared<CommentRow>(
    `comments.find ${all}`,
    (slot) =>
      withRecord(
        db
          .selectFrom('comments as m')
          .where('m.workspace_key', '=', slot<number>('workspace'))
          .where('m.id', '=', slot<string>('id')),
      )
        .innerJoin('channels as c', 'c.key', 'p.channel_key')
        .leftJoin('channel_members as cm', (join) =>
          join.onRef('cm.channel_key', '=', 'p.channel_key').on('cm.author_key', '=', slot<number>('author')),
        )
        .where('c.archived_at', 'is', null)
        .where((eb) =>
          all
            ? eb.or([eb('c.is_private', '=', 0), eb('cm.author_key', 'is not', null)])
            : eb('cm.author_key', 'is not', null),
        ),
    { workspace: viewer.workspace.key, author: viewer.author.key, id },
  )
  return comment
}

export const findCommentMarkdown = async (db: Reader, key: number): Promise<string> =>
  (await db.selectFrom('comments').where('key', '=', key).select('markdown').executeTakeFirstOrThrow()).markdown

/** How many comments a post has, in all and on its top level. */
export const findCommentCounts = (db: Reader, postKey: number) =>
  db
    .selectFrom('posts')
    .where('key', '=', postKey)
    .select(['comments_count', 'root_comments_count'])
    .executeTakeFirstOrThrow()

/** The comments of a post; with a parent key only its replies, with 0 only the top level. */
export function commentRanges(viewer: Viewer, postKey: number, parentKey: number | undefined): Ranges {
  const all = { workspace_key: viewer.workspace.key, post_key: postKey }
  const branch: Branch = parentKey === undefined ? all : { ...all, parent_key: parentKey }
  return { table: 'comments', key: 'key', at: 'created_at', id: 'id', branches: [branch] }
}

/** The comments with these keys, for a viewer who was found to see them. */
export const findComments = (db: Reader, keys: readonly number[]): Promise<CommentRow[]> =>
  db.prepared<CommentRow>(
    `comments.findMany ${keys.length}`,
    (slot) => withRecord(db.selectFrom('comments as m').where('m.key', 'in', slotsFor(keys, slot))),
    { ...keys },
  )

export interface NewComment {
  id: string
  workspace_key: number
  post_key: number
  parent_key: number
  author_key: number
  content: string
  markdown: string
  created_at: number
}

export async function insertComment(db: Writer, comment: NewComment) {
  await db.prepared(
    'comments.insert',
    (slot) =>
      db.insertInto('comments').values({
        id: slot<string>('id'),
        workspace_key: slot<number>('workspace_key'),
        post_key: slot<number>('post_key'),
        parent_key: slot<number>('parent_key'),
        author_key: slot<number>('author_key'),
        content: slot<string>('content'),
        markdown: slot<string>('markdown'),
        created_at: slot<number>('created_at'),
        replies_count: 0,
        is_deleted: 0,
      }),
    { ...comment },
  )
  if (comment.parent_key) await addReplies(db, comment.parent_key, 1)
  await addToPost(db, comment.post_key, { comments: 1, roots: comment.parent_key ? 0 : 1 }, comment.created_at)
}

const addReplies = (db: Writer, key: number, change: number) =>
  db
    .updateTable('comments')
    .set({ replies_count: sql`replies_count + ${change}` })
    .where('key', '=', key)
    .returning(['replies_count', 'is_deleted'])
    .executeTakeFirstOrThrow()

const addToPost = (db: Writer, key: number, change: { comments: number; roots: number }, activeAt: number) =>
  db.prepared(
    'posts.addComments',
    (slot) =>
      db
        .updateTable('posts')
        .set({
          comments_count: sql`comments_count + ${slot<number>('comments')}`,
          root_comments_count: sql`root_comments_count + ${slot<number>('roots')}`,
          last_activity_at: sql`CASE WHEN last_activity_at < ${slot<number>('activeAt')} THEN ${slot<number>('activeAt')} ELSE last_activity_at END`,
        })
        .where('key', '=', slot<number>('key')),
    { key, ...change, activeAt },
  )

export const setCommentText = (db: Writer, key: number, text: { content: string; markdown: string }) =>
  db.updateTable('comments').set(text).where('key', '=', key).execute()

/**
 * Deletes a comment, also its content in the log and in stored answers. While it has replies it keeps its place, without
 * content; the last reply takes it along. Says whether the parent went that way.
 */
export async function deleteComment(db: Writer, viewer: Viewer, comment: CommentRow): Promise<{ parentGoes: boolean }> {
  await redactRecords(db, viewer.workspace.key, [comment.id])
  await redactResolvedComment(db, viewer.workspace.key, comment.post_id, comment.id)
  await db
    .updateTable('posts')
    .set({ resolved_comment_key: 0 })
    .where('key', '=', comment.post_key)
    .where('resolved_comment_key', '=', comment.key)
    .execute()
  if (comment.replies_count > 0) {
    await db
      .updateTable('comments')
      .set({ content: '', markdown: '', is_deleted: 1 })
      .where('key', '=', comment.key)
      .execute()
    return { parentGoes: false }
  }
  await removeRow(db, comment.key)
  if (comment.parent_key === 0) {
    await addToPost(db, comment.post_key, { comments: -1, roots: -1 }, 0)
    return { parentGoes: false }
  }
  const parent = await addReplies(db, comment.parent_key, -1)
  const parentGoes = parent.is_deleted === 1 && parent.replies_count === 0
  if (parentGoes) await removeRow(db, comment.parent_key)
  await addToPost(db, comment.post_key, parentGoes ? { comments: -2, roots: -1 } : { comments: -1, roots: 0 }, 0)
  return { parentGoes }
}

const removeRow = (db: Writer, key: number) => db.deleteFrom('comments').where('key', '=', key).execute()
