import { useQuery } from '@tanstack/react-query'
import type { Input } from '../../contract'
import { fold } from '../../contract/browser/fold'
import type { Me } from '../../contract/me'
import type { Member, Role } from '../../contract/members'
import type { OpenSignInLink } from '../../contract/sign-in-links'
import { notifyProblem } from '../parts/notices'
import { addFirst, addLast, changeRecords, type Pages, usePages } from './cache/pages'
import { cache, parley } from './cache/parley'
import { meQuery, refreshMe } from './me'

export interface MemberFilter {
  q?: string
  role?: Role
  sort: 'created_at' | 'last_seen_at'
  direction: 'asc' | 'desc'
}

export const MEMBERS = ['members']
export const membersKey = (filter: MemberFilter) => [...MEMBERS, filter]
const memberKey = (id: string) => ['member', id]

/** No event reports when someone was last seen, so it is refetched. */
const LAST_SEEN_STALE_MS = 30_000

export function useMembers(filter: MemberFilter, from?: string) {
  const { role, ...rest } = filter
  const load = (after: string | undefined) =>
    parley.members.list({ ...rest, ...(role && { roles: [role] }), ...(after && { after }) })
  return usePages<Member>(membersKey(filter), load, {
    from,
    keepPrevious: true,
    staleTime: filter.sort === 'last_seen_at' ? LAST_SEEN_STALE_MS : undefined,
  })
}

export const useMember = (id: string) =>
  useQuery({
    queryKey: memberKey(id),
    queryFn: () => parley.members.get({ id }),
    placeholderData: () => findMemberInLists(id),
  })

function findMemberInLists(id: string): Member | undefined {
  for (const [, pages] of cache.getQueriesData<Pages<Member>>({ queryKey: MEMBERS }))
    for (const page of pages?.pages ?? []) {
      const found = page.data.find((member) => member.id === id)
      if (found) return found
    }
  return undefined
}

/** Updates a member in the cache, in every list that shows or should show them. */
function putMember(member: Member) {
  cache.setQueryData(memberKey(member.id), member)
  for (const [key, pages] of cache.getQueriesData<Pages<Member>>({ queryKey: MEMBERS })) {
    if (!pages) continue
    const filter = key[1] as MemberFilter
    const isShown = pages.pages.some(({ data }) => data.some(({ id }) => id === member.id))
    if (isShown)
      changeRecords<Member>(key, (shown) =>
        shown.id !== member.id ? shown : matchesFilter(filter, member) ? member : undefined,
      )
    else if (matchesFilter(filter, member)) insertMember(key, filter, pages, member)
  }
}

const matchesFilter = ({ q, role }: MemberFilter, { role: has, user }: Member) =>
  (role === undefined || role === has) &&
  (!q || fold(user.display_name).includes(fold(q)) || fold(user.email).includes(fold(q)))

/** Adds a new member at the end of the list where they belong. For anyone else, the list is refetched. */
function insertMember(key: readonly unknown[], { direction }: MemberFilter, pages: Pages<Member>, member: Member) {
  const isNewest = pages.pages.every(({ data }) => data.every(({ created_at }) => created_at < member.created_at))
  if (!isNewest) return void cache.invalidateQueries({ queryKey: key })
  const add = direction === 'desc' ? addFirst : addLast
  cache.setQueryData<Pages<Member>>(key, (now) => now && add(now, member))
}

/** Updates a member: shown at once, undone if the request fails. */
export async function changeMember(
  member: Member,
  changes: { role?: Role; is_deactivated?: boolean },
  failure: string,
) {
  putMember({ ...member, ...changes })
  try {
    putMember(await parley.members.update({ id: member.id, ...changes }))
  } catch (error) {
    putMember(member)
    notifyProblem(failure, error)
  }
}

export async function inviteMember(input: Input<'members.create'>): Promise<Member> {
  const member = await parley.members.create(input)
  putMember(member)
  return member
}

export const createSignInLink = (member: Member) => parley.members.createSignInLink({ member_id: member.id })

export const handleMember = ({ data: member }: { data: Member }) => {
  putMember(member)
  const me = cache.getQueryData<Me>(meQuery.queryKey)
  // Another role can see different things.
  if (me?.author.id === member.id) void (me.role === member.role ? refreshMe() : cache.invalidateQueries())
}

export const LINKS = ['sign-in-links']

/** A member's unused sign-in link; null if there is none. For admins only. */
export const useSignInLink = (memberId: string) =>
  useQuery({
    queryKey: [...LINKS, memberId],
    queryFn: async () => (await parley.signInLinks.list({ member_id: memberId })).data[0] ?? null,
    staleTime: 0,
  })

export async function revokeSignInLink({ id, member }: OpenSignInLink) {
  cache.setQueryData([...LINKS, member.id], null)
  try {
    await parley.signInLinks.delete({ id })
  } catch (error) {
    notifyProblem("Couldn't revoke the sign-in link.", error)
  }
  await cache.invalidateQueries({ queryKey: [...LINKS, member.id] })
}
