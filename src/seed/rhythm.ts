import type { Random } from './random'

export const HOUR = 3_600_000
export const DAY = 24 * HOUR
export const SPAN = 730 * DAY

/** The activity in each hour of a working day, UTC: two peaks, a lunch break, little at night. */
const HOURS = [
  0, 0, 0, 0, 0, 0.05, 0.2, 0.6, 1.6, 2.4, 2.6, 2.2, 1.2, 1.9, 2.4, 2.2, 1.6, 0.9, 0.4, 0.3, 0.25, 0.15, 0, 0,
]
const WEEKEND = 0.05

/** Times in the two years before a time, in order, distributed like the activity of a growing team. */
export function workingMoments(until: number, count: number, random: Random): () => number {
  const start = until - SPAN
  const total = loadUpTo(start, SPAN / HOUR)
  let hour = 0
  let before = 0
  let load = loadOf(start, 0)
  let made = 0
  return () => {
    const wanted = ((made++ + random.fraction()) / count) * total
    while (before + load < wanted && hour < SPAN / HOUR - 1) {
      before += load
      hour += 1
      load = loadOf(start, hour)
    }
    const within = load > 0 ? Math.min((wanted - before) / load, 0.999_999) : 0
    return Math.floor(start + (hour + within) * HOUR)
  }
}

function loadOf(start: number, hour: number): number {
  const time = new Date(start + hour * HOUR)
  const isWeekend = time.getUTCDay() % 6 === 0
  const growth = 0.5 + (hour * HOUR) / SPAN
  return HOURS[time.getUTCHours()]! * growth * (isWeekend ? WEEKEND : 1)
}

function loadUpTo(start: number, hours: number): number {
  let total = 0
  for (let hour = 0; hour < hours; hour++) total += loadOf(start, hour)
  return total
}

/** A random later time: usually soon, sometimes after days, never after the end. */
export function later(random: Random, than: number, until: number): number {
  const wait = 60_000 + 6 * HOUR * random.fraction() ** 3 * (random.chance(0.15) ? 20 : 1)
  return Math.min(Math.floor(than + wait), until)
}
