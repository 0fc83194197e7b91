import { roles as allRoles, type Role } from '../../contract/members'
import { type Found, type ListPosition, opposite, type Slice } from '../../domain/paging'
import { parseMember } from '../../records/members'
import { findLastSeen, type SearchedMember } from '../../store/member-search'
import { findMembers, type MemberSort, memberRanges, readMemberKeys } from '../../store/members'
import type { ReadContext } from '../context'

/** Up to this many matches are sorted in memory. With more, scanning the index soon finds enough of them. */
const MAX_SORTED = 1_000
const SCAN_SIZE = 500

type Hit = ListPosition & { key: number }

/** The members of these roles whose name or e-mail address contains a folded text. */
export async function searchMembers(
  context: ReadContext,
  text: string,
  roles: readonly Role[],
  slice: Slice<MemberSort>,
) {
  const { db, links } = context
  const all = await context.findMembersByText(text)
  const matches = roles.length === allRoles.length ? all : all.filter(({ role }) => roles.includes(role))
  const { rows, behind } = await findHits(context, matches, roles, slice)
  const members = new Map(
    (
      await findMembers(
        db,
        links.base,
        rows.map(({ key }) => key),
      )
    ).map((row) => [row.author_key, row]),
  )
  const found = rows.flatMap(({ key, at, tie }) => {
    const member = members.get(key)
    return member ? [{ ...member, at, tie }] : []
  })
  return { total: matches.length, found: { rows: found, behind }, toRecord: parseMember }
}

async function findHits(
  context: ReadContext,
  matches: readonly SearchedMember[],
  roles: readonly Role[],
  slice: Slice<MemberSort>,
): Promise<Found<Hit>> {
  if (slice.sort === 'created_at')
    return pickSlice(matches, ({ author_key, created_at, id }) => ({ key: author_key, at: created_at, tie: id }), slice)
  const keys = matches.map(({ author_key }) => author_key)
  if (keys.length > MAX_SORTED) return scanLastSeen(context, new Set(keys), roles, slice)
  const seen = await findLastSeen(context.db, keys)
  const hits = matches.map(({ author_key, id }) => ({ key: author_key, at: seen.get(author_key) ?? 0, tie: id }))
  return pickSlice(hits.sort(compare), (hit) => hit, slice)
}

/** One slice, one more than its limit, of what is sorted in ascending order. */
function pickSlice<T>(sorted: readonly T[], toHit: (each: T) => Hit, { scan, from, limit }: Slice): Found<Hit> {
  const isAscending = scan === 'asc'
  if (!from) {
    const rows = isAscending ? sorted.slice(0, limit + 1) : sorted.slice(-limit - 1).reverse()
    return { rows: rows.map(toHit), behind: false }
  }
  // The row at the cursor is included only if the cursor says so.
  const startsAfter = isAscending !== from.inclusive
  const edge = countLeading(sorted, (each) => {
    const order = compare(toHit(each), { at: from.at, tie: from.id })
    return order < 0 || (startsAfter && order === 0)
  })
  const rows = isAscending
    ? sorted.slice(edge, edge + limit + 1)
    : sorted.slice(Math.max(0, edge - limit - 1), edge).reverse()
  return { rows: rows.map(toHit), behind: isAscending ? edge > 0 : edge < sorted.length }
}

/** How many of what is sorted come before the first that does not meet a condition. */
function countLeading<T>(sorted: readonly T[], condition: (each: T) => boolean): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (condition(sorted[middle]!)) low = middle + 1
    else high = middle
  }
  return low
}

const compare = (one: ListPosition, other: ListPosition): number =>
  (one.at as number) - (other.at as number) || (one.tie < other.tie ? -1 : one.tie > other.tie ? 1 : 0)

/** Reads members in the order they were last seen until enough of these are found. */
async function scanLastSeen(
  context: ReadContext,
  wanted: ReadonlySet<number>,
  roles: readonly Role[],
  slice: Slice<MemberSort>,
): Promise<Found<Hit>> {
  const { from, scan } = slice
  const rows = await scanFor(context, wanted, roles, slice, slice.limit + 1)
  if (!from) return { rows, behind: false }
  const back = { ...slice, scan: opposite(scan), from: { ...from, inclusive: !from.inclusive } }
  return { rows, behind: (await scanFor(context, wanted, roles, back, 1)).length > 0 }
}

async function scanFor(
  { db, viewer }: ReadContext,
  wanted: ReadonlySet<number>,
  roles: readonly Role[],
  slice: Slice<MemberSort>,
  count: number,
): Promise<Hit[]> {
  const ranges = memberRanges(viewer, roles, slice.sort)
  const hits: Hit[] = []
  for (let { from } = slice; ; ) {
    const rows = await readMemberKeys(db, ranges, { ...slice, from, limit: SCAN_SIZE })
    for (const hit of rows) {
      if (wanted.has(hit.key)) hits.push(hit)
      if (hits.length === count) return hits
    }
    const last = rows.at(-1)
    if (!last || rows.length <= SCAN_SIZE) return hits
    from = { at: last.at, id: last.tie, inclusive: false }
  }
}
