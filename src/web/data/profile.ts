import type { Me } from '../../contract/me'
import type { EventHandlers } from './event-handlers'
import { meQuery, refreshMe } from './me'
import { cache, parley } from './parley'

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

const refreshIfMine = ({ data: { member } }: { data: { member: { id: string } } }) => {
  if (cache.getQueryData<Me>(meQuery.queryKey)?.author.id === member.id) void refreshMe()
}

/** Changes made in another browser. A changed name arrives as a member event. */
export const profileEventHandlers: EventHandlers = {
  'password.changed': refreshIfMine,
  'password.removed': refreshIfMine,
}
