import { sql } from 'kysely'
import type { Direction } from '../../contract/shapes'
import type { Viewer } from '../../domain/permissions'
import { canSeeChannel, viewerKeysOf, viewerParams } from '../access/visibility'
import { type ParamFor, prepare, type Reader, type Value } from '../engines/db'
import {
  type IndexRange,
  type IndexRanges,
  type ListIndex,
  pastOrigin,
  type RangesStart,
  startOf,
} from '../lists/ranges'
import type { ChannelRow } from './channels'
import type { PostSort } from './posts'

/** Where posts are listed from: one channel, or, under the key 0, all public channels together. */
export type PostGroup = Pick<ChannelRow, 'key' | 'posts_count' | 'resolved_count'>

export interface PostFilter {
  resolved?: boolean
  /** The groups must then be channels that this author has posts in. */
  authorKey?: number
}

/** Where posts are in each order. */
const indexes: Record<PostSort, ListIndex> = {
  published_at: { table: 'posts', key: 'key', at: 'published_at', id: 'id' },
  last_activity_at: {
    ...{ table: 'post_activity', key: 'post_key', at: 'last_activity_at', id: 'post_id' },
    records: 'posts',
  },
}

/** Up to so many ranges are merged by one statement. */
const MAX_RANGES = 60

/** The posts of these groups, as ranges of an index. */
export function postRanges(
  viewer: Viewer,
  groups: readonly PostGroup[],
  sort: PostSort,
  { resolved, authorKey }: PostFilter,
): IndexRanges {
  const halves = resolved === undefined ? [false, true] : [resolved]
  const all = { workspace_key: viewer.workspace.key, ...(authorKey !== undefined && { author_key: authorKey }) }
  const rangeOf = (key: number): IndexRange => (key ? { ...all, channel_key: key } : { ...all, is_listed: true })
  const ranges = groups.flatMap(({ key }) => halves.map((is_resolved) => ({ ...rangeOf(key), is_resolved })))
  const list = { ...indexes[sort], ranges }
  if (ranges.length <= MAX_RANGES) return list

  const channels = groups.filter(({ key }) => key !== 0)
  const isListed = channels.length < groups.length
  const keysWith = (isResolved: boolean) =>
    channels.filter((group) => halves.includes(isResolved) && countIn(group, isResolved) > 0).map(({ key }) => key)
  const [open, done] = [keysWith(false), keysWith(true)]
  return {
    ...list,
    async narrow(db, slice) {
      const { scan, from, limit } = slice
      const shape = [[list.table, list.at, list.id], scan, startOf(from), limit] as const
      const values = { ...all, open: JSON.stringify(open), done: JSON.stringify(done), at: from?.at, id: from?.id }
      const walked =
        isListed && authorKey === undefined ? await walkUnlisted(db, shape, values, [open, done]) : undefined
      const nearest = walked ?? (await nearestChannels(db, [...shape, Object.keys(all)], values))
      return [
        ...halves.flatMap((is_resolved) => (isListed ? [{ ...rangeOf(0), is_resolved }] : [])),
        ...nearest.map(({ channel_key, is_resolved }) => ({ ...rangeOf(channel_key), is_resolved })),
      ]
    },
  }
}

/** Where channels are looked for: the index, and what the statement depends on. */
type NearestShape = readonly [index: readonly string[], scan: Direction, start: RangesStart, limit: number]

interface NearestChannel {
  channel_key: number
  is_resolved: boolean
}

const beyond = ([[, at, id], scan, start]: NearestShape, param: ParamFor) =>
  start === 'beginning'
    ? sql``
    : sql`AND ${pastOrigin({ at: at!, id: id! }, scan, start === 'at', param('at'), param('id'))}`

/** How many posts are looked at for posts of the viewer's channels. */
const WALKED = 400

const unlisted = prepare((_, param, ...shape: [...NearestShape]) => {
  const [[table, at, id], scan] = shape
  const half = (isResolved: 0 | 1) => sql`SELECT * FROM (SELECT channel_key, is_resolved FROM ${sql.table(table!)}
    WHERE workspace_key = ${param('workspace_key')} AND is_listed = 0 AND is_resolved = ${sql.lit(isResolved)}
      ${beyond(shape, param)}
    ORDER BY ${sql.ref(at!)} ${sql.raw(scan)}, ${sql.ref(id!)} ${sql.raw(scan)} LIMIT ${sql.lit(WALKED)}) AS half`
  return sql<NearestChannel>`${half(0)} UNION ALL ${half(1)}`
})

/**
 * Looks at the next posts that are not public: who is in many private channels usually sees many of them. Undefined if a page could
 * have others, too.
 */
async function walkUnlisted(
  db: Reader,
  shape: NearestShape,
  values: Record<string, unknown>,
  keys: readonly (readonly number[])[],
): Promise<NearestChannel[] | undefined> {
  const posts = await unlisted(db, [...shape], values)
  const found: NearestChannel[] = []
  for (const is_resolved of [false, true]) {
    const visible = new Set(keys[Number(is_resolved)])
    if (visible.size === 0) continue
    const half = posts.filter((post) => post.is_resolved === is_resolved)
    const seen = half.filter(({ channel_key }) => visible.has(channel_key)).slice(0, shape[3] + 1)
    if (half.length === WALKED && seen.length <= shape[3]) return undefined
    for (const channel_key of new Set(seen.map((post) => post.channel_key))) found.push({ channel_key, is_resolved })
  }
  return found
}

/** Times have fewer digits: as text, the sum is in the order of the time. */
const AS_TEXT = 1e15

/**
 * The channels whose next post comes first: a page has no posts of others. Each is one look-up in an index, so that thousands of
 * channels take some milliseconds, and a page in them costs the same as in a few.
 */
const nearestChannels = prepare(({ syntax }, param, ...args: [...NearestShape, common: readonly string[]]) => {
  const [[table, at, id], scan, start, limit, common] = args
  const conditions = common.map((column) => sql`${sql.ref(column)} = ${param(column)} AND `)
  const next = (isResolved: 0 | 1, keys: string) =>
    sql`SELECT c.key AS channel_key, ${sql.lit(isResolved)} AS is_resolved,
      (SELECT CAST(${sql.ref(at!)} + ${sql.lit(AS_TEXT)} AS text) || ' ' || ${sql.ref(id!)} FROM ${sql.table(table!)}
        WHERE ${sql.join(conditions, sql``)} channel_key = c.key AND is_resolved = ${sql.lit(isResolved)}
          ${beyond([[table!, at!, id!], scan, start, limit], param)}
        ORDER BY ${sql.ref(at!)} ${sql.raw(scan)}, ${sql.ref(id!)} ${sql.raw(scan)} LIMIT 1) AS next
      FROM channels AS c WHERE ${syntax.isInJson('c.key', param<string>(keys))}`
  return sql<NearestChannel>`SELECT channel_key, is_resolved
    FROM (${next(0, 'open')} UNION ALL ${next(1, 'done')}) AS nearest
    WHERE next IS NOT NULL ORDER BY next ${sql.raw(scan)} LIMIT ${sql.lit(limit + 1)}`
})

/** How many posts these groups have. */
export const countPosts = (groups: readonly PostGroup[], resolved?: boolean): number =>
  groups.reduce((sum, group) => sum + countIn(group, resolved), 0)

const countIn = ({ posts_count, resolved_count }: PostGroup, resolved?: boolean) =>
  resolved === undefined ? posts_count : resolved ? resolved_count : posts_count - resolved_count

/**
 * One statement: the sums over what is public, then each channel the viewer is in besides. While posts of a channel are not yet
 * listed as it is, each public channel is a group of its own.
 */
const postGroups = prepare((db, param, seesPublic: boolean) => {
  const { workspace, me } = viewerParams(param, seesPublic)
  const own = db
    .selectFrom('channel_members')
    .innerJoin('channels', 'channels.key', 'channel_members.channel_key')
    .where('channel_members.workspace_key', '=', workspace)
    .where('channel_members.author_key', '=', me)
    .where('channels.archived_at', 'is', null)
    .$if(seesPublic, (query) => query.where('channels.is_listed', '=', false))
    .select(['channels.key', 'channels.posts_count', 'channels.resolved_count'])
  if (!seesPublic) return own
  const isRelisting = sql<boolean>`EXISTS (SELECT 1 FROM channels AS other
    WHERE other.workspace_key = ${workspace as Value} AND other.relisting_at IS NOT NULL)`
  const listed = db.selectFrom('channels').where('workspace_key', '=', workspace).where('is_listed', '=', true)
  return listed
    .where(sql<boolean>`NOT ${isRelisting}`)
    .select([
      sql<number>`0`.as('key'),
      sql<number>`coalesce(sum(posts_count), 0)`.as('posts_count'),
      sql<number>`coalesce(sum(resolved_count), 0)`.as('resolved_count'),
    ])
    .having((eb) => eb(eb.fn.countAll(), '>', 0))
    .unionAll(listed.where(isRelisting).where('posts_count', '>', 0).select(['key', 'posts_count', 'resolved_count']))
    .unionAll(own)
})

/** Everything this viewer may see posts from. */
export function findPostGroups(db: Reader, viewer: Viewer): Promise<PostGroup[]> {
  const { seesPublic, ...keys } = viewerKeysOf(viewer)
  return postGroups(db, [seesPublic], keys)
}

const groupsOfAuthor = prepare((db, param, seesPublic: boolean) =>
  db
    .selectFrom('author_posts as ap')
    .innerJoin('channels as c', 'c.key', 'ap.channel_key')
    .where('ap.author_key', '=', param<number>('author'))
    .where('ap.workspace_key', '=', param<number>('workspace'))
    .where('ap.posts_count', '>', 0)
    .where(canSeeChannel('c', viewerParams(param, seesPublic)))
    .select(['ap.channel_key as key', 'ap.posts_count', 'ap.resolved_count'])
    .orderBy('ap.channel_key'),
)

/** The channels this viewer may see that an author has posts in, with how many. */
export function findGroupsOfAuthor(db: Reader, viewer: Viewer, authorKey: number): Promise<PostGroup[]> {
  const { seesPublic, ...keys } = viewerKeysOf(viewer)
  return groupsOfAuthor(db, [seesPublic], { ...keys, author: authorKey })
}
