import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const isLinux = process.platform === 'linux'
const TICKS_PER_SECOND = 100
const PAGE_BYTES = 4096

/** CPU seconds of all threads of a process; 0 on systems without /proc. */
export function getCpuSeconds(pid: number | string): number {
  if (!isLinux) return 0
  const threads = readdirSync(`/proc/${pid}/task`)
  const spent = threads.map((thread) => Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]))
  return spent.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e9
}

/** Resident memory of a process in bytes; 0 on systems without /proc. */
export function getRss(pid: number): number {
  return isLinux ? Number(read(`/proc/${pid}/statm`).split(' ')[1]) * PAGE_BYTES : 0
}

/** CPU seconds of a PostgreSQL server: the postmaster and all its processes, running or ended. */
export function getPostgresCpuSeconds(data: string): number {
  if (!isLinux) return 0
  const postmaster = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]!
  const [endedUser, endedSystem] = readStat(postmaster).slice(13, 15)
  const ended = (Number(endedUser) + Number(endedSystem)) / TICKS_PER_SECOND
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && readStat(name)[1] === postmaster)
  return [postmaster, ...children].reduce((sum, pid) => sum + getCpuSeconds(pid), ended)
}

/** The fields of /proc/<pid>/stat after the process name; empty once the process has ended. */
const readStat = (pid: string): string[] => read(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? []

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
