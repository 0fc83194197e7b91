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

/** Work that does not change with the product, which would excuse what became slower, and that needs no memory. */
function workOnReference() {
  let hash = 0
  for (let at = 0; at < 10_000_000; at++) hash = Math.imul(hash ^ at, 0x01000193)
  return hash
}
/** Its CPU time on the machine that limits in milliseconds are meant for. */
const REFERENCE_MS = 13
/** Others on the same processor slow down what is computed, but not by more than this. */
const MAX_SLOWNESS = 2

/** How many times longer than there the same takes here and now. */
export const slowness = (): number => Math.min(MAX_SLOWNESS, Math.max(1, cpuTime(workOnReference, 20) / REFERENCE_MS))
