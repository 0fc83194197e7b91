import { useQuery } from '@tanstack/react-query'
import type { Input } from '../../contract'
import type { Me, Preferences } from '../../contract/me'
import type { Profile } from '../../contract/members'
import { meQuery, refreshMe } from './me'
import { cache, parley } from './parley'
import { readStored, store } from './storage'

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

const KEY = ['preferences']
const STORED = 'preferences'

/** How the web app behaves for this member. Until the server has answered, as it did last in this browser. */
export const usePreferences = (): Preferences =>
  useQuery({
    queryKey: KEY,
    queryFn: async () => remember(await parley.me.getPreferences()),
    placeholderData: () => readStored<Preferences>(STORED, { enter_sends: true }),
  }).data!

function remember(preferences: Preferences): Preferences {
  store(STORED, preferences)
  return preferences
}

/** Shows the change at once, and the old value again if it fails. */
export async function updatePreferences(changes: Partial<Preferences>) {
  const before = cache.getQueryData<Preferences>(KEY)
  if (before) cache.setQueryData(KEY, { ...before, ...changes })
  try {
    cache.setQueryData(KEY, remember(await parley.me.updatePreferences(changes)))
  } catch (error) {
    cache.setQueryData(KEY, before)
    throw error
  }
}

const SIDE = 512

/** Crops a picture to its centre square and scales it down. Throws if the file is not a picture. */
export async function cropToSquare(file: Blob): Promise<Blob> {
  const picture = await createImageBitmap(file)
  const side = Math.min(picture.width, picture.height)
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = Math.min(SIDE, side)
  const [left, top] = [(picture.width - side) / 2, (picture.height - side) / 2]
  canvas.getContext('2d')!.drawImage(picture, left, top, side, side, 0, 0, canvas.width, canvas.width)
  picture.close()
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("Couldn't read this picture."))), 'image/png'),
  )
}
