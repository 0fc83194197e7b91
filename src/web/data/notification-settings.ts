import { useQuery } from '@tanstack/react-query'
import type { Input } from '../../contract'
import type { EmailAddress } from '../../contract/me'
import type { NotificationSettings } from '../../contract/notifications'
import { cache, parley } from './parley'

export type NotificationChange = (changes: Input<'me.updateNotificationSettings'>) => void

const SETTINGS = ['notification-settings']
const EMAIL = ['email']

export const useNotificationSettings = () =>
  useQuery({ queryKey: SETTINGS, queryFn: () => parley.me.getNotificationSettings(), staleTime: 0 })

export const refreshNotificationSettings = () => cache.invalidateQueries({ queryKey: SETTINGS })

let changesInFlight = 0

/** Shown at once. Times are those of this browser's time zone. */
export async function updateNotificationSettings(changes: Input<'me.updateNotificationSettings'>) {
  const sent = { time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone, ...changes }
  cache.setQueryData<NotificationSettings>(SETTINGS, (before) => before && { ...before, ...sent })
  changesInFlight += 1
  try {
    await parley.me.updateNotificationSettings(sent)
  } finally {
    changesInFlight -= 1
    // An answer that is older than the last change would undo it for a moment.
    if (changesInFlight === 0) await refreshNotificationSettings()
  }
}

export const useEmail = () => useQuery({ queryKey: EMAIL, queryFn: () => parley.me.getEmail(), staleTime: 0 })

export async function changeEmail(email: string, current_password: string | undefined) {
  const changed = await parley.me.changeEmail({ email, ...(current_password && { current_password }) })
  cache.setQueryData<EmailAddress>(EMAIL, changed)
}

export async function cancelEmailChange() {
  await parley.me.cancelEmailChange()
  await cache.invalidateQueries({ queryKey: EMAIL })
}
