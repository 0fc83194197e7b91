import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { onCore } from './cores'
import { scratch } from './servers'

export interface Disk {
  name: string
  env: Record<string, string>
}

export const thisDisk: Disk = { name: 'this disk', env: {} }

/** The same disk with a flush that takes so long, or why there is none. */
export function slowDisk(milliseconds: number): Disk | string {
  if (process.platform !== 'linux') return 'A slower disk can be had on Linux only.'
  const compiler = Bun.which('cc')
  if (!compiler) return 'There is no C compiler here, so a slower disk was not measured.'
  mkdirSync(scratch, { recursive: true })
  const library = join(scratch, `slow-flush-${milliseconds}.so`)
  const nanoseconds = `-DFLUSH_NANOSECONDS=${milliseconds * 1_000_000}L`
  const source = join(import.meta.dir, 'slow-flush.c')
  const { exitCode, stderr } = Bun.spawnSync([
    compiler,
    '-shared',
    '-fPIC',
    '-O1',
    nanoseconds,
    '-o',
    library,
    source,
    '-ldl',
  ])
  if (exitCode !== 0) return `The slower disk did not compile: ${stderr.toString().split('\n')[0]}`
  return { name: `a flush of ${milliseconds} ms`, env: { LD_PRELOAD: library } }
}

/** What one commit of one row takes, in milliseconds, as SQLite on that disk sees it. */
export function commitTime({ env }: Disk): number {
  const { stdout, exitCode } = Bun.spawnSync(onCore(0, [process.execPath, `${import.meta.dir}/commits.ts`, scratch]), {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (exitCode !== 0) throw new Error('Could not measure the disk.')
  return Number(stdout.toString())
}
