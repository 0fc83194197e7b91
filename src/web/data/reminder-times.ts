const LATER_HOURS = 3
/** After this hour, “Later today” is not offered. */
const LATEST_HOUR = 21
const MORNING_HOUR = 9

export interface ReminderChoice {
  label: string
  at: Date
}

/** Times to choose for a reminder, in the time zone of the device. */
export function listReminderChoices(now: Date): ReminderChoice[] {
  const later = new Date(now)
  later.setHours(now.getHours() + LATER_HOURS, 0, 0, 0)
  const isToday = later.getDate() === now.getDate() && later.getHours() <= LATEST_HOUR
  const daysToMonday = (8 - now.getDay()) % 7 || 7
  return [
    ...(isToday ? [{ label: 'Later today', at: later }] : []),
    { label: 'Tomorrow', at: morningIn(now, 1) },
    ...(daysToMonday > 1 ? [{ label: 'Next Monday', at: morningIn(now, daysToMonday) }] : []),
  ]
}

function morningIn(now: Date, days: number): Date {
  const at = new Date(now)
  at.setDate(now.getDate() + days)
  at.setHours(MORNING_HOUR, 0, 0, 0)
  return at
}

const timeFormat = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' })
const dayFormat = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short' })
const yearFormat = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' })

export const formatClockTime = (at: Date) => timeFormat.format(at)

/** “today at 18:00”, “tomorrow at 9:00”, “Mon, 23 Nov at 9:00” */
export function formatReminder(timestamp: string, now = new Date()): string {
  const at = new Date(timestamp)
  const isOn = (days: number) => at.toDateString() === morningIn(now, days).toDateString()
  const day = at.getFullYear() === now.getFullYear() ? dayFormat : yearFormat
  return `${isOn(0) ? 'today' : isOn(1) ? 'tomorrow' : day.format(at)} at ${timeFormat.format(at)}`
}

/** The value of a field for date and time. */
export const toFieldValue = (at: Date) =>
  new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
