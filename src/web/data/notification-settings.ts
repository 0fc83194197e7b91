import { useQuery } from '@tanstack/react-query'
import type { Input } from '../../contract'
import type { EmailAddress } from '../../contract/me'
import type { NotificationSettings } from '../../contract/notifications'
import { trustScript } from '../parts/trusted-types'
import { endpoints } from '../paths'
import { cache, parley } from './parley'

export type NotificationChange = (changes: Input<'me.updateNotificationSettings'>) => void

const SETTINGS = ['notification-settings']
const EMAIL = ['email']

export const useNotificationSettings = () =>
  useQuery({ queryKey: SETTINGS, queryFn: () => parley.me.getNotificationSettings(), staleTime: 0 })

const refreshNotificationSettings = () => cache.invalidateQueries({ queryKey: SETTINGS })

let changesInFlight = 0

/** Shown at once. Times are in this browser's time zone. */
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

/** Whether this browser can show notifications, and whether the member lets it. */
export type PushPermission = 'unsupported' | NotificationPermission

export const getPushPermission = (): PushPermission =>
  'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window
    ? Notification.permission
    : 'unsupported'

/** Asks for permission and subscribes this browser. Returns whether the member agreed. */
export async function enablePush(): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false
  const { public_key } = await parley.me.getPushKey()
  await navigator.serviceWorker.register(trustScript(endpoints.serviceWorker))
  const { pushManager } = await navigator.serviceWorker.ready
  // One of an earlier key of the server would refuse the new one.
  await (await pushManager.getSubscription())?.unsubscribe()
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: public_key })
  const { endpoint, keys } = made.toJSON() as { endpoint: string; keys: { p256dh: string; auth: string } }
  await parley.me.setPushSubscription({ endpoint, keys })
  await refreshNotificationSettings()
  return true
}

export async function disablePush() {
  await parley.me.deletePushSubscription()
  const registration = await navigator.serviceWorker?.getRegistration()
  await (await registration?.pushManager.getSubscription())?.unsubscribe()
  await refreshNotificationSettings()
}
