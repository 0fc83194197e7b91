import type { Role } from '../contract/members'
import { avatarOf } from '../domain/avatar'
import type { NewApp, NewPerson } from '../store/seed/people'
import { newName } from './names'
import { appNames, jobTitles, timeZones } from './places'
import { newRandom, type Random, weighted } from './random'
import { DAY, SPAN } from './rhythm'

const pickRole = weighted<Role>(['admin', 'member', 'viewer', 'guest'], (_, at) => [5, 78, 8, 9][at]!)
/** The first members, so that even a small team has all roles. */
const FOUNDERS: readonly Role[] = ['admin', 'member', 'guest', 'viewer', 'member', 'member']

/** Members in the order they joined: some before the first post, the others over the two years. */
export function newPeople(random: Random, count: number, until: number, isTaken: (email: string) => boolean) {
  const taken = new Set<string>()
  const start = until - SPAN
  return Array.from({ length: count }, (_, at): NewPerson => {
    const { name, mailbox } = newName(random)
    const email = freeEmail(mailbox, (candidate) => taken.has(candidate) || isTaken(candidate))
    taken.add(email)
    const joined = Math.max(0, at / count - 0.4) / 0.6
    const created_at = Math.floor(start - 30 * DAY + (at / count) * 20 * DAY + joined * SPAN * 0.9)
    const id = random.id('mem', created_at)
    const person = newRandom(email)
    const is_deactivated = at === 6 || (at > 6 && random.chance(0.05))
    return {
      id,
      name,
      avatar: avatarOf(id, name),
      email,
      // An address has one account in all workspaces. The id that each workspace shows is its own.
      account_id: person.id('user', start),
      user_id: newRandom(id).id('user', created_at),
      role: FOUNDERS[at] ?? pickRole(random),
      is_deactivated,
      job_title: person.chance(0.8) ? person.pick(jobTitles) : null,
      time_zone: person.chance(0.8) ? person.pick(timeZones) : null,
      created_at,
      last_seen_at: is_deactivated ? between(random, created_at, until) : between(random, until - 14 * DAY, until),
    }
  })
}

const between = (random: Random, from: number, to: number) => Math.floor(from + random.fraction() * (to - from))

function freeEmail(mailbox: string, isTaken: (email: string) => boolean): string {
  for (let number = 1; ; number++) {
    const email = `${mailbox}${number > 1 ? number : ''}@example.com`
    if (!isTaken(email)) return email
  }
}

/** A few apps that write posts. */
export function newApps(random: Random, count: number, until: number, isTaken: (name: string) => boolean): NewApp[] {
  const names: string[] = []
  for (let at = 0; names.length < count; at++) {
    const round = Math.floor(at / appNames.length)
    const name = `${appNames[at % appNames.length]}${round > 0 ? ` ${round + 1}` : ''}`
    if (!isTaken(name)) names.push(name)
  }
  return names.map((name) => {
    const created_at = until - SPAN - 8 * DAY
    const id = random.id('app', created_at)
    return { id, name, avatar: avatarOf(id, name), created_at }
  })
}
