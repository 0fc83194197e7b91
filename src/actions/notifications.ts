import { createECDH } from 'node:crypto'
import type { Input } from '../contract'
import { invalidField, Problem } from '../contract/errors'
import type { NotificationSettings } from '../contract/notifications'
import type { Viewer } from '../domain/permissions'
import { fromClock, isTimeZone, type NotificationTimes, toClock } from '../domain/quiet-times'
import { timestamp } from '../domain/timestamps'
import { findTimes, setTimes, skipMailsBefore } from '../store/attention/notices'
import * as store from '../store/attention/push'
import { findPushKeys, hasPushSubscription } from '../store/attention/push'
import type { Reader } from '../store/engines/db'
import { getSelf } from './access'
import type { ReadContext, WriteContext } from './context'

export async function getNotificationSettings(context: ReadContext, _: Input<'me.getNotificationSettings'>) {
  const { author_key } = await getSelf(context)
  return toSettings(context, await findTimes(context.db, author_key))
}

export async function updateNotificationSettings(
  context: WriteContext,
  input: Input<'me.updateNotificationSettings'>,
): Promise<NotificationSettings> {
  const { db, viewer } = context
  const { author_key } = await getSelf(context)
  const before = await findTimes(db, author_key)
  const times = changeTimes(before, input)

  const member = { author_key, workspace_key: viewer.workspace.key }
  await setTimes(db, member, times)
  // Entries that are unread by now are not mailed when mails are turned on again.
  if (before.mail === 'never' || times.mail === 'never')
    await skipMailsBefore(db, member, (await context.firstRevision()) - 1)
  context.commitWithoutEvents()
  return toSettings(context, times)
}

function changeTimes(before: NotificationTimes, input: Input<'me.updateNotificationSettings'>): NotificationTimes {
  const { mail_hour, mentions_and_messages_sooner, paused_until, quiet_hours, time_zone } = input
  if (time_zone !== undefined && !isTimeZone(time_zone)) throw invalidField('time_zone', 'This is not a time zone.')
  return {
    mail: input.mail ?? before.mail,
    mail_hour: mail_hour ?? before.mail_hour,
    is_sooner: mentions_and_messages_sooner ?? before.is_sooner,
    paused_until: paused_until === undefined ? before.paused_until : toTime(paused_until),
    ...(quiet_hours === undefined
      ? { quiet_from: before.quiet_from, quiet_to: before.quiet_to }
      : { quiet_from: quiet_hours && fromClock(quiet_hours.from), quiet_to: quiet_hours && fromClock(quiet_hours.to) }),
    time_zone: time_zone ?? before.time_zone,
  }
}

const toTime = (timestamp: string | null) => (timestamp === null ? null : Date.parse(timestamp))

interface SettingsContext {
  db: Reader
  viewer: Viewer
  now: number
  isMailConfigured: boolean
}

async function toSettings(
  { db, viewer, now, isMailConfigured }: SettingsContext,
  { mail, mail_hour, is_sooner, paused_until, quiet_from, quiet_to, time_zone }: NotificationTimes,
): Promise<NotificationSettings> {
  const isQuiet = quiet_from !== null && quiet_to !== null
  return {
    mail,
    mail_hour,
    mentions_and_messages_sooner: is_sooner,
    paused_until: paused_until !== null && paused_until > now ? timestamp(paused_until) : null,
    quiet_hours: isQuiet ? { from: toClock(quiet_from), to: toClock(quiet_to) } : null,
    time_zone,
    is_mail_configured: isMailConfigured,
    is_push_available: (await findPushKeys(db)) !== undefined,
    is_push_enabled: viewer.sessionKey !== undefined && (await hasPushSubscription(db, viewer.sessionKey)),
  }
}

export async function getPushKey({ db }: ReadContext, _: Input<'me.getPushKey'>) {
  const keys = await store.findPushKeys(db)
  if (!keys) throw noKey()
  return { public_key: keys.public_key }
}

export async function setPushSubscription(
  context: WriteContext,
  { endpoint, keys: { p256dh, auth } }: Input<'me.setPushSubscription'>,
) {
  const { db, viewer, now } = context
  const { author_key } = await getSelf(context)
  const session_key = sessionOf(viewer)
  if (!(await store.findPushKeys(db))) throw noKey()
  const address = URL.parse(endpoint)
  if (!address || !['https:', 'http:'].includes(address.protocol))
    throw invalidField('endpoint', 'Must be an https URL.')
  if (!isPublicKey(p256dh)) throw invalidField('keys.p256dh', 'Must be a P-256 public key.')
  if (Buffer.from(auth, 'base64url').length !== 16) throw invalidField('keys.auth', 'Must have 16 bytes.')

  const pushed_revision = (await context.firstRevision()) - 1
  const owner = { session_key, workspace_key: viewer.workspace.key, author_key }
  await store.setPushSubscription(db, { ...owner, endpoint, p256dh, auth, created_at: now, pushed_revision })
  context.commitWithoutEvents()
  return undefined
}

export async function deletePushSubscription(context: WriteContext, _: Input<'me.deletePushSubscription'>) {
  await getSelf(context)
  await store.deletePushSubscription(context.db, sessionOf(context.viewer))
  context.commitWithoutEvents()
  return undefined
}

function sessionOf({ sessionKey }: Viewer): number {
  if (!sessionKey) throw new Problem('forbidden', 'Only browsers that are signed in get pushes.')
  return sessionKey
}

const noKey = () =>
  new Problem('secret_key_missing', 'The keys of pushes are kept encrypted. Set SECRET_KEY on the server first.')

/** Whether this is a point of the curve P-256, so that messages can be encrypted for it. */
function isPublicKey(text: string): boolean {
  const point = Buffer.from(text, 'base64url')
  const pair = createECDH('prime256v1')
  pair.generateKeys()
  try {
    pair.computeSecret(point)
    return point.length === 65
  } catch {
    return false
  }
}
