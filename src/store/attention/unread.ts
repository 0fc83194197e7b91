import { type JoinBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import { excerptOf } from '../../contract/browser/excerpt'
import { MAX_UNREAD_COUNT, type PostState, type Preview, type ThreadState, type Unread } from '../../contract/unread'
import type { Links } from '../../domain/links'
import type { Viewer } from '../../domain/permissions'
import { type AttentionKind, attentionNumbers } from '../../domain/references'
import { timestamp, timestampOrNull } from '../../domain/timestamps'
import { canSeeChannel, viewerKeysOf, viewerParams } from '../access/visibility'
import { prepare, type Reader, type RowOf } from '../engines/db'
import { AUTHOR_SEPARATOR, optionalStoredAuthor, storedAuthor } from '../lists/record-json'
import { levelNames, levelNumbers } from './follows'
import { channelReadUpToText, isUnread, joinPosition, readUpTo, toFlag } from './reads'

/** How many posts of a channel, by their latest activity, are looked at. */
const MAX_POSTS = 500
/** How many threads of a member, by their latest activity, are looked at. */
const MAX_THREADS = 200

/** A row of `read_positions` or `follows` under this name is that of a member and a subject. */
const isRowOf =
  (name: string, kind: AttentionKind, subject: string, me: number) =>
  // biome-ignore lint/suspicious/noExplicitAny: the tables of the statement are the caller's.
  <J extends JoinBuilder<any, any>>(join: J): J =>
    join
      .on(sql.ref(`${name}.kind`), '=', sql.lit(attentionNumbers[kind]))
      .onRef(`${name}.subject_key`, '=', subject)
      .on(sql.ref(`${name}.author_key`), '=', me) as J

const isMuted = (follow: string) => sql<SqlBool>`coalesce(${sql.ref(`${follow}.level`)}, ${sql.lit(levelNumbers.all)})
  = ${sql.lit(levelNumbers.none)}`

const joinFollow = (name: string, kind: AttentionKind, subject: string, me: number) =>
  sql`LEFT JOIN follows AS ${sql.ref(name)} ON ${sql.ref(`${name}.kind`)} = ${sql.lit(attentionNumbers[kind])}
    AND ${sql.ref(`${name}.subject_key`)} = ${sql.ref(subject)} AND ${sql.ref(`${name}.author_key`)} = ${me}`

/** The number of rows of a query, up to the highest number that is told. In the order of an index it reads no more than these. */
const countUpToMax = (query: RawBuilder<unknown>): RawBuilder<number> =>
  sql`(SELECT count(*) FROM (${query} LIMIT ${sql.lit(MAX_UNREAD_COUNT)}) AS counted)`

/** How many comments or messages after the position are looked at: more than are told, because some are one's own or deleted. */
const MAX_ITEMS = 500

/** What is unread of a post or thread: `items` by others after the revision that was read, with their revisions. */
function unreadItems(items: RawBuilder<unknown>, readRevision: RawBuilder<unknown>, me: number) {
  return sql`FROM (SELECT m.id, m.revision, m.author_key FROM ${items} AND m.revision > ${readRevision}
    ORDER BY m.revision LIMIT ${sql.lit(MAX_ITEMS)}) AS newest WHERE newest.author_key <> ${me}`
}

const unreadChannels = prepare((_, param, seesPublic: boolean) => {
  const viewer = viewerParams(param, seesPublic)
  const { me } = viewer
  // Those that were marked as unread may be older than what was read of the channel; they are counted by themselves.
  const unread = sql`SELECT 1 FROM (SELECT p.post_key AS key, p.activity_revision FROM post_activity AS p
      WHERE p.channel_key = c.key AND p.activity_revision > ${sql.raw(channelReadUpToText('place', 'm'))}
      ORDER BY p.activity_revision DESC LIMIT ${sql.lit(MAX_POSTS)}) AS latest
    ${joinPosition('own', 'post', 'latest.key', me)} ${joinFollow('f', 'post', 'latest.key', me)}
    WHERE coalesce(own.is_marked_unread, 0) = 0 AND ${isUnread('latest.activity_revision', 'own', 'place', 'm')}
      AND NOT ${isMuted('f')}`
  const marked = sql`SELECT 1 FROM read_positions AS own JOIN post_activity AS p ON p.post_key = own.subject_key
    ${joinFollow('f', 'post', 'p.post_key', me)}
    WHERE own.author_key = ${me} AND own.channel_key = c.key AND own.is_marked_unread = 1
      AND own.kind = ${sql.lit(attentionNumbers.post)} AND ${isUnread('p.activity_revision', 'own', 'place', 'm')}
      AND NOT ${isMuted('f')}`
  return sql<{ id: string; level: number | null; is_chosen: boolean | null; unread_count: number }>`
    SELECT c.id, mine.level, mine.is_chosen,
      CASE WHEN ${isMuted('mine')} THEN 0 ELSE ${countUpToMax(unread)} + ${countUpToMax(marked)} END AS unread_count
    FROM channels AS c JOIN members AS m ON m.author_key = ${me}
    ${joinPosition('place', 'channel', 'c.key', me)} ${joinFollow('mine', 'channel', 'c.key', me)}
    WHERE c.workspace_key = ${viewer.workspace} AND ${canSeeChannel('c', viewer)} ORDER BY c.name_order, c.id`
})

/** The channels a member may see, with the number of unread posts. */
export function listUnreadChannels(db: Reader, viewer: Viewer) {
  const { seesPublic, ...keys } = viewerKeysOf(viewer)
  return unreadChannels(db, [seesPublic], keys)
}

const unreadThreads = prepare((_, param) => {
  const me = param<number>('me')
  const unread = sql`SELECT 1 ${unreadItems(sql`messages AS m WHERE m.thread_key = t.key`, readUpTo('own', 'own', 'mb'), me)}`
  return sql<{ id: string; level: number | null; unread_count: number }>`
    SELECT t.id, f.level, ${countUpToMax(unread)} AS unread_count
    FROM (SELECT thread_key, last_activity_at, thread_id FROM thread_members
      WHERE workspace_key = ${param<number>('workspace')} AND author_key = ${me}
      ORDER BY last_activity_at DESC, thread_id DESC LIMIT ${sql.lit(MAX_THREADS)}) AS latest
    JOIN threads AS t ON t.key = latest.thread_key JOIN members AS mb ON mb.author_key = ${me}
    ${joinPosition('own', 'thread', 't.key', me)} ${joinFollow('f', 'thread', 't.key', me)}
    WHERE ${isUnread('t.activity_revision', 'own', 'own', 'mb')} AND NOT ${isMuted('f')}
    ORDER BY latest.last_activity_at DESC, latest.thread_id DESC`
})

/** Of the latest threads of a member, those that something happened in since they read them. */
export const listUnreadThreads = (db: Reader, viewer: Viewer) =>
  unreadThreads(db, [], { workspace: viewer.workspace.key, me: viewer.author.key })

/** Of how many of the latest comments the authors are told. */
const MAX_COMMENTS = 20

function unreadOf(items: RawBuilder<unknown>, readRevision: RawBuilder<number>, me: number) {
  const unread = unreadItems(items, readRevision, me)
  return [
    countUpToMax(sql`SELECT 1 ${unread}`).as('unread_count'),
    sql<string | null>`(SELECT newest.id ${unread} ORDER BY newest.revision LIMIT 1)`.as('first_unread_id'),
  ] as const
}

/** The key of the latest comment or message. */
const latestOf = (items: RawBuilder<unknown>) =>
  sql<number | null>`(SELECT m.key FROM ${items} ORDER BY m.created_at DESC, m.id DESC LIMIT 1)`

/** What a preview shows of it. */
const previewColumns = [
  'latest.id as latest_id',
  'latest.created_at as latest_at',
  'latest.content as latest_content',
  optionalStoredAuthor('writer').as('latest_author'),
] as const

const postStates = prepare((db, param, seesPublic: boolean) => {
  const viewer = viewerParams(param, seesPublic)
  const comments = sql`comments AS m WHERE m.workspace_key = p.workspace_key AND m.post_key = p.key AND m.is_deleted = 0`
  const unreadComments = sql`comments AS m WHERE m.post_key = p.key AND m.is_deleted = 0`
  const readRevision = readUpTo('own', 'place', 'me')
  const latestAuthors = sql`(SELECT m.author_key, m.created_at, m.id FROM ${comments}
    ORDER BY m.created_at DESC, m.id DESC LIMIT ${sql.lit(MAX_COMMENTS)}) AS latest`
  const order = sql`ORDER BY latest.created_at DESC, latest.id DESC`
  const author = sql`(SELECT ${storedAuthor('a')} FROM authors AS a WHERE a.key = latest.author_key)`
  const commenters = sql<
    string | null
  >`(SELECT ${db.syntax.joinInOrder(author, AUTHOR_SEPARATOR, order)} FROM ${latestAuthors})`
  return db
    .selectFrom('posts as p')
    .innerJoin('post_activity as n', 'n.post_key', 'p.key')
    .innerJoin('channels as c', 'c.key', 'p.channel_key')
    .innerJoin('members as me', (join) => join.on('me.author_key', '=', viewer.me))
    .leftJoin('read_positions as own', isRowOf('own', 'post', 'p.key', viewer.me))
    .leftJoin('read_positions as place', isRowOf('place', 'channel', 'p.channel_key', viewer.me))
    .leftJoin('follows as f', isRowOf('f', 'post', 'p.key', viewer.me))
    .leftJoin('follows as fc', isRowOf('fc', 'channel', 'p.channel_key', viewer.me))
    .leftJoin('comments as latest', (join) => join.on('latest.key', '=', latestOf(comments)))
    .leftJoin('authors as writer', 'writer.key', 'latest.author_key')
    .leftJoin('pins', 'pins.post_key', 'p.key')
    .leftJoin('saved_posts as s', (join) => join.on('s.author_key', '=', viewer.me).onRef('s.post_key', '=', 'p.key'))
    .where(db.syntax.hasIdInJson('p', viewer.workspace, param<string>('ids')))
    .where(canSeeChannel('c', viewer))
    .select(['p.id', 'f.level', 'f.is_chosen', 'fc.level as channel_level'])
    .select([
      toFlag(isUnread('n.activity_revision', 'own', 'place', 'me')).as('is_unread'),
      ...unreadOf(unreadComments, readRevision, viewer.me),
    ])
    .select([...previewColumns, commenters.as('commenters')])
    .select(['pins.pinned_at', 's.saved_at', 's.remind_at'])
})

type PostStateRow = RowOf<typeof postStates>

/** What these posts are to a member, of those they may see. */
export function listPostStates(db: Reader, viewer: Viewer, ids: readonly string[]): Promise<PostStateRow[]> {
  const { seesPublic, ...keys } = viewerKeysOf(viewer)
  return postStates(db, [seesPublic], { ...keys, ids: JSON.stringify(ids) })
}

const threadStates = prepare((db, param) => {
  const me = param<number>('me')
  const messages = sql`messages AS m WHERE m.workspace_key = t.workspace_key AND m.thread_key = t.key`
  const unreadMessages = sql`messages AS m WHERE m.thread_key = t.key`
  const readRevision = readUpTo('own', 'own', 'me')
  return db
    .selectFrom('threads as t')
    .innerJoin('thread_members as tm', (join) => join.onRef('tm.thread_key', '=', 't.key').on('tm.author_key', '=', me))
    .innerJoin('members as me', (join) => join.on('me.author_key', '=', me))
    .leftJoin('read_positions as own', isRowOf('own', 'thread', 't.key', me))
    .leftJoin('follows as f', isRowOf('f', 'thread', 't.key', me))
    .leftJoin('messages as latest', (join) => join.on('latest.key', '=', latestOf(messages)))
    .leftJoin('authors as writer', 'writer.key', 'latest.author_key')
    .where(db.syntax.hasIdInJson('t', param<number>('workspace'), param<string>('ids')))
    .select(['t.id', 'f.level', 'f.is_chosen'])
    .select([
      toFlag(isUnread('t.activity_revision', 'own', 'own', 'me')).as('is_unread'),
      ...unreadOf(unreadMessages, readRevision, me),
    ])
    .select(previewColumns)
})

type ThreadStateRow = RowOf<typeof threadStates>

/** What these threads are to a member, of those they take part in. */
export const listThreadStates = (db: Reader, viewer: Viewer, ids: readonly string[]): Promise<ThreadStateRow[]> =>
  threadStates(db, [], { workspace: viewer.workspace.key, me: viewer.author.key, ids: JSON.stringify(ids) })

const MAX_COMMENTERS = 3

const levelOf = (number: number | null, otherwise: keyof typeof levelNumbers) =>
  levelNames[number ?? levelNumbers[otherwise]]!

const countOf = (count: number) => Math.min(Number(count), MAX_UNREAD_COUNT)

export const toUnreadChannel = (row: RowOf<typeof unreadChannels>): Unread['channels'][number] => ({
  id: row.id,
  unread_count: countOf(row.unread_count),
  level: levelOf(row.level, 'mentions'),
})

export const toUnreadThread = (row: RowOf<typeof unreadThreads>): Unread['threads'][number] => ({
  id: row.id,
  unread_count: countOf(row.unread_count),
  level: levelOf(row.level, 'all'),
})

const stateOf = (row: PostStateRow | ThreadStateRow) => ({
  is_unread: row.is_unread,
  unread_count: countOf(row.unread_count),
  first_unread_id: row.first_unread_id,
  is_level_chosen: row.is_chosen ?? false,
})

export const toPostState = (links: Links, row: PostStateRow): PostState => ({
  post_id: row.id,
  ...stateOf(row),
  level: levelOf(row.level ?? row.channel_level, 'mentions'),
  latest_comment: toPreview(links, row),
  commenters: commentersOf(row.commenters).map((author) => links.author(author)),
  pinned_at: timestampOrNull(row.pinned_at),
  saved_at: timestampOrNull(row.saved_at),
  remind_at: timestampOrNull(row.remind_at),
})

export const toThreadState = (links: Links, row: ThreadStateRow): ThreadState => ({
  thread_id: row.id,
  ...stateOf(row),
  level: levelOf(row.level, 'all'),
  last_message: toPreview(links, row),
})

function toPreview(links: Links, row: PostStateRow | ThreadStateRow): Preview | null {
  const { latest_id: id, latest_at, latest_content, latest_author } = row
  if (id === null) return null
  return {
    id,
    author: links.author(latest_author!),
    created_at: timestamp(latest_at!),
    excerpt: excerptOf(latest_content!),
  }
}

/** The authors of comments, each once, the latest first. */
const commentersOf = (authors: string | null): string[] =>
  [...new Set(authors?.split(AUTHOR_SEPARATOR) ?? [])].slice(0, MAX_COMMENTERS)
