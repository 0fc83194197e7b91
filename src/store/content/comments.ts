import { sql } from 'kysely'
import type { Comment } from '../../contract/comments'
import { type Links, toAuthor } from '../../domain/links'
import type { Viewer } from '../../domain/permissions'
import { timestamp } from '../../domain/timestamps'
import { canSeeChannel, viewerKeysOf, viewerParams } from '../access/visibility'
import { prepare, type Reader, type RowOf, type Writer } from '../engines/db'
import type { SqlSyntax } from '../engines/syntax'
import { definePages } from '../lists/list'
import type { IndexRange, IndexRanges } from '../lists/ranges'
import { author, type Json, literal, number, object, plain, select, text, toSql, when } from '../lists/record-json'

/** A comment as its record shows it, from `comments` as `m`, `authors` as `a` and `posts` as `p`. */
export const commentJson = (syntax: SqlSyntax, base: string): Json<Comment> =>
  object<Comment>({
    id: plain('m.id'),
    content: text(syntax, 'm.content'),
    created_at: plain('m.created_time'),
    parent_id: when(
      sql`m.parent_key <> 0`,
      select(plain('parent.id'), sql`comments AS parent WHERE parent.key = m.parent_key`),
    ),
    subject_id: plain('p.id'),
    subject_type: literal('post'),
    replies_count: number('m.replies_count'),
    author: author(syntax, base, 'a'),
  })

export const readCommentsPage = definePages((syntax, base) => ({
  json: commentJson(syntax, base),
  joins: sql`JOIN comments AS m ON m.key = k.key JOIN authors AS a ON a.key = m.author_key
    JOIN posts AS p ON p.key = m.post_key`,
  size: sql<number>`octet_length(m.content)`,
}))

const commentById = prepare((db, param, base: string, seesPublic: boolean) => {
  const viewer = viewerParams(param, seesPublic)
  return db
    .selectFrom('comments as m')
    .innerJoin('posts as p', 'p.key', 'm.post_key')
    .innerJoin('channels as c', 'c.key', 'p.channel_key')
    .innerJoin('authors as a', 'a.key', 'm.author_key')
    .where('m.workspace_key', '=', viewer.workspace)
    .where('m.id', '=', param<string>('id'))
    .where(canSeeChannel('c', viewer))
    .select(['m.key', 'm.id', 'm.created_at', 'm.replies_count', 'm.parent_key', 'm.author_key', 'm.is_deleted'])
    .select([
      'm.post_key',
      'm.revision',
      'p.id as post_id',
      'p.channel_key',
      toSql(commentJson(db.syntax, base)).as('record'),
    ])
})

/** What is needed to do something to a comment, and its record as JSON. */
export type CommentRow = RowOf<typeof commentById>

/** A comment this viewer may see: one whose post they may see. */
export async function findComment(
  db: Reader,
  viewer: Viewer,
  base: string,
  id: string,
): Promise<CommentRow | undefined> {
  const { seesPublic, ...keys } = viewerKeysOf(viewer)
  const [comment] = await commentById(db, [base, seesPublic], { ...keys, id })
  return comment
}

export const findCommentMarkdown = async (db: Reader, key: number): Promise<string> =>
  (await db.selectFrom('comments').where('key', '=', key).select('markdown').executeTakeFirstOrThrow()).markdown

/** The comments of a post; with a parent key only its replies, with 0 only the top level. */
export function commentRanges(viewer: Viewer, postKey: number, parentKey: number | undefined): IndexRanges {
  const all = { workspace_key: viewer.workspace.key, post_key: postKey }
  const range: IndexRange = parentKey === undefined ? all : { ...all, parent_key: parentKey }
  return { table: 'comments', key: 'key', at: 'created_at', id: 'id', ranges: [range] }
}

/** What the record of a comment shows, but its author and replies. */
interface OwnComment {
  id: string
  content: string
  created_at: number
  parent_id: string | null
  post_id: string
}

export interface NewComment extends OwnComment {
  workspace_key: number
  post_key: number
  parent_key: number
  author_key: number
  revision: number
  markdown: string
  via: string | null
}

const insertStatement = prepare((db, param) =>
  db.insertInto('comments').values({
    id: param<string>('id'),
    workspace_key: param<number>('workspace_key'),
    post_key: param<number>('post_key'),
    parent_key: param<number>('parent_key'),
    author_key: param<number>('author_key'),
    content: param<string>('content'),
    markdown: param<string>('markdown'),
    created_at: param<number>('created_at'),
    revision: param<number>('revision'),
    via: param<string | null>('via'),
    replies_count: 0,
    is_deleted: false,
  }),
)

export async function insertComment(db: Writer, comment: NewComment) {
  await insertStatement(db, [], { ...comment })
  if (comment.parent_key) await addReplies(db, comment.parent_key, 1)
  await addToPost(db, comment.post_key, { comments: 1, roots: comment.parent_key ? 0 : 1 }, comment)
}

/** Changes how many replies a comment has. */
export const addReplies = (db: Writer, key: number, change: number) =>
  db
    .updateTable('comments')
    .set({ replies_count: sql`replies_count + ${change}` })
    .where('key', '=', key)
    .returning(['replies_count', 'is_deleted'])
    .executeTakeFirstOrThrow()

const addStatement = prepare((db, param) =>
  db
    .updateTable('post_activity')
    .set({
      comments_count: sql`comments_count + ${param<number>('comments')}`,
      root_comments_count: sql`root_comments_count + ${param<number>('roots')}`,
      last_activity_at: sql`CASE WHEN last_activity_at < ${param<number>('at')} THEN ${param<number>('at')}
        ELSE last_activity_at END`,
      activity_revision: sql`CASE WHEN activity_revision < ${param<number>('revision')} THEN ${param<number>('revision')}
        ELSE activity_revision END`,
    })
    .where('post_key', '=', param<number>('key')),
)

type Activity = Pick<NewComment, 'created_at' | 'revision'>

/** Changes the comment counts of a post. Only added comments update its last activity. */
export const addToPost = (
  db: Writer,
  key: number,
  change: { comments: number; roots: number },
  { created_at, revision }: Activity = { created_at: 0, revision: 0 },
) => addStatement(db, [], { key, ...change, at: created_at, revision })

/** `editedAt` is undefined if its readers see no difference. */
export const setCommentText = (
  db: Writer,
  key: number,
  { content, markdown }: Pick<NewComment, 'content' | 'markdown'>,
  editedAt: number | undefined,
) => db.updateTable('comments').set({ content, markdown, edited_at: editedAt }).where('key', '=', key).execute()

/** A comment from the JSON that the database makes of it. */
export const toComment = ({ record }: { record: string }): Comment => JSON.parse(record)

/** The record of a new comment, without reading it back. */
export const toNewComment = (links: Links, comment: OwnComment, author: string): Comment => ({
  id: comment.id,
  content: comment.content,
  created_at: timestamp(comment.created_at),
  parent_id: comment.parent_id,
  subject_id: comment.post_id,
  subject_type: 'post',
  replies_count: 0,
  author: toAuthor(links, author),
})
