import { sql } from 'kysely'
import type { Post, Resolution } from '../../contract/posts'
import type { Viewer } from '../../domain/permissions'
import {
  type PostActivity,
  type PostFields,
  postActivity,
  postFields,
  type ResolutionFields,
  resolutionFields,
} from '../../domain/record-fields'
import { canSeeChannel, viewerKeysOf, viewerParams } from '../access/visibility'
import { type ParamFor, prepare, type Reader, type RowOf, type Writer } from '../engines/db'
import { preparePages } from '../lists/list'
import { authorJson, concatJson, objectJson, urlStart } from '../lists/record-json'
import { addToChannel, type ChannelRow } from './channels'
import { commentJson } from './comments'

export type PostSort = 'published_at' | 'last_activity_at'

/** A post as its record shows it, from `posts` as `p`, `channels` as `c` and `authors` as `a`. */
export const postJson = (base: string) =>
  concatJson(
    ...objectJson<Omit<Post, keyof PostFields | keyof PostActivity>>([sql.ref('p.fields'), sql.ref('p.activity')], {
      url: [urlStart(base, '/posts/'), sql.ref('p.id'), '"'],
      channel: ['{', sql.ref('c.fields'), '}'],
      author: authorJson('a', base),
      resolution: [sql`CASE WHEN p.is_resolved = 0 THEN 'null' ELSE ${resolutionJson(base)} END`],
    }),
  )

const resolutionJson = (base: string) =>
  sql`(SELECT ${concatJson(
    ...objectJson<Omit<Resolution, keyof ResolutionFields>>([sql.ref('p.resolution')], {
      resolved_by: authorJson('r', base),
      resolved_comment: [sql`CASE WHEN p.resolved_comment_key = 0 THEN 'null' ELSE ${resolvedCommentJson(base)} END`],
    }),
  )} FROM authors AS r WHERE r.key = p.resolved_by_key)`

const resolvedCommentJson = (base: string) =>
  sql`(SELECT ${commentJson(base)} FROM comments AS m JOIN authors AS a ON a.key = m.author_key
    WHERE m.key = p.resolved_comment_key)`

const joinRecord = sql`JOIN channels AS c ON c.key = p.channel_key JOIN authors AS a ON a.key = p.author_key`

export const readPostsPage = preparePages((base) => ({
  json: postJson(base),
  joins: sql`JOIN posts AS p ON p.key = k.key ${joinRecord}`,
}))

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
    .select(['p.key', 'p.id', 'p.workspace_key', 'p.channel_key', 'p.author_key', 'p.is_resolved'])
    .select(['p.comments_count', postJson(base).as('record')]),
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
  visiblePost(db, param, seesPublic).select(['p.key', 'p.channel_key', 'p.comments_count', 'p.root_comments_count']),
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
  resolution: null,
  resolved_markdown: null,
  resolved_by_key: 0,
  resolved_comment_key: 0,
  resolved_via: null,
  answer_deleted_at: null,
}

const insertStatement = prepare((db, param) =>
  db.insertInto('posts').values({
    id: param<string>('id'),
    workspace_key: param<number>('workspace_key'),
    channel_key: param<number>('channel_key'),
    author_key: param<number>('author_key'),
    activity: param<string>('activity'),
    fields: param<string>('fields'),
    markdown: param<string>('markdown'),
    published_at: param<number>('published_at'),
    last_activity_at: param<number>('published_at'),
    activity_revision: param<number>('revision'),
    own_revision: param<number>('revision'),
    is_listed: param<boolean>('is_listed'),
    via: param<string | null>('via'),
    comments_count: 0,
    root_comments_count: 0,
    ...unresolved,
  }),
)

export async function insertPost(db: Writer, channel: ChannelRow, { title, content, ...post }: NewPost) {
  const { id, published_at } = post
  await insertStatement(db, [], {
    ...post,
    channel_key: channel.key,
    is_listed: channel.is_listed,
    fields: postFields({ id, title, content, published_at }),
    activity: postActivity({ last_activity_at: published_at, comments_count: 0 }),
  })
  await countPost(db, { ...post, channel_key: channel.key }, { posts: 1 })
}

/** `editedAt` is undefined if its readers see no difference. */
export const setPostText = (
  db: Writer,
  key: number,
  { markdown, ...fields }: Omit<NewPost, 'workspace_key' | 'author_key' | 'revision' | 'via'>,
  editedAt: number | undefined,
) =>
  db
    .updateTable('posts')
    .set({ fields: postFields(fields), markdown, edited_at: editedAt })
    .where('key', '=', key)
    .execute()

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

/** A post from the JSON that the database makes of it. */
export const toPost = ({ record }: { record: string }): Post => JSON.parse(record)
