import { sql } from 'kysely'
import type { Viewer } from '../../domain/permissions'
import { canSeeChannel, viewerKeysOf, viewerParams } from '../access/visibility'
import { prepare, type Reader, type Value } from '../engines/db'
import type { IndexRange, IndexRanges } from '../lists/ranges'
import type { ChannelRow } from './channels'
import type { PostSort } from './posts'

/** Where posts are listed from: one channel, or, under the key 0, all public channels together. */
export type PostGroup = Pick<ChannelRow, 'key' | 'posts_count' | 'resolved_count'>

export interface PostFilter {
  resolved?: boolean
  /** The groups must then be channels that this author has posts in. */
  authorKey?: number
}

/** The posts of these groups, as ranges of an index. */
export function postRanges(
  viewer: Viewer,
  groups: readonly PostGroup[],
  sort: PostSort,
  { resolved, authorKey }: PostFilter,
): IndexRanges {
  const halves = resolved === undefined ? [false, true] : [resolved]
  const all = { workspace_key: viewer.workspace.key, ...(authorKey !== undefined && { author_key: authorKey }) }
  const rangeOf = ({ key }: PostGroup): IndexRange => (key ? { ...all, channel_key: key } : { ...all, is_listed: true })
  const ranges = groups.flatMap((group) => halves.map((is_resolved) => ({ ...rangeOf(group), is_resolved })))
  return { table: 'posts', key: 'key', at: sort, id: 'id', ranges }
}

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
