import { existsSync, readFileSync } from 'node:fs'
import { readMarkdown } from '../src/domain/markdown'

/** The CPU time that a function takes, in milliseconds; independent of the load of the machine. */
export function cpuTime(work: () => unknown, times = 1): number {
  let least = Number.POSITIVE_INFINITY
  for (let turn = 0; turn < times; turn++) {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

const WAITS = '/proc/self/schedstat'

/** A clock in milliseconds that stands still while this process could compute, but others have the processor. */
export const ownTime = (): number =>
  performance.now() - (existsSync(WAITS) ? Number(readFileSync(WAITS, 'utf8').split(' ')[1]) / 1e6 : 0)

const PARSED = '- [ ] a\n'.repeat(12_500)
/** The CPU time of parsing it on the machine that limits in milliseconds are meant for. */
const PARSED_IN_MS = 11

/** How many times longer than there the same takes here and now: others on the same processor slow it down. */
export const slowness = (): number => Math.max(1, cpuTime(() => readMarkdown(PARSED), 7) / PARSED_IN_MS)
