import { roles as allRoles, type Role } from '../contract/members'
import {
  countLeading,
  type Found,
  type ListPosition,
  type LocatedSlice,
  opposite,
  type Slice,
  startsAtRecord,
  unknownRecord,
} from '../domain/lists/paging'
import {
  listByLastSeen,
  type MatchedMembers,
  type MemberHit,
  type SearchedMember,
  sortByLastSeen,
} from '../store/people/member-search'
import { addMemberJson, type MemberSort, memberRanges } from '../store/people/members'
import type { ReadContext } from './context'

/** Sorting one match costs as much as scanning this many entries of the index. */
const SORT_COST = 3
const MIN_SCAN = 30
const MAX_SCAN = 2_048

/** The members of these roles whose name or e-mail address contains a folded text. */
export async function searchMembers(
  context: ReadContext,
  text: string,
  roles: readonly Role[],
  request: Slice<MemberSort>,
) {
  const matches = withRoles(await context.findMembersByText(text), roles)
  const slice = await locateMember(context, matches, request)
  const { rows, behind } =
    slice.sort === 'created_at' ? pickSlice(matches, slice) : await findByLastSeen(context, matches, roles, slice)
  return {
    total: matches.indexes.length,
    found: { rows: await addMemberJson(context.db, context.links.base, rows), behind, from: slice.from },
  }
}

/** Looks up where a slice starts, if it starts at a member. */
async function locateMember(
  { db }: ReadContext,
  matches: MatchedMembers,
  slice: Slice<MemberSort>,
): Promise<LocatedSlice<MemberSort>> {
  const { from } = slice
  if (!startsAtRecord(from)) return { ...slice, from }
  const member = matches.get(from.record)
  if (!member) throw unknownRecord(from)
  const isByCreation = slice.sort === 'created_at'
  const [seen] = isByCreation ? [] : await sortByLastSeen(db, [member.author_key], { ...slice, from: undefined })
  const at = seen?.at ?? member.created_at
  return { ...slice, from: { at, id: from.record, inclusive: false } }
}

function withRoles(matches: MatchedMembers, roles: readonly Role[]): MatchedMembers {
  if (roles.length === allRoles.length) return matches
  const { allMembers, indexes } = matches
  const hasRole = (member: SearchedMember | undefined) => member && roles.includes(member.role)
  return {
    ...matches,
    indexes: indexes.filter((index) => hasRole(allMembers[index])),
    get: (id) => (hasRole(matches.get(id)) ? matches.get(id) : undefined),
  }
}

/** One slice, one more than its limit, in the order of creation. */
function pickSlice({ allMembers, indexes }: MatchedMembers, { scan, from, limit }: LocatedSlice): Found<MemberHit> {
  const hitAt = (index: number): MemberHit => {
    const { author_key, created_at, id } = allMembers[index]!
    return { key: author_key, at: created_at, tie: id }
  }
  const isAscending = scan === 'asc'
  // How many matches are before the edge, where the slice begins, or ends if it is read backwards.
  const isRowBeforeEdge = isAscending !== from?.inclusive
  const edge = from
    ? countLeading(indexes.length, (number) => {
        const order = compare(hitAt(indexes[number]!), { at: from.at, tie: from.id })
        return order < 0 || (isRowBeforeEdge && order === 0)
      })
    : isAscending
      ? 0
      : indexes.length
  const picked = isAscending
    ? indexes.slice(edge, edge + limit + 1)
    : indexes.slice(Math.max(0, edge - limit - 1), edge).reverse()
  return { rows: Array.from(picked, hitAt), behind: isAscending ? edge > 0 : edge < indexes.length }
}

const compare = (one: ListPosition, other: ListPosition): number =>
  (one.at as number) - (other.at as number) || (one.tie < other.tie ? -1 : one.tie > other.tie ? 1 : 0)

/** One slice, one more than its limit, in the order in which they were last seen, which only the database knows. */
async function findByLastSeen(
  context: ReadContext,
  matches: MatchedMembers,
  roles: readonly Role[],
  slice: LocatedSlice<MemberSort>,
): Promise<Found<MemberHit>> {
  const { allMembers, indexes } = matches
  if (indexes.length === 0) return { rows: [], behind: false }
  const isSortCheaper = indexes.length * SORT_COST <= estimateScan(matches, slice)
  const keys = isSortCheaper ? Array.from(indexes, (index) => allMembers[index]!.author_key) : []
  const find = (part: LocatedSlice<MemberSort>) =>
    isSortCheaper ? sortByLastSeen(context.db, keys, part) : scanByLastSeen(context, matches, roles, part)

  const rows = await find(slice)
  const { scan, from } = slice
  if (!from) return { rows, behind: false }
  const back = { ...slice, limit: 0, scan: opposite(scan), from: { ...from, inclusive: !from.inclusive } }
  return { rows, behind: (await find(back)).length > 0 }
}

/** How many members have to be read until enough of them match. */
const estimateScan = ({ allMembers, indexes }: MatchedMembers, { limit }: Slice): number =>
  ((limit + 1) * allMembers.length) / indexes.length

/** Reads members in order until enough of them match. */
async function scanByLastSeen(
  { db, viewer }: ReadContext,
  matches: MatchedMembers,
  roles: readonly Role[],
  slice: LocatedSlice<MemberSort>,
): Promise<MemberHit[]> {
  const ranges = memberRanges(viewer, roles, slice.sort)
  // One of few sizes: each is a statement of its own.
  const limit = Math.min(MAX_SCAN, 2 ** Math.ceil(Math.log2(estimateScan(matches, slice) + MIN_SCAN)))
  const hits: MemberHit[] = []
  for (let { from } = slice; ; ) {
    const positions = await listByLastSeen(db, ranges, { ...slice, from, limit })
    for (const position of positions) {
      const space = position.indexOf(' ')
      const member = matches.get(position.slice(0, space))
      if (member) hits.push({ key: member.author_key, at: Number(position.slice(space)), tie: member.id })
      if (hits.length > slice.limit) return hits
    }
    if (positions.length <= limit) return hits
    const [id, at] = positions.at(-1)!.split(' ')
    from = { at: Number(at), id: id!, inclusive: false }
  }
}
