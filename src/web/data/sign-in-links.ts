import { useQuery } from '@tanstack/react-query'
import type { OpenSignInLink } from '../../contract/sign-in-links'
import { notifyProblem } from '../parts/notices'
import { cache, parley } from './parley'

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
