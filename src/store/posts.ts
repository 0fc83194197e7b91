import type { SelectQueryBuilder } from 'kysely'
import { seesPublic, type Viewer } from '../domain/permissions'
import type { AuthorRow } from './authors'
import { addToChannel, type ChannelRow } from './channels'
import { type Reader, type SlotFor, slotsFor, type Writer } from './db'
import type { Branch, Ranges } from './keyset'
import { redactRecords } from './redaction'

/** A post with everything its record shows. */
export interface PostRow extends AuthorRow {
  key: number
  id: string
  title: string
  content: string
  published_at: number
  last_activity_at: number
  comments_count: number
  channel_key: number
  is_listed: number
  channel_id: string
  channel_name: string
  author_key: number
  resolved_at: number | null
  resolved_html: string | null
  resolver: string | null
  answer_id: string | null
  answer_content: string | null
  answer_created_at: number | null
  answer_replies_count: number | null
  answer_parent_id: string | null
  answer_author: string | null
}

export type PostSort = 'published_at' | 'last_activity_at'

// biome-ignore lint/suspicious/noExplicitAny: any query that has the tables `p` and `c`
const withRecord = (query: SelectQueryBuilder<any, any, any>) =>
  query
    .innerJoin('authors as a', 'a.key', 'p.author_key')
    .leftJoin('authors as r', 'r.key', 'p.resolved_by_key')
    .leftJoin('comments as rc', 'rc.key', 'p.resolved_comment_key')
    .leftJoin('comments as rcp', 'rcp.key', 'rc.parent_key')
    .leftJoin('authors as rca', 'rca.key', 'rc.author_key')
    .select([
      ...[
        'p.key',
        'p.is_listed',
        'p.id',
        'p.title',
        'p.content',
        'p.published_at',
        'p.last_activity_at',
        'p.comments_count',
      ],
      ...['p.channel_key', 'c.id as channel_id', 'c.name as channel_name', 'p.author_key', 'a.card as author'],
      ...['p.resolved_at', 'p.resolved_html', 'r.card as resolver', 'rc.id as answer_id'],
      ...[
        'rc.content as answer_content',
        'rc.created_at as answer_created_at',
        'rc.replies_count as answer_replies_count',
      ],
      ...['rcp.id as answer_parent_id', 'rca.card as answer_author'],
    ])

const withChannel = (db: Reader) => db.selectFrom('posts as p').innerJoin('channels as c', 'c.key', 'p.channel_key')

/** The post with this id, if this viewer may see it. Every read of one post starts here. */
const seenPost = (db: Reader, seesAll: boolean, slot: SlotFor) =>
  withChannel(db)
    .leftJoin('channel_members as cm', (join) =>
      join.onRef('cm.channel_key', '=', 'p.channel_key').on('cm.author_key', '=', slot<number>('author')),
    )
    .where('p.workspace_key', '=', slot<number>('workspace'))
    .where('p.id', '=', slot<string>('id'))
    .where('c.archived_at', 'is', null)
    .where((eb) =>
      seesAll
        ? eb.or([eb('c.is_private', '=', 0), eb('cm.author_key', 'is not', null)])
        : eb('cm.author_key', 'is not', null),
    )

const asSeenBy = (viewer: Viewer, id: string) => ({ workspace: viewer.workspace.key, author: viewer.author.key, id })

/** A post this viewer may see. */
export async function findPost(db: Reader, viewer: Viewer, id: string): Promise<PostRow | undefined> {
  const all = seesPublic(viewer)
  const build = (slot: SlotFor) => withRecord(seenPost(db, all, slot))
  const [post] = await db.prepared<PostRow>(`posts.find ${all}`, build, asSeenBy(viewer, id))
  return post
}

/** Where a comment goes, and its author as its record shows them. */
export interface Commented extends AuthorRow {
  key: number
  channel_key: number
}

/** A post this viewer may see, for a comment of theirs. */
export async function findCommented(db: Reader, viewer: Viewer, id: string): Promise<Commented | undefined> {
  const all = seesPublic(viewer)
  const build = (slot: SlotFor) =>
    seenPost(db, all, slot)
      .innerJoin('authors as me', (join) => join.on('me.key', '=', slot<number>('author')))
      .select(['p.key', 'p.channel_key', 'me.card as author'])
  const [post] = await db.prepared<Commented>(`posts.commented ${all}`, build, asSeenBy(viewer, id))
  return post
}

/** The Markdown a post was written in. */
export const findPostMarkdown = async (db: Reader, key: number): Promise<string> =>
  (await db.selectFrom('posts').where('key', '=', key).select('markdown').executeTakeFirstOrThrow()).markdown

/** The note a post was resolved with; empty where there is none. */
export const findResolutionMarkdown = async (db: Reader, key: number): Promise<string> =>
  (await db.selectFrom('posts').where('key', '=', key).select('resolved_markdown').executeTakeFirstOrThrow())
    .resolved_markdown ?? ''

/** The posts in these ranges, as a list in this order. */
export const postRanges = (branches: readonly Branch[], sort: PostSort): Ranges => ({
  table: 'posts',
  key: 'key',
  at: sort,
  id: 'id',
  branches,
})

/** The posts with these keys, for a viewer who was found to see them. */
export const findPosts = (db: Reader, keys: readonly number[]): Promise<PostRow[]> =>
  db.prepared<PostRow>(
    `posts.findMany ${keys.length}`,
    (slot) => withRecord(withChannel(db).where('p.key', 'in', slotsFor(keys, slot))),
    { ...keys },
  )

export interface NewPost {
  id: string
  workspace_key: number
  author_key: number
  title: string
  content: string
  markdown: string
  published_at: number
}

const unresolved = {
  is_resolved: 0,
  resolved_at: null,
  resolved_html: null,
  resolved_markdown: null,
  resolved_by_key: 0,
  resolved_comment_key: 0,
}

export async function insertPost(db: Writer, channel: ChannelRow, post: NewPost) {
  await db.prepared(
    'posts.insert',
    (slot) =>
      db.insertInto('posts').values({
        id: slot<string>('id'),
        workspace_key: slot<number>('workspace_key'),
        channel_key: slot<number>('channel_key'),
        author_key: slot<number>('author_key'),
        title: slot<string>('title'),
        content: slot<string>('content'),
        markdown: slot<string>('markdown'),
        published_at: slot<number>('published_at'),
        last_activity_at: slot<number>('published_at'),
        is_listed: slot<number>('is_listed'),
        comments_count: 0,
        root_comments_count: 0,
        ...unresolved,
      }),
    { ...post, channel_key: channel.key, is_listed: channel.is_listed },
  )
  await addToChannel(db, channel.key, { posts: 1 })
}

export const setPostText = (db: Writer, key: number, text: { title?: string; content?: string; markdown?: string }) =>
  db.updateTable('posts').set(text).where('key', '=', key).execute()

/** Deletes a post with its comments, and what the log and stored answers hold of their content. */
export async function deletePost(db: Writer, viewer: Viewer, post: PostRow) {
  const workspaceKey = viewer.workspace.key
  await redactRecords(db, workspaceKey, [post.id, ...(await listCommentIds(db, workspaceKey, post.key))])
  await db.deleteFrom('comments').where('workspace_key', '=', workspaceKey).where('post_key', '=', post.key).execute()
  await db.deleteFrom('posts').where('key', '=', post.key).execute()
  await addToChannel(db, post.channel_key, { posts: -1, resolved: post.resolved_at === null ? 0 : -1 })
}

async function listCommentIds(db: Reader, workspaceKey: number, postKey: number): Promise<string[]> {
  const comments = await db
    .selectFrom('comments')
    .where('workspace_key', '=', workspaceKey)
    .where('post_key', '=', postKey)
    .select('id')
    .execute()
  return comments.map(({ id }) => id)
}

export interface NewResolution {
  resolved_at: number
  resolved_html: string | null
  resolved_markdown: string | null
  resolved_by_key: number
  resolved_comment_key: number
}

export async function setResolution(db: Writer, post: PostRow, resolution: NewResolution) {
  await db
    .updateTable('posts')
    .set({ ...resolution, is_resolved: 1, last_activity_at: resolution.resolved_at })
    .where('key', '=', post.key)
    .execute()
  if (post.resolved_at === null) await addToChannel(db, post.channel_key, { resolved: 1 })
}

export async function clearResolution(db: Writer, post: PostRow, now: number) {
  await db
    .updateTable('posts')
    .set({ ...unresolved, last_activity_at: now })
    .where('key', '=', post.key)
    .execute()
  await addToChannel(db, post.channel_key, { resolved: -1 })
}
