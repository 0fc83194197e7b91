import type { Result } from './results'

/** What was tried for a goal, by the beginning of the name of a result. Shown only while the goal is missed. */
const attempts: Record<string, string> = {
  'From `npm start`':
    'Tried: validators compiled and PostgreSQL loaded on first use. Most of the time goes into loading and compiling the sources; `npm run compile` makes an executable that starts in half the time.',
  'Cold pages: two processes':
    'The load generator shares the two cores with both processes; HEAD requests keep its part small.',
}

export const describeAttempts = ({ name }: Result): string | undefined =>
  Object.entries(attempts).find(([beginning]) => name.startsWith(beginning))?.[1]
