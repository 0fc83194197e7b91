import { type RawBuilder, sql } from 'kysely'
import { excerptOf } from '../../contract/browser/excerpt'
import { MAX_UNREAD_COUNT, type PostState, type Preview, type ThreadState, type Unread } from '../../contract/unread'
import type { Links } from '../../domain/links'
import type { Viewer } from '../../domain/permissions'
import { attentionNumbers } from '../../domain/references'
import { timestamp, timestampOrNull } from '../../domain/timestamps'
import { canSeeChannel, viewerKeysOf, viewerParams } from '../access/visibility'
import { prepare, type Reader, type RowOf } from '../engines/db'
import { AUTHOR_SEPARATOR, optionalStoredAuthor, storedAuthor } from '../lists/record-json'
import { levelNames, levelNumbers } from './follows'
import { readUpTo } from './positions'
import type { UnreadChannelRow, UnreadThreadRow } from './unread-counts'
import { countUpToMax, unreadItems } from './unread-items'

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
  const readRevision = readUpTo('own', 'ofchannel', 'me')
  const latestAuthors = sql`(SELECT m.author_key, m.created_at, m.id FROM ${comments}
    ORDER BY m.created_at DESC, m.id DESC LIMIT ${sql.lit(MAX_COMMENTS)}) AS latest`
  const order = sql`ORDER BY latest.created_at DESC, latest.id DESC`
  const author = sql`(SELECT ${storedAuthor('a')} FROM authors AS a WHERE a.key = latest.author_key)`
  const commenters = sql<
    string | null
  >`(SELECT ${db.syntax.joinInOrder(author, AUTHOR_SEPARATOR, order)} FROM ${latestAuthors})`
  return db
    .selectFrom('posts as p')
    .innerJoin('channels as c', 'c.key', 'p.channel_key')
    .innerJoin('members as me', (join) => join.on('me.author_key', '=', viewer.me))
    .leftJoin('attention as own', (join) =>
      join
        .on('own.author_key', '=', viewer.me)
        .on('own.subject_type', '=', sql.lit(attentionNumbers.post))
        .onRef('own.subject_key', '=', 'p.key'),
    )
    .leftJoin('attention as ofchannel', (join) =>
      join
        .on('ofchannel.author_key', '=', viewer.me)
        .on('ofchannel.subject_type', '=', sql.lit(attentionNumbers.channel))
        .onRef('ofchannel.subject_key', '=', 'p.channel_key'),
    )
    .innerJoin('post_activity as n', 'n.post_key', 'p.key')
    .leftJoin('comments as latest', (join) => join.on('latest.key', '=', latestOf(comments)))
    .leftJoin('authors as writer', 'writer.key', 'latest.author_key')
    .leftJoin('pins', 'pins.post_key', 'p.key')
    .leftJoin('saved_posts as s', (join) => join.on('s.author_key', '=', viewer.me).onRef('s.post_key', '=', 'p.key'))
    .where(db.syntax.hasIdInJson('p', viewer.workspace, param<string>('ids')))
    .where(canSeeChannel('c', viewer))
    .select(['p.id', 'n.activity_revision', 'own.level', 'own.is_level_chosen', 'ofchannel.level as channel_level'])
    .select([readRevision.as('read_revision'), ...unreadOf(unreadComments, readRevision, viewer.me)])
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
    .leftJoin('attention as own', (join) =>
      join
        .on('own.author_key', '=', me)
        .on('own.subject_type', '=', sql.lit(attentionNumbers.thread))
        .onRef('own.subject_key', '=', 't.key'),
    )
    .leftJoin('messages as latest', (join) => join.on('latest.key', '=', latestOf(messages)))
    .leftJoin('authors as writer', 'writer.key', 'latest.author_key')
    .where(db.syntax.hasIdInJson('t', param<number>('workspace'), param<string>('ids')))
    .select(['t.id', 't.activity_revision', 'own.level', 'own.is_level_chosen'])
    .select([readRevision.as('read_revision'), ...unreadOf(unreadMessages, readRevision, me)])
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

export const toUnreadChannel = (row: UnreadChannelRow): Unread['channels'][number] => ({
  id: row.id,
  unread_count: countOf(row.unread_count),
  level: levelOf(row.level, 'mentions'),
})

export const toUnreadThread = (row: UnreadThreadRow): Unread['threads'][number] => ({
  id: row.id,
  unread_count: countOf(row.unread_count),
  level: levelOf(row.level, 'all'),
})

const stateOf = (row: PostStateRow | ThreadStateRow) => ({
  is_unread: row.activity_revision > row.read_revision,
  unread_count: countOf(row.unread_count),
  first_unread_id: row.first_unread_id,
  is_level_chosen: row.level !== null && Boolean(row.is_level_chosen),
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
