import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import type { Input } from '../../contract'
import type { EmailAddress, Me, Preferences } from '../../contract/me'
import type { Profile } from '../../contract/members'
import type { NotificationSettings } from '../../contract/notifications'
import type { Author } from '../../contract/shapes'
import { trustScript } from '../parts/trusted-types'
import { endpoints } from '../paths'
import { keys } from './cache/keys'
import { optimistic, useShown } from './cache/optimistic'
import { cache, parley } from './cache/parley'
import { change } from './cache/records'
import { claimStored, getScript, readStored, store } from './cache/storage'

export const meQuery = {
  queryKey: keys.me,
  queryFn: async () => {
    const me = await parley.me.get()
    // Nothing of somebody else stays in memory.
    if (claimStored({ id: me.author.id, workspace: me.workspace })) location.reload()
    return me
  },
}

/** The signed-in member. Within the shell there always is one. */
export const useMe = () => useSuspenseQuery(meQuery).data

/** The signed-in member, outside of components. */
export const getMe = () => cache.getQueryData<Me>(meQuery.queryKey)!

/** Their id; undefined until they are known. */
export const getMyId = () => cache.getQueryData<Me>(meQuery.queryKey)?.author.id

export const refreshMe = () => cache.invalidateQueries({ queryKey: meQuery.queryKey })

/**
 * What the signed-in member may do. A reason is undefined if it is allowed. The server decides; this only disables
 * controls beforehand, and hides those that the role never has.
 */
export function usePermissions() {
  const me = useMe()
  const isAdmin = me.role === 'admin'
  const writeDeniedReason =
    me.role === 'viewer' ? 'Viewers can read but not write. An admin can change your role.' : undefined
  return {
    isAdmin,
    writeDeniedReason,
    /** Whether they may edit and delete what an author wrote. */
    canChange: (author: Author) => !writeDeniedReason && (isAdmin || author.id === me.author.id),
  }
}

/** The job title and time zone of a member. */
export const useProfile = (memberId: string) =>
  useQuery({ queryKey: keys.profile(memberId), queryFn: () => parley.members.getProfile({ member_id: memberId }) })

const putProfile = (profile: Profile) => cache.setQueryData(keys.profile(profile.member_id), profile)

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
  await Promise.all([refreshMe(), cache.invalidateQueries({ queryKey: keys.sessions })])
}

export async function removePassword(current_password: string | undefined) {
  await parley.me.deletePassword(current_password ? { current_password } : {})
  await refreshMe()
}

const PREFERENCES = ['preferences']
const STORED_PREFERENCES = 'preferences'
const usualPreferences: Preferences = { enter_sends: true, folded_sections: [], writes_markdown: false }

/** How the web app behaves for this member. Without an answer of the server, as it did last in this browser. */
export function usePreferences(): Preferences {
  const { data } = useShown<Preferences>({
    queryKey: PREFERENCES,
    queryFn: async () => remember(await parley.me.getPreferences()),
  })
  return data ?? { ...usualPreferences, ...readStored<Partial<Preferences>>(STORED_PREFERENCES, {}) }
}

/** Whether they write Markdown rather than formatted text; undefined until that is known in this browser. */
export function useWritesMarkdown(): boolean | undefined {
  const { writes_markdown } = usePreferences()
  const isKnown =
    cache.getQueryData(PREFERENCES) !== undefined ||
    readStored<Partial<Preferences>>(STORED_PREFERENCES, {}).writes_markdown !== undefined
  return isKnown ? writes_markdown : undefined
}

function remember(preferences: Preferences): Preferences {
  store(STORED_PREFERENCES, preferences)
  return preferences
}

/** Shown at once, and undone if the request fails. */
export async function updatePreferences(changes: Partial<Preferences>) {
  const shown = change<Preferences>(PREFERENCES, (before) => ({ ...before, ...changes }))
  await optimistic(
    [shown],
    () => parley.me.updatePreferences(changes),
    // The response may be older than what another change has put there.
    (after) =>
      cache.setQueryData<Preferences>(PREFERENCES, (before) => remember(before ? { ...before, ...changes } : after)),
  )
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

export type NotificationChange = (changes: Input<'me.updateNotificationSettings'>) => void

const SETTINGS = ['notification-settings']
const EMAIL = ['email']

export const useNotificationSettings = () =>
  useShown<NotificationSettings>({
    queryKey: SETTINGS,
    queryFn: () => parley.me.getNotificationSettings(),
    staleTime: 0,
  })

const refreshNotificationSettings = () => cache.invalidateQueries({ queryKey: SETTINGS })

/** Shown at once, and undone if the request fails. Times are in this browser's time zone. */
export async function updateNotificationSettings(changes: Input<'me.updateNotificationSettings'>) {
  const sent = { time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone, ...changes }
  const shown = change<NotificationSettings>(SETTINGS, (before) => ({ ...before, ...sent }))
  try {
    await optimistic([shown], () => parley.me.updateNotificationSettings(sent))
  } finally {
    await refreshNotificationSettings()
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

let registered: Promise<unknown> | undefined

/** Lets the app be opened without a connection from now on, where the browser can: not over plain HTTP. */
export function registerServiceWorker(): Promise<unknown> | undefined {
  registered ??= navigator.serviceWorker && register()
  registered?.catch(() => {
    registered = undefined
  })
  return registered
}

async function register() {
  const registration = await navigator.serviceWorker.register(trustScript(endpoints.serviceWorker))
  // Browsers look for another build sooner or later; here, one has just been opened.
  if (registration.active && !(await caches.match(getScript()))) await registration.update()
  const askToKeep = () => navigator.serviceWorker.controller?.postMessage({ type: 'keep' })
  navigator.serviceWorker.addEventListener('controllerchange', askToKeep)
  askToKeep()
}

/** Asks for permission and subscribes this browser. Returns whether the member agreed. */
export async function enablePush(): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false
  const { public_key } = await parley.me.getPushKey()
  await registerServiceWorker()
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
