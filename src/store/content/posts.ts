import { sql } from 'kysely'
import type { Post, Resolution } from '../../contract/posts'
import type { Viewer } from '../../domain/permissions'
import { canSeeChannel, viewerKeysOf, viewerParams } from '../access/visibility'
import { type ParamFor, prepare, type Reader, type RowOf, type Writer } from '../engines/db'
import type { SqlSyntax } from '../engines/syntax'
import { definePages, type ListedRecord } from '../lists/list'
import {
  author,
  type Json,
  number,
  object,
  optionalText,
  plain,
  select,
  text,
  toSql,
  url,
  when,
} from '../lists/record-json'
import { addToChannel, type ChannelRow } from './channels'
import { commentJson } from './comments'

export type PostSort = 'published_at' | 'last_activity_at'

/** The tables of a post, besides `posts` as `p`: `channels` as `c`, `authors` as `a` and `post_activity` as `n`. */
const joinRecord = sql`JOIN channels AS c ON c.key = p.channel_key JOIN authors AS a ON a.key = p.author_key
  JOIN post_activity AS n ON n.post_key = p.key`

/** A post as its record shows it, from `p`, `c`, `a` and `n`. */
export const postJson = (syntax: SqlSyntax, base: string): Json<Post> =>
  object<Post>({
    id: plain('p.id'),
    title: text(syntax, 'p.title'),
    created_at: plain('p.published_time'),
    content: text(syntax, 'p.content'),
    last_activity_at: plain('n.last_activity_time'),
    comments_count: number('n.comments_count'),
    url: url(base, '/posts/', 'p.id'),
    channel: object<Post['channel']>({ id: plain('c.id'), name: text(syntax, 'c.name') }),
    author: author(syntax, base, 'a'),
    resolution: when(sql`p.is_resolved = 1`, resolutionJson(syntax, base)),
  })

const resolutionJson = (syntax: SqlSyntax, base: string): Json<Resolution> =>
  select(
    object<Resolution>({
      resolved_at: plain('p.resolved_time'),
      resolved_html: optionalText(syntax, 'p.resolved_html'),
      resolved_by: author(syntax, base, 'r'),
      resolved_comment: when(
        sql`p.resolved_comment_key <> 0`,
        select(
          commentJson(syntax, base),
          sql`comments AS m JOIN authors AS a ON a.key = m.author_key WHERE m.key = p.resolved_comment_key`,
        ),
      ),
    }),
    sql`authors AS r WHERE r.key = p.resolved_by_key`,
  )

/** The bytes of what people wrote in a post. A resolution shows a note and a comment. */
const postSize = sql<number>`(octet_length(p.content) + CASE WHEN p.is_resolved = 0 THEN 0 ELSE
  coalesce(octet_length(p.resolved_html), 0) + coalesce((SELECT octet_length(m.content) FROM comments AS m
    WHERE p.resolved_comment_key <> 0 AND m.key = p.resolved_comment_key), 0) END)`

/** A post in a list, of which `k` has the key. */
export const listedPost = (syntax: SqlSyntax, base: string): ListedRecord & { json: Json<Post> } => ({
  json: postJson(syntax, base),
  joins: sql`JOIN posts AS p ON p.key = k.key ${joinRecord}`,
  size: postSize,
})

export const readPostsPage = definePages(listedPost)

/** The post with this id, if the viewer may see it. */
function visiblePost(db: Reader, param: ParamFor, seesPublic: boolean) {
  const viewer = viewerParams(param, seesPublic)
  return db
    .selectFrom('posts as p')
    .innerJoin('channels as c', 'c.key', 'p.channel_key')
    .where('p.workspace_key', '=', viewer.workspace)
    .where('p.id', '=', param<string>('id'))
    .where(canSeeChannel('c', viewer))
}

const postById = prepare((db, param, base: string, seesPublic: boolean) =>
  visiblePost(db, param, seesPublic)
    .innerJoin('authors as a', 'a.key', 'p.author_key')
    .innerJoin('post_activity as n', 'n.post_key', 'p.key')
    .select(['p.key', 'p.id', 'p.workspace_key', 'p.channel_key', 'p.author_key', 'p.is_resolved'])
    .select(toSql(postJson(db.syntax, base)).as('record')),
)

/** What is needed to do something to a post, and its record as JSON. */
export type PostRow = RowOf<typeof postById>

/** A post this viewer may see. */
export async function findPost(db: Reader, viewer: Viewer, base: string, id: string): Promise<PostRow | undefined> {
  const { seesPublic, ...keys } = viewerKeysOf(viewer)
  const [post] = await postById(db, [base, seesPublic], { ...keys, id })
  return post
}

const commentedPostById = prepare((db, param, seesPublic: boolean) =>
  visiblePost(db, param, seesPublic)
    .innerJoin('post_activity as n', 'n.post_key', 'p.key')
    .select(['p.key', 'p.channel_key', 'n.comments_count', 'n.root_comments_count']),
)

/** Where the comments of a post are, and how many, in all and on its top level. */
export type CommentedPost = RowOf<typeof commentedPostById>

/** A post this viewer may see, for its comments. */
export async function findCommentedPost(db: Reader, viewer: Viewer, id: string): Promise<CommentedPost | undefined> {
  const { seesPublic, ...keys } = viewerKeysOf(viewer)
  const [post] = await commentedPostById(db, [seesPublic], { ...keys, id })
  return post
}

/** The Markdown a post was written in. */
export const findPostMarkdown = async (db: Reader, key: number): Promise<string> =>
  (await db.selectFrom('posts').where('key', '=', key).select('markdown').executeTakeFirstOrThrow()).markdown

export interface NewPost {
  id: string
  workspace_key: number
  author_key: number
  title: string
  content: string
  markdown: string
  published_at: number
  revision: number
  via: string | null
}

/** The columns of a post that is not resolved. */
const unresolved = {
  is_resolved: false,
  resolved_at: null,
  resolved_html: null,
  resolved_markdown: null,
  resolved_by_key: 0,
  resolved_comment_key: 0,
  resolved_via: null,
  answer_deleted_at: null,
}

const insertStatement = prepare((db, param) =>
  db
    .insertInto('posts')
    .values({
      id: param<string>('id'),
      workspace_key: param<number>('workspace_key'),
      channel_key: param<number>('channel_key'),
      author_key: param<number>('author_key'),
      title: param<string>('title'),
      content: param<string>('content'),
      markdown: param<string>('markdown'),
      published_at: param<number>('published_at'),
      is_listed: param<boolean>('is_listed'),
      via: param<string | null>('via'),
      ...unresolved,
    })
    .returning('key'),
)

const insertActivity = prepare((db, param) =>
  db.insertInto('post_activity').values({
    post_key: param<number>('post_key'),
    post_id: param<string>('id'),
    workspace_key: param<number>('workspace_key'),
    channel_key: param<number>('channel_key'),
    author_key: param<number>('author_key'),
    is_listed: param<boolean>('is_listed'),
    is_resolved: false,
    last_activity_at: param<number>('published_at'),
    comments_count: 0,
    root_comments_count: 0,
    activity_revision: param<number>('revision'),
    own_revision: param<number>('revision'),
  }),
)

export async function insertPost(db: Writer, channel: ChannelRow, post: NewPost) {
  const values = { ...post, channel_key: channel.key, is_listed: channel.is_listed }
  const [inserted] = await insertStatement(db, [], values)
  await insertActivity(db, [], { ...values, post_key: inserted!.key })
  await countPost(db, values, { posts: 1 })
}

/** `editedAt` is undefined if its readers see no difference. */
export const setPostText = (
  db: Writer,
  key: number,
  { title, content, markdown }: Pick<NewPost, 'title' | 'content' | 'markdown'>,
  editedAt: number | undefined,
) => db.updateTable('posts').set({ title, content, markdown, edited_at: editedAt }).where('key', '=', key).execute()

/** Counts a post in or out of its channel, and of the posts of its author there. */
export async function countPost(db: Writer, post: PostKeys, change: { posts?: number; resolved?: number }) {
  await addToChannel(db, post.channel_key, change)
  await addToAuthorPosts(db, post, change)
}

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
interface PostKeys {
  workspace_key: number
  author_key: number
  channel_key: number
}

/** Adds to the number of posts of an author in a channel, or subtracts from it. */
export const addToAuthorPosts = (
  db: Writer,
  { workspace_key, author_key, channel_key }: PostKeys,
  { posts = 0, resolved = 0 }: { posts?: number; resolved?: number },
) => addCounts(db, [], { workspace_key, author_key, channel_key, posts, resolved })

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
  await db
    .updateTable('posts')
    .set({ ...resolution, is_resolved: true, answer_deleted_at: null })
    .where('key', '=', post.key)
    .execute()
  await setActive(db, post, { is_resolved: true, at: resolution.resolved_at, revision })
  if (!post.is_resolved) await countPost(db, post, { resolved: 1 })
}

export async function clearResolution(db: Writer, post: PostRow, now: number, revision: number) {
  await db.updateTable('posts').set(unresolved).where('key', '=', post.key).execute()
  await setActive(db, post, { is_resolved: false, at: now, revision })
  await countPost(db, post, { resolved: -1 })
}

/** Notes that something happened to the post itself. */
const setActive = (
  db: Writer,
  { key }: PostRow,
  { is_resolved, at, revision }: { is_resolved: boolean; at: number; revision: number },
) =>
  db
    .updateTable('post_activity')
    .set({ is_resolved, last_activity_at: at, activity_revision: revision, own_revision: revision })
    .where('post_key', '=', key)
    .execute()

/** A post from the JSON that the database makes of it. */
export const toPost = ({ record }: { record: string }): Post => JSON.parse(record)
