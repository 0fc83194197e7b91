import { useSyncExternalStore } from 'react'

const TICK_MS = 30_000
const listeners = new Set<() => void>()
let now = Date.now()
setInterval(() => {
  now = Date.now()
  for (const listener of listeners) listener()
}, TICK_MS)

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' })
const thisYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const otherYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' })

export const formatExactTime = (timestamp: string) => exact.format(new Date(timestamp))

function formatAge(timestamp: string): string {
  const seconds = Math.round((Date.parse(timestamp) - now) / 1000)
  const past = -seconds
  if (past < 45) return 'just now'
  if (past < 60 * 60) return relative.format(Math.round(seconds / 60), 'minute')
  if (past < 24 * 60 * 60) return relative.format(Math.round(seconds / 3600), 'hour')
  if (past < 7 * 24 * 60 * 60) return relative.format(Math.round(seconds / 86400), 'day')
  return formatDate(timestamp)
}

function formatDate(timestamp: string): string {
  const date = new Date(timestamp)
  return (date.getFullYear() === new Date(now).getFullYear() ? thisYear : otherYear).format(date)
}

/** The current time, every half minute. */
export const useNow = () => useSyncExternalStore(subscribe, () => now)

const minutes = new Intl.NumberFormat(undefined, { style: 'unit', unit: 'minute', unitDisplay: 'short' })
const hours = new Intl.NumberFormat(undefined, { style: 'unit', unit: 'hour', unitDisplay: 'short' })
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short' })

/** For lists: “36 min”, “5 hr”, “Tue”, “6 Nov”. */
function formatShortAge(timestamp: string): string {
  const past = Math.round((now - Date.parse(timestamp)) / 1000)
  if (past < 45) return 'now'
  if (past < 60 * 60) return minutes.format(Math.max(1, Math.round(past / 60)))
  if (past < 24 * 60 * 60) return hours.format(Math.max(1, Math.round(past / 3600)))
  return past < 6 * 24 * 60 * 60 ? weekday.format(new Date(timestamp)) : formatDate(timestamp)
}

/** Relative time, with the exact time as tooltip. */
export function Time({ at, isShort }: { at: string; isShort?: boolean }) {
  const text = useSyncExternalStore(subscribe, () => (isShort ? formatShortAge(at) : formatAge(at)))
  return (
    <time dateTime={at} title={formatExactTime(at)}>
      {text}
    </time>
  )
}
