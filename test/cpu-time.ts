import { existsSync, readFileSync } from 'node:fs'

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
