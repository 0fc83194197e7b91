import { unknownValue } from './unknown-value'

const DATE = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$/

/** When a day, month or year begins, in UTC. */
export const startOfPeriod = (operator: string, value: string): number => periodOf(operator, value).start

/** When it is over. */
export const endOfPeriod = (operator: string, value: string): number => periodOf(operator, value).end

function periodOf(operator: string, value: string): { start: number; end: number } {
  const [year = Number.NaN, month, day] = (DATE.exec(value) ?? []).slice(1).filter(Boolean).map(Number)
  const start = Date.UTC(year, (month ?? 1) - 1, day ?? 1)
  const date = new Date(start)
  // What does not exist becomes something else: February 30 a day in March, and the year 50 the year 1950.
  const isReal =
    date.getUTCFullYear() === year && date.getUTCMonth() + 1 === (month ?? 1) && date.getUTCDate() === (day ?? 1)
  if (!isReal)
    throw unknownValue(`${operator}:${value}`, 'Write a day, a month or a year, such as 2026-01-31, 2026-01 or 2026.')
  if (month === undefined) return { start, end: Date.UTC(year + 1, 0) }
  return { start, end: day === undefined ? Date.UTC(year, month) : Date.UTC(year, month - 1, day + 1) }
}
