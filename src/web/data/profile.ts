import { useQuery } from '@tanstack/react-query'
import type { Input } from '../../contract'
import type { Me } from '../../contract/me'
import type { Profile } from '../../contract/members'
import { meQuery, refreshMe } from './me'
import { cache, parley } from './parley'

const profileKey = (memberId: string) => ['profile', memberId]

/** The job title and time zone of a member. */
export const useProfile = (memberId: string) =>
  useQuery({ queryKey: profileKey(memberId), queryFn: () => parley.members.getProfile({ member_id: memberId }) })

export const putProfile = (profile: Profile) => cache.setQueryData(profileKey(profile.member_id), profile)

export async function updateProfile(changes: Input<'me.updateProfile'>) {
  putProfile(await parley.me.updateProfile(changes))
}

export async function updateName(display_name: string) {
  cache.setQueryData<Me>(meQuery.queryKey, await parley.me.update({ display_name }))
}

export async function setAvatar(file: Blob) {
  await parley.me.setAvatar({ file })
  await refreshMe()
}

export async function removeAvatar() {
  await parley.me.deleteAvatar()
  await refreshMe()
}

export async function setPassword(password: string, current_password: string | undefined) {
  await parley.me.setPassword({ password, ...(current_password && { current_password }) })
  await Promise.all([refreshMe(), cache.invalidateQueries({ queryKey: ['sessions'] })])
}

export async function removePassword(current_password: string | undefined) {
  await parley.me.deletePassword(current_password ? { current_password } : {})
  await refreshMe()
}

export const refreshIfMine = ({ data: { member } }: { data: { member: { id: string } } }) => {
  if (cache.getQueryData<Me>(meQuery.queryKey)?.author.id === member.id) void refreshMe()
}
