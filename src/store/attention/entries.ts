import { type RawBuilder, sql } from 'kysely'
import { excerptOf } from '../../contract/browser/excerpt'
import type { InboxEntry, InboxReason, InboxSubject } from '../../contract/inbox'
import type { Direction } from '../../contract/shapes'
import { MAX_UNREAD_COUNT } from '../../contract/unread'
import { type Links, toAuthor } from '../../domain/links'
import {
  type Found,
  type ListPoint,
  type ListPosition,
  opposite,
  type Slice,
  startsAtRecord,
  unknownRecord,
} from '../../domain/lists/paging'
import type { Viewer } from '../../domain/permissions'
import { attentionNumbers } from '../../domain/references'
import { timestamp, timestampOrNull } from '../../domain/timestamps'
import { canSeeChannel, viewerKeysOf, viewerParams } from '../access/visibility'
import { type ParamFor, prepare, type Reader } from '../engines/db'
import { type RangesStart, startOf } from '../lists/ranges'
import { optionalStoredAuthor } from '../lists/record-json'
import { RESOLUTION_NOTE } from './notifications'
import { readUpTo } from './positions'

/** What a list of entries is restricted to. */
export interface EntryFilter {
  archived: boolean
  unread?: boolean
  reasons?: readonly InboxReason[]
}

type FilterShape = [
  place: 'any' | 'inbox' | 'archive',
  read: 'any' | 'unread' | 'read',
  reasons: 'any' | 'one' | 'several',
]

const filterShape = ({ archived, unread, reasons }: EntryFilter): FilterShape => [
  archived ? 'archive' : 'inbox',
  unread === undefined ? 'any' : unread ? 'unread' : 'read',
  reasons === undefined ? 'any' : reasons.length === 1 ? 'one' : 'several',
]

/** One reason is looked up in an index; several are checked one entry after another. */
const reasonParam = ({ reasons = [] }: EntryFilter): string =>
  reasons.length === 1 ? reasons[0]! : JSON.stringify(reasons)

const POST = sql.lit(attentionNumbers.post)
const THREAD = sql.lit(attentionNumbers.thread)

/** Whether a row of `attention`, as `e`, is one of the member's, matches the filters, and is about something they may still see. */
function isShown({ syntax }: Pick<Reader, 'syntax'>, param: ParamFor, seesPublic: boolean, shape: FilterShape) {
  const [place, read, reasons] = shape
  const viewer = viewerParams(param, seesPublic)
  const isVisible = sql`CASE WHEN e.subject_type = ${THREAD}
    THEN EXISTS (SELECT 1 FROM thread_members AS tm WHERE tm.thread_key = e.subject_key AND tm.author_key = ${viewer.me})
    ELSE EXISTS (SELECT 1 FROM channels AS c WHERE c.key = e.channel_key AND ${canSeeChannel('c', viewer)}) END`
  const conditions = [sql`e.author_key = ${viewer.me} AND e.entry_id IS NOT NULL`, isVisible]
  if (place !== 'any')
    conditions.push(place === 'archive' ? sql`e.archived_at IS NOT NULL` : sql`e.archived_at IS NULL`)
  if (read !== 'any') conditions.push(read === 'unread' ? sql`e.read_at IS NULL` : sql`e.read_at IS NOT NULL`)
  if (reasons === 'one') conditions.push(sql`e.reason = ${param<string>('reasons')}`)
  if (reasons === 'several') conditions.push(syntax.isInTextJson('e.reason', param<string>('reasons')))
  return sql`${sql.join(conditions, sql` AND `)}`
}

/** An entry, with what its record is made of. */
export interface EntryRow extends ListPosition {
  entry_id: string
  entry_at: number
  reason: InboxReason
  read_at: number | null
  archived_at: number | null
  entry_revision: number
  subject_type: number
  subject_key: number
  channel_key: number
  activity_revision: number
  subject_id: string
  post_title: string | null
  thread_title: string | null
  channel_id: string | null
  channel_name: string | null
  actor: string | null
  /** The comment or message it is about. */
  item_id: string | null
  /** What was written: the comment or message, the post itself, or the note of its resolution. */
  html: string | null
  new_count: number
}

const newItems = (table: 'comments' | 'messages', of: 'post_key' | 'thread_key', isCounted: RawBuilder<unknown>) =>
  sql`(SELECT count(*) FROM (SELECT 1 FROM ${sql.table(table)} AS n WHERE ${sql.ref(`n.${of}`)} = entry.subject_key
    AND n.revision > ${readUpTo('entry', 'place', 'mb')} AND n.author_key <> entry.author_key AND ${isCounted}
    ORDER BY n.revision LIMIT ${sql.lit(MAX_UNREAD_COUNT)}) AS counted)`

const columns = sql`entry.entry_revision AS at, entry.entry_id AS tie, entry.entry_id, entry.entry_at, entry.reason, entry.read_at, entry.archived_at,
  entry.entry_revision, entry.subject_type, entry.subject_key, entry.channel_key,
  coalesce(activity.activity_revision, t.activity_revision, 0) AS activity_revision, coalesce(p.id, t.id, c.id) AS subject_id,
  p.title AS post_title, t.title AS thread_title, c.id AS channel_id, c.name AS channel_name,
  ${optionalStoredAuthor('actor')} AS actor, coalesce(m.id, msg.id) AS item_id,
  CASE WHEN entry.item_key = ${sql.lit(RESOLUTION_NOTE)} AND p.is_resolved = 1 THEN p.resolved_html
    WHEN entry.item_key = 0 AND entry.reason IN ('post', 'mention', 'reminder', 'reaction') THEN p.content
    ELSE coalesce(m.content, msg.content) END AS html,
  CASE entry.subject_type WHEN ${POST} THEN ${newItems('comments', 'post_key', sql`n.is_deleted = 0`)}
    WHEN ${THREAD} THEN ${newItems('messages', 'thread_key', sql`1 = 1`)} ELSE 0 END AS new_count`

/** Chosen entries with what their records are made of. They are chosen first, so that only their records are looked up. */
const withRecords = (entries: RawBuilder<unknown>) => sql`(${entries}) AS entry
  JOIN members AS mb ON mb.author_key = entry.author_key
  LEFT JOIN posts AS p ON entry.subject_type = ${POST} AND p.key = entry.subject_key
  LEFT JOIN post_activity AS activity ON activity.post_key = p.key
  LEFT JOIN channels AS c ON c.key = entry.channel_key
  LEFT JOIN threads AS t ON entry.subject_type = ${THREAD} AND t.key = entry.subject_key
  LEFT JOIN attention AS place ON place.author_key = entry.author_key
    AND place.subject_type = ${sql.lit(attentionNumbers.channel)} AND place.subject_key = entry.channel_key
  LEFT JOIN comments AS m ON entry.subject_type = ${POST} AND m.key = entry.item_key AND m.is_deleted = 0
  LEFT JOIN messages AS msg ON entry.subject_type = ${THREAD} AND msg.key = entry.item_key
  LEFT JOIN authors AS actor ON actor.key = entry.actor_key`

/** Entries of a member have different revisions, so a revision is a position in the list. */
const past = (param: ParamFor, scan: Direction, inclusive: boolean) =>
  sql`e.entry_revision ${sql.raw(`${scan === 'asc' ? '>' : '<'}${inclusive ? '=' : ''}`)} ${param<number>('at')}`

const pageStatement = prepare(
  (db, param, seesPublic: boolean, scan: Direction, start: RangesStart, limit: number, ...filter: FilterShape) => {
    const condition = isShown(db, param, seesPublic, filter)
    const beyond = start === 'beginning' ? sql`` : sql`AND ${past(param, scan, start === 'at')}`
    const entries = sql`SELECT e.* FROM attention AS e WHERE ${condition} ${beyond}
      ORDER BY e.entry_revision ${sql.raw(scan)}`
    const page = db.syntax.first(entries, limit + 1, param<number>('limit'))
    return sql<EntryRow>`SELECT ${columns} FROM ${withRecords(page)}`
  },
)

const behindStatement = prepare(
  (db, param, seesPublic: boolean, scan: Direction, start: RangesStart, ...filter: FilterShape) => {
    const condition = isShown(db, param, seesPublic, filter)
    return sql<{ one: number }>`SELECT 1 AS one FROM attention AS e WHERE ${condition}
      AND ${past(param, opposite(scan), start === 'after')} LIMIT 1`
  },
)

const revisionOfEntry = prepare(
  (db, param, seesPublic: boolean, ...filter: FilterShape) =>
    sql<{ at: number }>`SELECT e.entry_revision AS at FROM attention AS e
      WHERE e.workspace_key = ${param<number>('workspace')} AND e.entry_id = ${param<string>('id')}
      AND ${isShown(db, param, seesPublic, filter)}`,
)

/** Where a slice starts. An entry has to be in the list. */
async function findStart(
  db: Reader,
  viewer: Viewer,
  filter: EntryFilter,
  from: Slice['from'],
): Promise<ListPoint | undefined> {
  if (!startsAtRecord(from)) return from
  const { seesPublic, ...keys } = viewerKeysOf(viewer)
  const values = { ...keys, id: from.record, reasons: reasonParam(filter) }
  const [entry] = await revisionOfEntry(db, [seesPublic, ...filterShape(filter)], values)
  if (!entry) throw unknownRecord(from)
  return { at: entry.at, id: from.record, inclusive: false }
}

/** One slice of the inbox, without what the member may no longer see. */
export async function listEntries(
  db: Reader,
  viewer: Viewer,
  filter: EntryFilter,
  { scan, limit, ...slice }: Slice,
): Promise<Found<EntryRow>> {
  const from = await findStart(db, viewer, filter, slice.from)
  const { seesPublic, ...keys } = viewerKeysOf(viewer)
  const shape = filterShape(filter)
  const values = { ...keys, at: from?.at ?? null, limit: limit + 1, reasons: reasonParam(filter) }
  const start = startOf(from)
  const rows = await pageStatement(db, [seesPublic, scan, start, limit, ...shape], values)
  rows.sort((one, other) =>
    scan === 'asc' ? one.entry_revision - other.entry_revision : other.entry_revision - one.entry_revision,
  )
  const others = from ? await behindStatement(db, [seesPublic, scan, start, ...shape], values) : []
  return { rows, behind: others.length > 0, from }
}

const countStatement = prepare((db, param, seesPublic: boolean, max: number, ...filter: FilterShape) => {
  const condition = isShown(db, param, seesPublic, filter)
  return sql<{ count: number }>`SELECT count(*) AS count
    FROM (SELECT 1 FROM attention AS e WHERE ${condition}
      ORDER BY e.entry_revision DESC LIMIT ${sql.lit(max)}) AS counted`
})

/** The number of such entries, up to a maximum. */
export async function countEntries(db: Reader, viewer: Viewer, filter: EntryFilter, max: number): Promise<number> {
  const { seesPublic, ...keys } = viewerKeysOf(viewer)
  const [row] = await countStatement(db, [seesPublic, max, ...filterShape(filter)], {
    ...keys,
    reasons: reasonParam(filter),
  })
  return row!.count
}

const entryById = prepare(
  (db, param, seesPublic: boolean) =>
    sql<EntryRow>`SELECT ${columns} FROM ${withRecords(sql`SELECT e.* FROM attention AS e
      WHERE e.workspace_key = ${param<number>('workspace')} AND e.entry_id = ${param<string>('id')}
      AND ${isShown(db, param, seesPublic, ['any', 'any', 'any'])}`)}`,
)

/** An entry of the viewer's own inbox, if they may still see what it is about. */
export async function findEntry(db: Reader, viewer: Viewer, id: string): Promise<EntryRow | undefined> {
  const { seesPublic, ...keys } = viewerKeysOf(viewer)
  const [entry] = await entryById(db, [seesPublic], { ...keys, id })
  return entry
}

export function toInboxEntry(links: Links, row: EntryRow): InboxEntry {
  return {
    id: row.entry_id,
    subject: toSubject(links, row),
    reason: row.reason,
    actor: row.actor === null ? null : toAuthor(links, row.actor),
    item_id: row.item_id,
    excerpt: excerptOf(row.html ?? ''),
    new_count: row.new_count,
    last_activity_at: timestamp(row.entry_at),
    read_at: timestampOrNull(row.read_at),
    archived_at: timestampOrNull(row.archived_at),
  }
}

function toSubject(links: Links, row: EntryRow): InboxSubject {
  const { subject_id: id, post_title, thread_title } = row
  if (thread_title !== null) return { type: 'thread', id, title: thread_title, url: links.thread(id), channel: null }
  const channel = { id: row.channel_id!, name: row.channel_name! }
  if (post_title === null) return { type: 'channel', id, title: channel.name, url: links.channel(id), channel }
  return { type: 'post', id, title: post_title, url: links.post(id), channel }
}
