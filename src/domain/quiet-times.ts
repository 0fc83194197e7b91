import type { MailFrequency } from '../contract/notifications'

/** When a member wants to be notified. */
export interface NotificationTimes {
  mail: MailFrequency
  /** The hour of daily mails, in the time zone. */
  mail_hour: number
  is_sooner: boolean
  paused_until: number | null
  /** Quiet hours, in minutes after midnight; the end may be on the next day. Null where there are none. */
  quiet_from: number | null
  quiet_to: number | null
  time_zone: string
}

export const DEFAULT_TIMES: NotificationTimes = {
  mail: 'hourly',
  mail_hour: 9,
  is_sooner: true,
  paused_until: null,
  quiet_from: null,
  quiet_to: null,
  time_zone: 'UTC',
}

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
/** Time to read a mention in the app, before there is a mail about it. */
const SOON_MS = 5 * MINUTE

/** When to mail what happened now; null for never. */
export function mailTime(times: NotificationTimes, now: number, isUrgent: boolean): number | null {
  if (times.mail === 'never') return null
  const usual = usualMailTime(times, now)
  return nextAllowedTime(times, isUrgent && times.is_sooner ? Math.min(usual, now + SOON_MS) : usual)
}

function usualMailTime({ mail, mail_hour, time_zone }: NotificationTimes, now: number): number {
  if (mail === 'daily') return nextTimeOfDay(now, mail_hour * 60, time_zone)
  return now + (mail === 'hourly' ? 60 : 15) * MINUTE
}

/** The first time from this one on that is neither in a pause nor in quiet hours. */
export function nextAllowedTime({ paused_until, quiet_from, quiet_to, time_zone }: NotificationTimes, at: number) {
  const resumed = Math.max(at, paused_until ?? 0)
  if (quiet_from === null || quiet_to === null) return resumed
  return isBetween(minutesOfDay(resumed, time_zone), quiet_from, quiet_to)
    ? nextTimeOfDay(resumed, quiet_to, time_zone)
    : resumed
}

const isBetween = (minutes: number, from: number, to: number) =>
  from <= to ? from <= minutes && minutes < to : minutes >= from || minutes < to

/** The next time the clocks of a time zone show so many minutes after midnight. */
export function nextTimeOfDay(now: number, minutes: number, timeZone: string): number {
  const today = Math.floor(localTime(now, timeZone) / DAY) * DAY
  const at = fromLocalTime(today + minutes * MINUTE, timeZone)
  return at > now ? at : fromLocalTime(today + DAY + minutes * MINUTE, timeZone)
}

const minutesOfDay = (at: number, timeZone: string) => Math.floor((localTime(at, timeZone) % DAY) / MINUTE)

/** The local time in a time zone, as a timestamp as if it were UTC. */
function localTime(at: number, timeZone: string): number {
  const parts = formatOf(timeZone).formatToParts(at)
  const part = (type: string) => Number(parts.find((each) => each.type === type)!.value)
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
}

/**
 * The time at which the clocks of a time zone show this, the first where they show it twice. Where they skip it, as many
 * minutes after the change as it would have been.
 */
function fromLocalTime(local: number, timeZone: string): number {
  const offsetAt = (at: number) => localTime(at, timeZone) - at
  const [before, after] = [local - offsetAt(local - DAY), local - offsetAt(local + DAY)]
  return [before, after].find((at) => localTime(at, timeZone) === local) ?? before
}

const formats = new Map<string, Intl.DateTimeFormat>()

const formatOf = (timeZone: string) =>
  formats.getOrInsertComputed(
    timeZone,
    () =>
      new Intl.DateTimeFormat('en-US', {
        timeZone,
        hourCycle: 'h23',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
      }),
  )

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Minutes after midnight as `22:00`. */
export const toClock = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`

export const fromClock = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3, 5))
