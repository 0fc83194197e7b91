import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { excerptOf } from '../../contract/browser/excerpt'
import type { InboxAbout, InboxEntry, InboxReason, InboxSubject } from '../../contract/inbox'
import { MAX_UNREAD_COUNT } from '../../contract/unread'
import { type Links, toAuthor } from '../../domain/links'
import type { ListPosition } from '../../domain/lists/paging'
import type { Viewer } from '../../domain/permissions'
import { attentionNumbers, kindNumbers } from '../../domain/references'
import { timestamp, timestampOrNull } from '../../domain/timestamps'
import { canSeeChannel, type ViewerKeys, viewerKeysOf, viewerParams } from '../access/visibility'
import { prepare, type Reader, type Writer } from '../engines/db'
import { optionalStoredAuthor } from '../lists/record-json'
import { entryIsUnread, joinPosition, markEntriesUnread, readUpTo, setRead, setUnread, toFlag } from './reads'

/** Stands for the note that a post was resolved with, where an entry is about no comment and no message. */
export const RESOLUTION_NOTE = -1

const POST = sql.lit(attentionNumbers.post)
const THREAD = sql.lit(attentionNumbers.thread)
const CHANNEL = sql.lit(attentionNumbers.channel)

/** What was reacted to, by an entry under this name: a row of `reactions` or `reaction_counts`. */
const isReactedTo = (row: string, entry: string) => {
  const [r, e] = [(column: string) => sql.ref(`${row}.${column}`), (column: string) => sql.ref(`${entry}.${column}`)]
  return sql<SqlBool>`${r('subject_type')} = CASE WHEN ${e('item_key')} = 0 THEN ${sql.lit(kindNumbers.post)}
      WHEN ${e('kind')} = ${POST} THEN ${sql.lit(kindNumbers.comment)} ELSE ${sql.lit(kindNumbers.message)} END
    AND ${r('subject_key')} = CASE WHEN ${e('item_key')} = 0 THEN ${e('subject_key')} ELSE ${e('item_key')} END`
}

/** Someone else has reacted, to what an entry about a reaction is about. */
export const hasReactions = (entry: string) => sql<SqlBool>`(SELECT 1 FROM reactions AS reacted
  WHERE ${isReactedTo('reacted', entry)} AND reacted.author_key <> ${sql.ref(`${entry}.author_key`)} LIMIT 1) IS NOT NULL`

/**
 * The subject of an entry `x` is still there, of a thread or channel also visible, and what was reacted to has reactions. Not with
 * EXISTS: PostgreSQL would read the whole table into memory.
 */
export const isThere = (viewer: ViewerKeys) => sql<SqlBool>`CASE x.kind
  WHEN ${POST} THEN (SELECT 1 FROM posts AS p WHERE p.key = x.subject_key)
  WHEN ${THREAD} THEN (SELECT 1 FROM thread_members AS tm WHERE tm.thread_key = x.subject_key AND tm.author_key = ${viewer.me})
  ELSE (SELECT 1 FROM channels AS c WHERE c.key = x.subject_key AND ${canSeeChannel('c', viewer)}) END IS NOT NULL
  AND (x.about <> 'reaction' OR ${hasReactions('x')})`

/** An entry, with what its record is made of. */
export interface EntryRow extends ListPosition {
  key: number
  id: string
  about: InboxAbout
  reason: InboxReason
  revision: number
  last_at: number
  is_unread: boolean
  archived_at: number | null
  kind: number
  subject_key: number
  channel_key: number
  activity_revision: number
  subject_id: string
  is_own: boolean
  is_own_item: boolean
  post_title: string | null
  thread_title: string | null
  channel_id: string | null
  channel_name: string | null
  actor: string | null
  group_id: string | null
  group_name: string | null
  emoji: string | null
  picture: string | null
  /** The comment or message it is about. */
  item_id: string | null
  /** What was written: the note of a resolution, the comment or message, or the post itself. */
  html: string | null
  new_count: number
  others_count: number
}

const max = sql.lit(MAX_UNREAD_COUNT)

/** What others wrote since the member has read a post or thread, in order. */
const newItems = (table: 'comments' | 'messages', of: 'post_key' | 'thread_key', isCounted: RawBuilder<unknown>) =>
  sql`(SELECT n.author_key FROM ${sql.table(table)} AS n WHERE ${sql.ref(`n.${of}`)} = entry.subject_key
    AND n.revision > ${readUpTo('own', 'place', 'mb')} AND n.author_key <> entry.author_key AND ${isCounted}
    ORDER BY n.revision LIMIT ${max}) AS newer`
const newComments = newItems('comments', 'post_key', sql`n.is_deleted = 0`)
const newMessages = newItems('messages', 'thread_key', sql`1 = 1`)

const othersIn = (items: RawBuilder<unknown>) =>
  sql`(SELECT count(DISTINCT newer.author_key) FROM ${items} WHERE newer.author_key <> entry.actor_key)`

/** How many others have reacted than who reacted last. */
const otherReactors = sql`(SELECT count(*) FROM (SELECT DISTINCT reacted.author_key FROM reactions AS reacted
  WHERE ${isReactedTo('reacted', 'entry')} AND reacted.author_key <> entry.author_key
    AND reacted.author_key <> latest.author_key LIMIT ${max}) AS reactors)`

/** A record has few different emoji. The last reaction with each is looked up. */
const latestReaction = sql`(SELECT max(newest.key) FROM (SELECT (SELECT reacted.key FROM reactions AS reacted
    WHERE reacted.subject_type = counts.subject_type AND reacted.subject_key = counts.subject_key AND reacted.emoji = counts.emoji
      AND reacted.author_key <> entry.author_key ORDER BY reacted.key DESC LIMIT 1) AS key
  FROM reaction_counts AS counts WHERE ${isReactedTo('counts', 'entry')}) AS newest)`

/** An entry tells of the resolution that its post has now. The recipient may have resolved it again, which makes no entry for them. */
const isOfActor = sql`p.is_resolved = 1 AND p.resolved_by_key = entry.actor_key`

/** A post has the text that someone posted, was mentioned in, is reminded of, or reacted to. */
const columns = sql`entry.key, entry.id, entry.revision AS at, entry.id AS tie, entry.about, entry.reason, entry.revision,
  coalesce(latest.created_at, entry.at) AS last_at, entry.archived_at, entry.kind, entry.subject_key, entry.channel_key,
  ${toFlag(entryIsUnread('entry', 'place', 'mb'))} AS is_unread,
  ${toFlag(sql`p.author_key = entry.author_key`)} AS is_own,
  ${toFlag(sql`coalesce(m.author_key, msg.author_key) = entry.author_key`)} AS is_own_item,
  coalesce(activity.activity_revision, t.activity_revision, 0) AS activity_revision, coalesce(p.id, t.id, c.id) AS subject_id,
  p.title AS post_title, t.title AS thread_title, c.id AS channel_id, c.name AS channel_name,
  ${optionalStoredAuthor('actor')} AS actor, named.id AS group_id, named.name AS group_name, latest.emoji, picture.picture, coalesce(m.id, msg.id) AS item_id,
  coalesce(
    CASE WHEN (entry.item_key = ${sql.lit(RESOLUTION_NOTE)} OR entry.reason = 'resolved') AND ${isOfActor}
      THEN nullif(p.resolved_html, '') END,
    m.content, msg.content,
    CASE WHEN entry.item_key = 0 AND (entry.reason = 'post' OR entry.about IN ('mention', 'reminder', 'reaction'))
      THEN p.content END) AS html,
  CASE entry.kind WHEN ${POST} THEN (SELECT count(*) FROM ${newComments})
    WHEN ${THREAD} THEN (SELECT count(*) FROM ${newMessages}) ELSE 0 END AS new_count,
  CASE WHEN entry.about = 'reaction' THEN ${otherReactors} WHEN entry.about <> 'activity' THEN 0
    WHEN entry.kind = ${POST} THEN ${othersIn(newComments)} ELSE ${othersIn(newMessages)} END AS others_count`

/** Chosen entries with what their records are made of. They are chosen first, so that only their records are looked up. */
const withRecords = (entries: RawBuilder<unknown>) => sql`(${entries}) AS entry
  JOIN members AS mb ON mb.author_key = entry.author_key
  LEFT JOIN posts AS p ON entry.kind = ${POST} AND p.key = entry.subject_key
  LEFT JOIN post_activity AS activity ON activity.post_key = p.key
  LEFT JOIN channels AS c ON c.key = CASE WHEN entry.kind = ${CHANNEL} THEN entry.subject_key ELSE entry.channel_key END
  LEFT JOIN threads AS t ON entry.kind = ${THREAD} AND t.key = entry.subject_key
  LEFT JOIN read_positions AS own ON own.kind = entry.kind AND own.subject_key = entry.subject_key
    AND own.author_key = entry.author_key
  ${joinPosition('place', 'channel', 'entry.channel_key', 'entry.author_key')}
  LEFT JOIN comments AS m ON entry.kind = ${POST} AND m.is_deleted = 0
    AND m.key = CASE WHEN entry.reason <> 'resolved' THEN entry.item_key WHEN ${isOfActor} THEN p.resolved_comment_key END
  LEFT JOIN messages AS msg ON entry.kind = ${THREAD} AND msg.key = entry.item_key
  LEFT JOIN reactions AS latest ON entry.about = 'reaction' AND latest.key = ${latestReaction}
  LEFT JOIN custom_emoji AS picture ON picture.workspace_key = entry.workspace_key AND picture.name = latest.emoji
  LEFT JOIN groups AS named ON named.key = entry.group_key
  LEFT JOIN authors AS actor ON actor.key = coalesce(latest.author_key, entry.actor_key)`

/** By their keys, which were found before: one statement for both would take PostgreSQL longer to plan than to run. */
const entriesByKey = prepare(
  (db, param) => sql<EntryRow>`SELECT ${columns}
    FROM ${withRecords(sql`SELECT * FROM inbox_entries WHERE ${db.syntax.isInJson('key', param<string>('keys'))}`)}`,
)

export const findEntriesByKey = (db: Reader, keys: readonly number[]): Promise<EntryRow[]> =>
  keys.length === 0 ? Promise.resolve([]) : entriesByKey(db, [], { keys: JSON.stringify(keys) })

/** The channel of an entry `x` of a post is visible; `isThere` looks at the others. */
const isVisible = (viewer: ViewerKeys) => sql<SqlBool>`(x.channel_key = 0
  OR EXISTS (SELECT 1 FROM channels AS place WHERE place.key = x.channel_key AND ${canSeeChannel('place', viewer)}))
  AND ${isThere(viewer)}`

const entryById = prepare((_, param, seesPublic: boolean) => {
  const viewer = viewerParams(param, seesPublic)
  const entry = sql`SELECT x.* FROM inbox_entries AS x WHERE x.workspace_key = ${param<number>('workspace')}
    AND x.id = ${param<string>('id')} AND x.author_key = ${viewer.me} AND ${isVisible(viewer)}`
  return sql<EntryRow>`SELECT ${columns} FROM ${withRecords(entry)}`
})

/** An entry of the viewer's own inbox, if they may still see what it is about. */
export async function findEntry(db: Reader, viewer: Viewer, id: string): Promise<EntryRow | undefined> {
  const { seesPublic, ...keys } = viewerKeysOf(viewer)
  const [entry] = await entryById(db, [seesPublic], { ...keys, id })
  return entry
}

const subjectOf = ({ kind, subject_key, channel_key }: EntryRow) => ({
  kind: kind === attentionNumbers.post ? ('post' as const) : ('thread' as const),
  key: subject_key,
  channel_key,
})

/** A reaction, and that one was added to a channel, is read without the post or channel. */
const isReadAlone = ({ kind, about }: Pick<EntryRow, 'kind' | 'about'>) =>
  kind === attentionNumbers.channel || about === 'reaction'

/** Reads an entry, and its post or thread up to a revision with all that is about it. */
export async function readEntry(db: Writer, viewer: Viewer, entry: EntryRow, upTo: number) {
  if (!isReadAlone(entry)) return setRead(db, viewer, subjectOf(entry), upTo)
  const read = { is_read: true, is_marked_unread: false }
  await db.updateTable('inbox_entries').set(read).where('key', '=', entry.key).execute()
}

/** Marks an entry as unread, and its post or thread from what it is about on. */
export async function unreadEntry(db: Writer, viewer: Viewer, entry: EntryRow) {
  if (isReadAlone(entry)) return void (await markEntriesUnread(db, [entry.key]))
  // An entry may be newer than the activity: it may be about a mention that was added later.
  const from = Math.min(entry.revision, entry.activity_revision)
  await setUnread(db, viewer, subjectOf(entry), from - 1, [entry.key])
}

export const archiveEntry = (db: Writer, entry: EntryRow, archived_at: number | null) =>
  db.updateTable('inbox_entries').set({ archived_at }).where('key', '=', entry.key).execute()

/** Reads posts and threads of the inbox; their entries are read by `setEverythingRead`. */
export async function setSubjectsRead(
  db: Writer,
  viewer: Viewer,
  subjects: readonly Pick<EntryRow, 'about' | 'kind' | 'subject_key' | 'channel_key'>[],
  upTo: number,
) {
  const rows = new Map(
    subjects
      .filter((subject) => !isReadAlone(subject))
      .map(({ kind, subject_key, channel_key }) => [`${kind} ${subject_key}`, [kind, subject_key, channel_key]]),
  )
  if (rows.size === 0) return
  const columns = { kind: 'int', subject_key: 'int', channel_key: 'int' } as const
  const read = db.syntax.rowsOfJson(JSON.stringify([...rows.values()]), columns)
  await sql`INSERT INTO read_positions (author_key, kind, subject_key, channel_key, revision, is_marked_unread)
    SELECT CAST(${viewer.author.key} AS bigint), kind, subject_key, channel_key, CAST(${upTo} AS bigint), 0 FROM ${read} AS rows_read
    WHERE 1 = 1
    ON CONFLICT (kind, subject_key, author_key) DO UPDATE SET revision = excluded.revision, is_marked_unread = 0`.execute(
    db,
  )
}

/** What was read before a reminder says nothing about it, so it is unread in any case. */
const reminderStatement = prepare((db, param) => {
  const shown = {
    revision: param<number>('revision'),
    at: param<number>('now'),
    is_read: false,
    is_marked_unread: false,
    archived_at: null,
  }
  return db
    .insertInto('inbox_entries')
    .values({
      id: param<string>('entryId'),
      workspace_key: param<number>('workspace'),
      author_key: param<number>('author_key'),
      about: 'reminder',
      kind: POST,
      subject_key: param<number>('post_key'),
      channel_key: param<number>('channel_key'),
      item_key: 0,
      reason: 'reminder',
      actor_key: 0,
      ...shown,
    })
    .onConflict((conflict) => conflict.expression(onePerSubject).doUpdateSet(shown))
})

/** The columns of the unique index: of reactions, there is an entry for each record that was reacted to. */
export const onePerSubject = sql.raw(
  `kind, subject_key, author_key, about, (CASE WHEN about = 'reaction' THEN item_key ELSE 0 END)`,
)

/**
 * Puts the post of a reminder into the inbox of the member as unread, or moves its reminder up. This happens even if they muted the
 * post, because they asked for it.
 */
export const addReminderEntry = (
  db: Writer,
  workspace: number,
  { author_key, post_key, channel_key }: { author_key: number; post_key: number; channel_key: number },
  entry: { entryId: string; revision: number; now: number },
) => reminderStatement(db, [], { workspace, author_key, post_key, channel_key, ...entry })

export function toInboxEntry(links: Links, row: EntryRow, maxExcerpt?: number): InboxEntry {
  return {
    id: row.id,
    about: row.about,
    reason: row.reason,
    subject: toSubject(links, row),
    actor: row.actor === null ? null : toAuthor(links, row.actor),
    others_count: row.others_count,
    group: row.group_id === null ? null : { id: row.group_id, name: row.group_name! },
    emoji: row.emoji,
    emoji_url: row.picture === null ? null : links.emoji(row.picture),
    item_id: row.item_id,
    item_is_own: row.is_own_item,
    excerpt: excerptOf(row.html ?? '', maxExcerpt),
    new_count: row.new_count,
    last_activity_at: timestamp(row.last_at),
    is_unread: row.is_unread,
    archived_at: timestampOrNull(row.archived_at),
  }
}

function toSubject(links: Links, row: EntryRow): InboxSubject {
  const { subject_id: id, post_title, thread_title, is_own } = row
  const of = { id, is_own }
  if (thread_title !== null) return { type: 'thread', ...of, title: thread_title, url: links.thread(id), channel: null }
  const channel = { id: row.channel_id!, name: row.channel_name! }
  if (post_title === null) return { type: 'channel', ...of, title: channel.name, url: links.channel(id), channel }
  return { type: 'post', ...of, title: post_title, url: links.post(id), channel }
}
