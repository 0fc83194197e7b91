import { type RawBuilder, sql } from 'kysely'
import type { InboxAbout } from '../../contract/inbox'
import type { Direction } from '../../contract/shapes'
import {
  type Found,
  type ListPoint,
  opposite,
  type Slice,
  startsAtRecord,
  unknownRecord,
} from '../../domain/lists/paging'
import type { Viewer } from '../../domain/permissions'
import { canSeeChannel, type ViewerKeys, viewerKeysOf, viewerParams } from '../access/visibility'
import { type ParamFor, prepare, type Reader } from '../engines/db'
import { type RangesStart, startOf } from '../lists/ranges'
import { type EntryRow, findEntriesByKey, findEntry, isThere } from './inbox'
import { entriesReadUpToText, joinPosition } from './reads'

/** What a list of entries is restricted to. */
export interface EntryFilter {
  archived: boolean
  unread?: boolean
  about?: readonly InboxAbout[]
}

type FilterShape = [isArchived: boolean, read: 'any' | 'unread' | 'read', about: readonly InboxAbout[]]

const shapeOf = ({ archived, unread, about = [] }: EntryFilter): FilterShape => [
  archived,
  unread === undefined ? 'any' : unread ? 'unread' : 'read',
  [...new Set(about)].sort(),
]

const isIn = (isArchived: boolean, entry = 'x') =>
  sql`${sql.ref(`${entry}.archived_at`)} ${isArchived ? sql`IS NOT NULL` : sql`IS NULL`}`

/** The channels of the entries `n` of a member, each found by one look into an index. */
function placesOf(me: number, isWanted: RawBuilder<unknown>) {
  const next = (after: RawBuilder<unknown>) => sql`(SELECT min(n.channel_key) FROM inbox_entries AS n
    WHERE n.author_key = ${me} AND ${isWanted} AND n.channel_key > ${after})`
  return sql`WITH RECURSIVE places (channel_key) AS (SELECT ${next(sql`-1`)}
    UNION ALL SELECT ${next(sql`places.channel_key`)} FROM places WHERE places.channel_key IS NOT NULL)`
}

/**
 * The channels that the entries of a member are in and that they may see, each with the revision up to which its entries are read; 0
 * stands for threads and channels themselves. So however many entries there are of channels that the member lost access to, or has
 * read as a whole, none of them is looked at.
 */
function sourcesOf(viewer: ViewerKeys, isArchived: boolean) {
  return sql`${placesOf(viewer.me, isIn(isArchived, 'n'))},
    sources (channel_key, read_up_to) AS MATERIALIZED (SELECT places.channel_key, ${sql.raw(entriesReadUpToText('place', 'm'))}
      FROM places JOIN members AS m ON m.author_key = ${viewer.me}
      LEFT JOIN channels AS c ON c.key = places.channel_key
      ${joinPosition('place', 'channel', 'c.key', viewer.me)}
      WHERE places.channel_key = 0 OR ${canSeeChannel('c', viewer)})`
}

/** Conditions on entries `x` of a source `source`. Each is a range of an index, and no entry is in two of them. */
function rangesOf([isArchived, read, about]: FilterShape): RawBuilder<unknown>[] {
  const states = {
    any: [sql`1 = 1`],
    unread: [
      sql`x.is_read = 0 AND x.is_marked_unread = 0 AND x.revision > source.read_up_to`,
      sql`x.is_marked_unread = 1`,
    ],
    read: [sql`x.is_read = 1`, sql`x.is_read = 0 AND x.is_marked_unread = 0 AND x.revision <= source.read_up_to`],
  }
  const abouts = about.length === 0 ? [sql`1 = 1`] : about.map((each) => sql`x.about = ${sql.lit(each)}`)
  return abouts.flatMap((isAbout) =>
    states[read].map((isState) => sql`${isIn(isArchived)} AND ${isAbout} AND ${isState}`),
  )
}

const past = (param: ParamFor, scan: Direction, inclusive: boolean) =>
  sql`AND x.revision ${sql.raw(`${scan === 'asc' ? '>' : '<'}${inclusive ? '=' : ''}`)} ${param<number>('at')}`

/** The entry is one of the member's in this source, in a range. */
const isMatch = (viewer: ViewerKeys, range: RawBuilder<unknown>) =>
  sql`x.author_key = ${viewer.me} AND x.channel_key = source.channel_key AND ${range} AND ${isThere(viewer)}`

/** The first entries of each source, in all ranges, as keys. */
const firstOfEach = (
  { syntax }: Pick<Reader, 'syntax'>,
  viewer: ViewerKeys,
  filter: FilterShape,
  {
    scan,
    more,
    limit,
    from = sql`sources AS source`,
  }: { scan: Direction; more: RawBuilder<unknown>; limit: RawBuilder<unknown>; from?: RawBuilder<unknown> },
) => {
  const keys = rangesOf(filter).map(
    (range) => sql`SELECT key FROM (SELECT x.key FROM inbox_entries AS x WHERE ${isMatch(viewer, range)} ${more}
      ORDER BY x.revision ${sql.raw(scan)} LIMIT ${limit}) AS ranged`,
  )
  return sql`${from} ${syntax.joinByKeys('inbox_entries', 'e', sql.join(keys, sql` UNION ALL `))}`
}

/** So many entries of each channel are looked at to find out how far back the page can go at most. */
const FIRST_LOOK = 4

const pageStatement = prepare(
  (db, param, seesPublic: boolean, scan: Direction, start: RangesStart, limit: number, ...filter: FilterShape) => {
    const viewer = viewerParams(param, seesPublic)
    const count = db.syntax.limit(limit + 1)
    const beyond = start === 'beginning' ? sql`` : past(param, scan, start === 'at')
    const order = sql`ORDER BY e.revision ${sql.raw(scan)}`
    const [last, isWithin] = scan === 'asc' ? [sql`max`, sql`<=`] : [sql`min`, sql`>=`]
    // Where there are many channels, this saves reading a whole page of each.
    const look = firstOfEach(db, viewer, filter, { scan, more: beyond, limit: sql.lit(FIRST_LOOK) })
    const furthest = sql`SELECT CASE WHEN count(*) >= ${count} THEN ${last}(first.revision) ELSE ${sql.lit(scan === 'asc' ? Number.MAX_SAFE_INTEGER : 0)} END
      AS furthest FROM (SELECT e.revision FROM ${look} ${order} LIMIT ${count}) AS first`
    const from = sql`(SELECT sources.*, bound.furthest FROM sources CROSS JOIN (${furthest}) AS bound) AS source`
    const more = sql`${beyond} AND x.revision ${isWithin} source.furthest`
    const entries = sql`SELECT e.key FROM ${firstOfEach(db, viewer, filter, { scan, more, limit: count, from })} ${order}`
    const page = db.syntax.first(entries, limit + 1, param<number>('limit'))
    return sql<{ key: number }>`${sourcesOf(viewer, filter[0])} SELECT page.key FROM (${page}) AS page`
  },
)

const countStatement = prepare(
  (db, param, seesPublic: boolean, max: number, scan: Direction, start: RangesStart, ...filter: FilterShape) => {
    const viewer = viewerParams(param, seesPublic)
    const more = start === 'beginning' ? sql`` : past(param, scan, start === 'at')
    const limit = sql.lit(max)
    return sql<{ count: number }>`${sourcesOf(viewer, filter[0])} SELECT count(*) AS count
      FROM (SELECT e.key FROM ${firstOfEach(db, viewer, filter, { scan, more, limit })} LIMIT ${limit}) AS counted`
  },
)

/** The number of such entries, up to a maximum. */
export async function countEntries(db: Reader, viewer: Viewer, filter: EntryFilter, max: number): Promise<number> {
  const { seesPublic, ...keys } = viewerKeysOf(viewer)
  const [row] = await countStatement(db, [seesPublic, max, 'desc', 'beginning', ...shapeOf(filter)], keys)
  return row!.count
}

/**
 * Whether a member has unread entries, in a channel or everywhere, also archived ones and those of what they may no longer see: these
 * are read with the others. Each is a look at the start of a range of an index.
 */
export async function hasUnreadEntries(db: Reader, viewer: Viewer, channelKey?: number): Promise<boolean> {
  const [found] = await unreadStatement(db, [channelKey !== undefined], { me: viewer.author.key, channel: channelKey })
  return found !== undefined
}

const unreadStatement = prepare((db, param, isOfChannel: boolean) => {
  const me = param<number>('me')
  const ofChannel = isOfChannel ? sql`AND x.channel_key = ${param<number>('channel')}` : sql``
  const places = sql`SELECT places.channel_key, ${sql.raw(entriesReadUpToText('place', 'm'))} AS read_up_to FROM places
    JOIN members AS m ON m.author_key = ${me} ${joinPosition('place', 'channel', 'places.channel_key', me)}`
  const unread = sql`SELECT x.key FROM inbox_entries AS x WHERE x.author_key = ${me} AND x.channel_key = source.channel_key
    AND x.is_read = 0 AND x.is_marked_unread = 0 AND x.revision > source.read_up_to ${ofChannel} LIMIT 1`
  return sql<{ key: number }>`${placesOf(me, sql`n.is_read = 0 AND n.is_marked_unread = 0`)}
    SELECT e.key FROM (${places}) AS source ${db.syntax.joinByKeys('inbox_entries', 'e', unread)}
    UNION ALL SELECT x.key FROM inbox_entries AS x WHERE x.author_key = ${me} AND x.is_marked_unread = 1 ${ofChannel} LIMIT 1`
})

/** One slice of the inbox, without what the member may no longer see. Entries of a member have different revisions. */
export async function listEntries(
  db: Reader,
  viewer: Viewer,
  filter: EntryFilter,
  { scan, limit, ...slice }: Slice,
): Promise<Found<EntryRow>> {
  const from = await findStart(db, viewer, filter, slice.from)
  const { seesPublic, ...viewing } = viewerKeysOf(viewer)
  const values = { ...viewing, at: from?.at ?? null, limit: limit + 1 }
  const start = startOf(from)
  const shape = shapeOf(filter)
  const keys = await pageStatement(db, [seesPublic, scan, start, limit, ...shape], values)
  const rows = await findEntriesByKey(
    db,
    keys.map(({ key }) => key),
  )
  rows.sort((one, other) => (scan === 'asc' ? one.revision - other.revision : other.revision - one.revision))
  const back = opposite(scan)
  const behind = from
    ? await countStatement(db, [seesPublic, 1, back, start === 'after' ? 'at' : 'after', ...shape], values)
    : []
  return { rows, behind: behind.some(({ count }) => count > 0), from }
}

/** The newest unread entries between revisions, about what the viewer may see at this moment. */
export async function listUnreadEntries(
  db: Reader,
  viewer: Viewer,
  { after, upTo = Number.MAX_SAFE_INTEGER }: { after: number; upTo?: number },
  limit: number,
): Promise<EntryRow[]> {
  const from = { at: upTo, id: '', inclusive: true }
  const slice = { sort: 'last_activity_at', scan: 'desc', limit, from } as const
  const { rows } = await listEntries(db, viewer, { archived: false, unread: true }, slice)
  return rows.filter(({ revision }) => revision > after).slice(0, limit)
}

/** Where a slice starts. An entry has to be in the list. */
async function findStart(
  db: Reader,
  viewer: Viewer,
  { archived, unread, about }: EntryFilter,
  from: Slice['from'],
): Promise<ListPoint | undefined> {
  if (!startsAtRecord(from)) return from
  const entry = await findEntry(db, viewer, from.record)
  const isListed =
    entry &&
    (entry.archived_at !== null) === archived &&
    (unread === undefined || entry.is_unread === unread) &&
    (about === undefined || about.length === 0 || about.includes(entry.about))
  if (!isListed) throw unknownRecord(from)
  return { at: entry.revision, id: from.record, inclusive: false }
}

/** The posts and threads of so many unread entries are read with the inbox. */
const MAX_READ_SUBJECTS = 500

interface UnreadSubject extends Pick<EntryRow, 'about' | 'kind' | 'subject_key' | 'channel_key' | 'revision'> {}

/** What the latest unread entries of the inbox are about. */
export async function listUnreadSubjects(db: Reader, viewer: Viewer): Promise<UnreadSubject[]> {
  const { seesPublic, ...keys } = viewerKeysOf(viewer)
  return unreadSubjects(db, [seesPublic, ...shapeOf({ archived: false, unread: true })], keys)
}

const unreadSubjects = prepare((db, param, seesPublic: boolean, ...filter: FilterShape) => {
  const viewer = viewerParams(param, seesPublic)
  const limit = sql.lit(MAX_READ_SUBJECTS)
  return sql<UnreadSubject>`${sourcesOf(viewer, filter[0])} SELECT e.about, e.kind, e.subject_key, e.channel_key, e.revision
    FROM ${firstOfEach(db, viewer, filter, { scan: 'desc', more: sql``, limit })} ORDER BY e.revision DESC LIMIT ${limit}`
})
