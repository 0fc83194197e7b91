import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { roles as allRoles, type Role } from '../../contract/members'
import type { Direction } from '../../contract/shapes'
import {
  type Found,
  type ListPosition,
  type LocatedSlice,
  opposite,
  type Slice,
  startsAtRecord,
  unknownRecord,
} from '../../domain/lists/paging'
import type { Viewer } from '../../domain/permissions'
import { sharedWith, type ViewerKeys, viewerKeysOf, viewerParams, visibleMembers } from '../access/visibility'
import { prepare, type Reader } from '../engines/db'
import { orderBy, pastOrigin, type RangesStart, startOf } from '../lists/ranges'
import { addMemberJson, type MemberSort, searchTextOf } from './members'

/** Whom to find: members of these roles whose name or e-mail address contains a folded text, which may be empty. */
export interface MemberFilter {
  roles: readonly Role[]
  text: string
}

/** So many matches are sorted. If there are more, members are read in the order of the list until the page is full. */
const MAX_SORTED = 1_000

type SearchShape = [
  sort: MemberSort,
  scan: Direction,
  start: RangesStart,
  limit: number,
  roles: readonly Role[],
  hasText: boolean,
  seesPublic: boolean,
]

/**
 * A slice of the matches, one more than its limit, with their number, and whether any is on the other side of its start. No
 * index finds a part of a name, so all members are scanned, in an index where it has their texts, but only once: either
 * the scan finds all matches, or there are so many that a page is filled after a few, and they are only counted.
 */
const search = prepare((db, param, ...shape: SearchShape) => {
  const [sort, scan, start, limit, roles, hasText, seesPublic] = shape
  const { syntax } = db
  const viewer = viewerParams(param, seesPublic)
  const text = hasText ? param<string>('text') : ''
  const matches = isMatch(db, viewer, { roles, text })
  const columns = sql`author_key AS key, ${sql.ref(sort)} AS at, id`
  const found = sql`(SELECT count(*) FROM found)`
  // No workspace, if the matches are few: this way SQLite scans nothing for it, whatever the order of its conditions.
  const workspaceOfMany = sql<number>`(SELECT CASE count(*) WHEN ${sql.lit(MAX_SORTED)} THEN CAST(${viewer.workspace} AS bigint) END FROM found)`

  const slice = (way: Direction, inclusive: boolean, count: number, max: number) => {
    const isBeyond = (at: string) =>
      start === 'beginning'
        ? sql<SqlBool>`true`
        : pastOrigin({ at, id: 'id' }, way, inclusive, param('at'), param('id'))
    const inOrder = roles.map(
      (role) => sql`SELECT ${columns} FROM members
        WHERE ${isMatch(db, viewer, { roles: [role], text }, workspaceOfMany)} AND ${isBeyond(sort)}`,
    )
    const first = syntax.first(syntax.mergeInOrder(inOrder, orderBy(way), syntax.limit(count)), count, max)
    return sql`(SELECT key, at, id FROM found WHERE ${found} < ${sql.lit(MAX_SORTED)} AND ${isBeyond('at')}
      UNION ALL SELECT key, at, id FROM (${first}) AS many ${orderBy(way)} LIMIT ${max})`
  }
  const other = slice(opposite(scan), start === 'after', 1, sql.lit(1) as unknown as number)
  return sql<{ positions: string | null; total: number; behind: number }>`
    WITH found AS MATERIALIZED (SELECT ${columns} FROM members WHERE ${matches} LIMIT ${sql.lit(MAX_SORTED)})
    SELECT ${syntax.joinInOrder(sql`concat(key, ' ', at, ' ', id)`, ',', orderBy(scan))} AS positions,
      CASE WHEN ${found} < ${sql.lit(MAX_SORTED)} THEN ${found}
        ELSE (SELECT count(*) FROM members WHERE ${matches}) END AS total,
      ${start === 'beginning' ? sql`0` : sql`(SELECT count(*) FROM ${other} AS other_side)`} AS behind
    FROM ${slice(scan, start === 'at', limit + 1, param('limit'))} AS page`
})

/** The rule which members are found. */
function isMatch(
  db: Reader,
  viewer: ViewerKeys,
  { roles, text }: MemberFilter,
  workspace: number | RawBuilder<number> = viewer.workspace,
): RawBuilder<SqlBool> {
  const conditions = [sql<SqlBool>`members.workspace_key = ${workspace}`]
  if (roles.length < allRoles.length)
    conditions.push(sql`members.role IN (${sql.join(roles.map((role) => sql.lit(role)))})`)
  if (text !== '') conditions.push(containsText(db, text))
  if (!viewer.seesPublic)
    conditions.push(sql`(members.author_key = ${viewer.me} OR members.author_key IN ${sharedWith(db, viewer)})`)
  return sql.join(conditions, sql` AND `)
}

const containsText = (db: Reader, text: string) =>
  sql<SqlBool>`${sql.raw(db.syntax.indexOf)}(members.search_text, ${text}) > 0`

/** The members this viewer may see that match a filter. */
export async function searchMembers(
  db: Reader,
  viewer: Viewer,
  base: string,
  filter: MemberFilter,
  request: Slice<MemberSort>,
): Promise<{ total: number; found: Found<ListPosition & { json: string }> }> {
  const { sort, scan, limit, from } = await locateMember(db, viewer, filter, request)
  const keys = viewerKeysOf(viewer)
  const [row] = await search(
    db,
    [sort, scan, startOf(from), limit, filter.roles, filter.text !== '', keys.seesPublic],
    { ...keys, text: filter.text, at: from?.at, id: from?.id, limit: limit + 1 },
  )
  const { positions, total, behind } = row!
  const rows = (positions?.split(',') ?? []).map((position) => {
    const [key, at, tie] = position.split(' ')
    return { key: Number(key), at: Number(at), tie: tie! }
  })
  return { total, found: { rows: await addMemberJson(db, base, rows), behind: behind > 0, from } }
}

/** Looks up where a slice starts, if it starts at a member, who has to match, too. */
async function locateMember(
  db: Reader,
  viewer: Viewer,
  filter: MemberFilter,
  slice: Slice<MemberSort>,
): Promise<LocatedSlice<MemberSort>> {
  const { from, sort } = slice
  if (!startsAtRecord(from)) return { ...slice, from }
  const member = await db
    .selectFrom('authors as a')
    .innerJoin('members', 'members.author_key', 'a.key')
    .where('a.workspace_key', '=', viewer.workspace.key)
    .where('a.id', '=', from.record)
    .where(isMatch(db, viewerKeysOf(viewer), filter))
    .select(`members.${sort} as at`)
    .executeTakeFirst()
  if (!member) throw unknownRecord(from)
  return { ...slice, from: { at: member.at, id: from.record, inclusive: false } }
}

/**
 * The members this viewer may see whose name has a word that starts with a folded text, those that are named exactly so
 * first, then by creation time.
 */
export const listMembersNamed = (db: Reader, viewer: Viewer, text: string, limit: number) => {
  const indexOf = sql.raw(db.syntax.indexOf)
  // Of the texts of a member, only the name has spaces. It comes first, and ends with its line.
  const isNamed = sql<SqlBool>`${indexOf}(members.search_text, ${searchTextOf(text, '')}) = 1`
  return visibleMembers(db, viewerKeysOf(viewer))
    .where(sql<SqlBool>`${indexOf}(' ' || members.search_text, ${` ${text}`}) > 0`)
    .select(['members.author_key', 'members.search_text'])
    .orderBy(sql`CASE WHEN ${isNamed} THEN 0 ELSE 1 END`)
    .orderBy('members.created_at')
    .orderBy('members.id')
    .limit(limit)
    .execute()
}
