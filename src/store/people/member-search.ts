import { type Selectable, type SqlBool, sql } from 'kysely'
import { type Role, roles } from '../../contract/members'
import type { Direction } from '../../contract/shapes'
import { memberSearchEvents } from '../../domain/events/effects'
import type { ListPosition, LocatedSlice, Slice } from '../../domain/lists/paging'
import type { Viewer } from '../../domain/permissions'
import { viewerKeysOf, visibleMembers } from '../access/visibility'
import { prepare, type Reader } from '../engines/db'
import { listRows } from '../lists/list'
import {
  type IndexRanges,
  keysOf,
  orderBy,
  pastOrigin,
  type RangesShape,
  type RangesStart,
  shapeOf,
  sliceOfShape,
  startOf,
  valuesOf,
} from '../lists/ranges'
import type { Tables } from '../schema'
import { addMemberJson, type MemberSort } from './members'

/** The members a guest may see whose name or e-mail address contains the folded text, if there is one. They are few. */
export async function searchVisibleMembers(
  db: Reader,
  viewer: Viewer,
  base: string,
  filter: { roles: readonly Role[]; text: string },
  slice: Slice<MemberSort>,
) {
  const visible = visibleMembers(db, viewerKeysOf(viewer)).select('members.author_key')
  const conditions = [
    sql`members.author_key IN ${visible}`,
    sql`members.role IN (${sql.join(filter.roles)})`,
    ...(filter.text === '' ? [] : [containsText(db, filter.text)]),
  ]
  const list = {
    ...{ table: 'members', key: 'author_key', at: slice.sort, id: 'id', records: 'authors' },
    ranges: [{ workspace_key: viewer.workspace.key }],
    where: sql<SqlBool>`${sql.join(conditions, sql` AND `)}`,
  }
  const { found, total } = await listRows(db, list, slice, (keys) => keys.select('k.key'))
  return { total, found: { ...found, rows: await addMemberJson(db, base, found.rows) } }
}

/** The members the viewer may see whose name or e-mail address contains a text. */
export const listMembersWithText = (
  db: Reader,
  viewer: Viewer,
  text: string,
  limit: number,
): Promise<SearchedMember[]> =>
  visibleMembers(db, viewerKeysOf(viewer)).where(containsText(db, text)).select(searchColumns).limit(limit).execute()

const containsText = (db: Reader, text: string) =>
  sql<SqlBool>`${sql.raw(db.syntax.indexOf)}(members.search_text, ${text}) > 0`

/** The columns of a member that search needs. */
export type SearchedMember = Pick<
  Selectable<Tables['members']>,
  'author_key' | 'id' | 'role' | 'created_at' | 'search_text'
>

/** What a search found among the members of a workspace. */
export interface MatchedMembers {
  /** All members of the workspace, ordered by when they were created. */
  allMembers: readonly SearchedMember[]
  /** The indexes of the matches. */
  indexes: Uint32Array
  /** The member with this id, if they match. */
  get(id: string): SearchedMember | undefined
}

/** A member at their position in a list. */
export type MemberHit = ListPosition & { key: number }

const searchColumns = [
  'members.author_key',
  'members.id',
  'members.role',
  'members.created_at',
  'members.search_text',
] as const

const membersOfRole = prepare((db, param) =>
  db
    .selectFrom('members')
    .where('workspace_key', '=', param<number>('workspace'))
    .where('role', '=', param('role') as Role)
    .where(pastOrigin({ at: 'created_at', id: 'id' }, 'asc', false, param('at'), param('id')))
    .orderBy('created_at')
    .orderBy('id')
    .limit(param<number>('limit'))
    .select(searchColumns),
)

/** All members of a workspace, role by role, some at a time. */
export async function* readSearchedMembers(db: Reader, workspace: number) {
  const limit = 500
  for (const role of roles)
    for (let after = { created_at: Number.MIN_SAFE_INTEGER, id: '' }; ; ) {
      const { created_at: at, id } = after
      const page = await membersOfRole(db, [], { workspace, role, at, id, limit })
      yield page
      if (page.length < limit) break
      after = page.at(-1)!
    }
}

export const findSearchedMembers = async (
  db: Reader,
  workspaceKey: number,
  ids: readonly string[],
): Promise<SearchedMember[]> =>
  ids.length === 0
    ? []
    : db
        .selectFrom('authors as a')
        .innerJoin('members', 'members.author_key', 'a.key')
        .where('a.workspace_key', '=', workspaceKey)
        .where('a.id', 'in', ids)
        .select(searchColumns)
        .execute()

/** The events after which a search finds other members. An index holds just these: `events_of_members`. */
const memberEvents = prepare((db, param) =>
  db
    .selectFrom('events')
    .where('workspace_key', '=', param<number>('workspace'))
    .where('revision', '>', param<number>('after'))
    .where('revision', '<=', param<number>('upTo'))
    .where(sql<SqlBool>`type IN (${sql.join(memberSearchEvents.map((type) => sql.lit(type)))})`)
    .orderBy('revision')
    .limit(param<number>('limit'))
    .select(['type', 'data']),
)

/** The ids of the members that changed between two revisions; undefined where more changed than is worth telling. */
export async function findChangedMembers(
  db: Reader,
  workspaceKey: number,
  after: number,
  upTo: number,
  max: number,
): Promise<string[] | undefined> {
  const events = await memberEvents(db, [], { workspace: workspaceKey, after, upTo, limit: max + 1 })
  if (events.length > max || events.some(({ type }) => type === 'workspace.seeded')) return undefined
  return [...new Set(events.map(({ data }) => (JSON.parse(data) as { id: string }).id))]
}

const positionsByLastSeen = prepare((db, param, ...shape: RangesShape) => {
  const order = orderBy(shape[1])
  return db
    .selectFrom(keysOf(db.syntax, param, sliceOfShape(shape)))
    .select(db.syntax.joinInOrder(sql`concat(id, ' ', at)`, ',', order).as('positions'))
})

/**
 * The positions of a slice of members, one more than its limit, each as an id and a time. An index holds them, so this
 * reads no member, and as one text they are read in a third of the time.
 */
export async function listByLastSeen(db: Reader, ranges: IndexRanges, slice: LocatedSlice): Promise<string[]> {
  const [row] = await positionsByLastSeen(db, shapeOf({ ...ranges, key: 'id' }, slice), valuesOf(ranges, slice))
  return row!.positions?.split(',') ?? []
}

const sortedByLastSeen = prepare((db, param, scan: Direction, start: RangesStart) =>
  db
    .selectFrom('members')
    .where(db.syntax.isInJson('author_key', param('keys')))
    .$if(start !== 'beginning', (query) =>
      query.where(pastOrigin({ at: 'last_seen_at', id: 'id' }, scan, start === 'at', param('at'), param('id'))),
    )
    .orderBy('last_seen_at', scan)
    .orderBy('id', scan)
    .limit(param<number>('limit'))
    .select(['author_key as key', 'last_seen_at as at', 'id as tie']),
)

/** A slice of the members with these keys, in the order they were last seen, one more than its limit. */
export const sortByLastSeen = (
  db: Reader,
  keys: readonly number[],
  { scan, from, limit }: LocatedSlice,
): Promise<MemberHit[]> =>
  sortedByLastSeen(db, [scan, startOf(from)], { keys: JSON.stringify(keys), limit: limit + 1, ...from })
