import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

export interface Unfinished {
  path: string
  remove(): void
}

/**
 * An empty file beside another, for what will take its place when it is done; open to its owner alone. It goes when the
 * process ends; what a process that was killed has left goes with the next one.
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
    // Another user's process is alive, too.
    return (error as { code?: string }).code === 'EPERM'
  }
}
