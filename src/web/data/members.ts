import { useQuery } from '@tanstack/react-query'
import type { Member, Role } from '../../contract/members'
import type { OpenSignInLink } from '../../contract/sign-in-links'
import { notifyProblem } from '../parts/notices'
import { keys } from './cache/keys'
import { optimistic, useShown } from './cache/optimistic'
import { usePages } from './cache/pages'
import { cache, parley } from './cache/parley'
import { changesOf, findLoaded, type MemberFilter, put } from './cache/records'

export type { MemberFilter }

/** No event reports when someone was last seen, so it is refetched. */
const LAST_SEEN_STALE_MS = 30_000

export function useMembers(filter: MemberFilter, from?: string) {
  const { role, ...rest } = filter
  const load = (after: string | undefined) =>
    parley.members.list({ ...rest, ...(role && { roles: [role] }), ...(after && { after }) })
  return usePages<Member>(keys.membersBy(filter), load, {
    from,
    keepPrevious: true,
    staleTime: filter.sort === 'last_seen_at' ? LAST_SEEN_STALE_MS : undefined,
  })
}

export const useMember = (id: string) =>
  useShown<Member>({
    queryKey: keys.member(id),
    queryFn: () => parley.members.get({ id }),
    placeholderData: () => findLoaded('member', id),
  })

/** Updates a member: shown at once, undone if the request fails. */
export async function changeMember(
  { id }: Member,
  changes: { role?: Role; is_deactivated?: boolean },
  failure: string,
) {
  try {
    await optimistic(
      changesOf('member', id, (member) => ({ ...member, ...changes })),
      () => parley.members.update({ id, ...changes }),
      (member) => put('member', member),
    )
  } catch (error) {
    notifyProblem(failure, error)
  }
}

export const createSignInLink = (member: Member) => parley.members.createSignInLink({ member_id: member.id })

/** A member's unused sign-in link; null if there is none. For admins only. */
export const useSignInLink = (memberId: string) =>
  useQuery({
    queryKey: keys.signInLink(memberId),
    queryFn: async () => (await parley.signInLinks.list({ member_id: memberId })).data[0] ?? null,
    staleTime: 0,
  })

export async function revokeSignInLink({ id, member }: OpenSignInLink) {
  cache.setQueryData(keys.signInLink(member.id), null)
  try {
    await parley.signInLinks.delete({ id })
  } catch (error) {
    notifyProblem("Couldn't revoke the sign-in link.", error)
  }
  await cache.invalidateQueries({ queryKey: keys.signInLink(member.id) })
}
