import type { Input } from '../../contract'
import { fold } from '../../contract/fold'
import { roles as allRoles, type Member, type Role } from '../../contract/members'
import type { Page } from '../../contract/page'
import { pageRequest, toPage } from '../../domain/paging'
import { seesPublic, type Viewer } from '../../domain/permissions'
import { toMember } from '../../records/members'
import { Recall } from '../../records/memory'
import {
  type Listing,
  listedPage,
  type Remembered,
  recalledPage,
  recalledSheets,
  rememberedPage,
} from '../../records/remembered'
import type { Written } from '../../records/written'
import { searchMembers } from '../../store/member-search'
import { findMembers, listMembers, type MemberRow, type MemberSort, memberRanges } from '../../store/members'
import { type Counts, findCounts, memberCounter } from '../../store/workspaces'
import type { ReadContext, Recalling } from '../context'

export async function list(
  context: ReadContext,
  input: Input<'members.list'>,
): Promise<Page<Member> | Written<Page<Member>>> {
  const { db, viewer, links, volatile } = context
  const { text, roles, request } = pageAsked(input)
  if (request.sort === 'last_seen_at') volatile()

  if (text !== '' && seesPublic(viewer) && request.sort === 'created_at') {
    const directory = await context.directory()
    if (directory) return listedPage(context, members, directory.list(text, roles, request), request)
  }
  if (text !== '' || !seesPublic(viewer)) {
    const { found, total } = await searchMembers(db, viewer, { roles, text }, request)
    return toPage(request, found, total, (row) => toMember(links, row))
  }
  const counts = await context.memory.noting('counts', () => findCounts(db, viewer.workspace.key))
  const listing = listingOf(viewer, roles, request.sort, counts)
  // When someone was last seen moves no revision, so it is not remembered.
  if (request.sort === 'last_seen_at')
    return toPage(request, await listMembers(db, listing.ranges(), request), listing.total, (row) =>
      toMember(links, row),
    )
  const page = await rememberedPage(context, members, listing, request)
  return page ?? list({ ...context, memory: Recall.none }, input)
}

/** Members in the order they came, from memory alone. */
export function recallList({ memory, viewer, directory }: Recalling, input: Input<'members.list'>) {
  const { text, roles, request } = pageAsked(input)
  if (!seesPublic(viewer) || request.sort !== 'created_at') return undefined
  if (text !== '') {
    const listed = directory()?.list(text, roles, request)
    return listed && recalledSheets<Page<Member>>(memory, 'member', listed, request)
  }
  const counts = memory.noted<Counts>('counts')
  return counts && recalledPage<Page<Member>>(memory, listingOf(viewer, roles, request.sort, counts), request)
}

function pageAsked(input: Input<'members.list'>) {
  const text = input.q === undefined ? '' : fold(input.q)
  const roles = allRoles.filter((role) => input.roles?.includes(role) ?? true)
  const request = pageRequest<MemberSort>(`members.list ${roles} ${text}`, input, {
    sort: 'created_at',
    direction: 'asc',
    otherSorts: ['last_seen_at'],
  })
  return { text, roles, request }
}

const listingOf = (viewer: Viewer, roles: readonly Role[], sort: MemberSort, counts: Counts): Listing => ({
  name: { kind: 'member', of: '', sort, filter: String(roles) },
  ranges: () => memberRanges(viewer, roles, sort),
  total: roles.reduce((sum, role) => sum + counts[memberCounter[role]], 0),
})

const members: Remembered<MemberRow, Member> = {
  kind: 'member',
  find: findMembers,
  keyOf: (row) => row.author_key,
  toRecord: toMember,
  factsOf: ({ created_at }) => ({ created_at }),
}
