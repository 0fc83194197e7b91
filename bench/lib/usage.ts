import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const isLinux = process.platform === 'linux'
const PAGE_BYTES = 4096

/** CPU seconds of all threads of a process; 0 on systems without /proc. */
export function getCpuSeconds(pid: number | string): number {
  if (!isLinux) return 0
  const threads = listThreads(pid)
  const spent = threads.map((thread) => Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]))
  return spent.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e9
}

function listThreads(pid: number | string): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return [] // It has ended.
  }
}

/** Resident memory of a process in bytes; 0 on systems without /proc. */
export function getRss(pid: number): number {
  return isLinux ? Number(read(`/proc/${pid}/statm`).split(' ')[1]) * PAGE_BYTES : 0
}

const postgresProcesses = new Map<string, number>()

/** CPU seconds of a PostgreSQL server: the postmaster and all its processes, with what ended ones had spent when last seen. */
export function getPostgresCpuSeconds(data: string): number {
  if (!isLinux) return 0
  const postmaster = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]!
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && readStat(name)[1] === postmaster)
  for (const pid of [postmaster, ...children])
    postgresProcesses.set(pid, Math.max(getCpuSeconds(pid), postgresProcesses.get(pid) ?? 0))
  return [...postgresProcesses.values()].reduce((sum, seconds) => sum + seconds, 0)
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
