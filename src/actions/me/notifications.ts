import type { Input } from '../../contract'
import { invalidField } from '../../contract/errors'
import type { NotificationSettings } from '../../contract/notifications'
import { fromClock, isTimeZone, type NotificationTimes, toClock } from '../../domain/notification-times'
import type { Viewer } from '../../domain/permissions'
import { timestamp } from '../../domain/timestamps'
import type { Reader } from '../../store/db'
import { findTimes, setTimes, skipMailsBefore } from '../../store/notification-settings'
import { findPushKeys, hasPushSubscription } from '../../store/push-subscriptions'
import type { ReadContext, WriteContext } from '../context'
import { getSelf } from './self'

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
  // What is already unread is not mailed when mails are turned on again.
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
