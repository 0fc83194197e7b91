import { useNow } from './time'

/** The time of day in a time zone, and how far it is from the one of this device. */
export function LocalTime({ zone }: { zone: string }) {
  const now = useNow()
  const time = new Intl.DateTimeFormat(undefined, { timeZone: zone, timeStyle: 'short' }).format(now)
  return (
    <>
      {time} <span className="meta">{formatDifference(getOffset(zone, now) - getOffset(undefined, now))}</span>
    </>
  )
}

/** Whether this browser knows a time zone. The server may know one that is newer than the browser, or older. */
export function isKnownTimeZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat(undefined, { timeZone })
    return true
  } catch {
    return false
  }
}

/** The offset of a time zone from UTC, in minutes. Offsets are written as `GMT+05:30`, or `GMT` for none. */
function getOffset(timeZone: string | undefined, at: number): number {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at)
  const name = parts.find(({ type }) => type === 'timeZoneName')!.value
  const [, sign, hours, minutes] = name.match(/([+-])(\d+):(\d+)/) ?? []
  return sign ? Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) : 0
}

function formatDifference(minutes: number): string {
  if (minutes === 0) return 'same time as you'
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  const length = [hours > 0 && `${hours} h`, rest > 0 && `${rest} min`].filter(Boolean).join(' ')
  return `${length} ${minutes > 0 ? 'ahead of' : 'behind'} you`
}

/** `America/New_York` as “New York (America)”. */
export function formatTimeZone(zone: string): string {
  const [area, ...place] = zone.replaceAll('_', ' ').split('/') as [string, ...string[]]
  return place.length > 0 ? `${place.reverse().join(', ')} (${area})` : area
}
