import { trustScript } from '../parts/trusted-types'
import { endpoints } from '../paths'
import { refreshNotificationSettings } from './notification-settings'
import { parley } from './parley'

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
