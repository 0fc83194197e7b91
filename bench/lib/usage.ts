import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const isLinux = process.platform === 'linux'
const TICKS_A_SECOND = 100
const PAGE_BYTES = 4096

/** Seconds of processor time of all threads of a process; 0 where nobody counts them. */
export function getCpuSeconds(pid: number | string): number {
  if (!isLinux) return 0
  const threads = readdirSync(`/proc/${pid}/task`)
  const spent = threads.map((thread) => Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]))
  return spent.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e9
}

/** Bytes of memory a process holds; 0 where nobody counts them. */
export function getRss(pid: number): number {
  return isLinux ? Number(read(`/proc/${pid}/statm`).split(' ')[1]) * PAGE_BYTES : 0
}

/** Seconds of processor time of a PostgreSQL server: of its first process and all it started, gone or not. */
export function getPostgresCpuSeconds(data: string): number {
  if (!isLinux) return 0
  const first = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]!
  const [goneUser, goneSystem] = statOf(first).slice(13, 15)
  const gone = (Number(goneUser) + Number(goneSystem)) / TICKS_A_SECOND
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && statOf(name)[1] === first)
  return [first, ...children].reduce((sum, pid) => sum + getCpuSeconds(pid), gone)
}

/** What follows the name of a process in its line of figures; nothing once it is gone. */
const statOf = (pid: string): string[] => read(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? []

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
