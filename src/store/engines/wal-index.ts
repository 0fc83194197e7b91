import { type Pointer, toArrayBuffer } from 'bun:ffi'
import { existsSync, readFileSync, realpathSync } from 'node:fs'

/** The first bytes of every WAL index header, and its length. */
const FORMAT = 3_007_000
const HEADER_BYTES = 48
/** The words of the header that no commit leaves as they are: a count, the frames, and a checksum over all of it. */
const [COMMITS, FRAMES, SUM, SUM_TOO] = [2, 4, 10, 11] as const

/**
 * A number that changes with every commit of any process, read from where SQLite itself looks whether there was one: the
 * header of the WAL index, which all processes share in memory. That takes nanoseconds; `PRAGMA data_version`, which looks
 * at the same place, takes two microseconds, and every request asks.
 *
 * The address is in SQLite's own mapping. Mapping the file once more would be fatal: closing a file releases all locks that the
 * process has on it, SQLite's among them. So it must not be called once the database is closed. Undefined where the system
 * does not tell the address.
 */
export function walIndexVersion(databasePath: string): (() => number) | undefined {
  const header = headerOf(databasePath)
  if (!header) return undefined
  let version = 0
  let [commits, frames, sum, sumToo] = [0, 0, 0, 0]
  return () => {
    const [nowCommits, nowFrames] = [Atomics.load(header, COMMITS), Atomics.load(header, FRAMES)]
    const [nowSum, nowSumToo] = [Atomics.load(header, SUM), Atomics.load(header, SUM_TOO)]
    if (nowCommits === commits && nowFrames === frames && nowSum === sum && nowSumToo === sumToo) return version
    // A read during a commit may see a mixed header. It differs from the final one, so the next read counts a change again.
    commits = nowCommits
    frames = nowFrames
    sum = nowSum
    sumToo = nowSumToo
    return ++version
  }
}

function headerOf(databasePath: string): Int32Array | undefined {
  if (!existsSync('/proc/self/maps')) return undefined
  const file = `${realpathSync(databasePath)}-shm`
  const mapping = readFileSync('/proc/self/maps', 'utf8')
    .split('\n')
    .find((line) => line.endsWith(` ${file}`) && / 0{8} /.test(line))
  if (!mapping) return undefined
  const header = new Int32Array(toArrayBuffer(Number.parseInt(mapping, 16) as Pointer, 0, HEADER_BYTES))
  return header[0] === FORMAT ? header : undefined
}
