import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

export interface Unfinished {
  path: string
  remove(): void
}

/**
 * An empty temporary file next to another, which will replace it when complete; readable by its owner only. It is removed
 * when the process exits; leftovers of a killed process are removed by the next one.
 */
export function openUnfinished(file: string): Unfinished {
  removeLeftovers(file)
  const path = `${file}.unfinished-${process.pid}`
  const remove = () => {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true })
    process.off('exit', remove)
  }
  process.on('exit', remove)
  writeFileSync(path, '', { mode: 0o600, flag: 'wx' })
  return { path, remove }
}

function removeLeftovers(file: string) {
  const start = `${basename(file)}.unfinished-`
  for (const name of readdirSync(dirname(file))) {
    if (!name.startsWith(start)) continue
    const pid = Number.parseInt(name.slice(start.length), 10)
    if (pid === process.pid || !isAlive(pid)) rmSync(join(dirname(file), name), { force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // The process exists but belongs to another user.
    return (error as { code?: string }).code === 'EPERM'
  }
}
