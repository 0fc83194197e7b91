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
  const date = new Date(timestamp)
  return (date.getFullYear() === new Date(now).getFullYear() ? thisYear : otherYear).format(date)
}

/** Relative time, with the exact time as tooltip. */
export function Time({ at }: { at: string }) {
  const text = useSyncExternalStore(subscribe, () => formatAge(at))
  return (
    <time dateTime={at} title={formatExactTime(at)}>
      {text}
    </time>
  )
}
