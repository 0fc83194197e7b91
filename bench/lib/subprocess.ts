import type { Subprocess } from 'bun'

const TIMEOUT_MS = 10_000
const running = new Set<Subprocess>()

/** Makes sure that a process ends with this one, however this one ends. */
export function killOnExit<T extends Subprocess>(child: T): T {
  running.add(child)
  void child.exited.then(() => running.delete(child))
  return child
}

/** Stops a process, with SIGKILL if it takes too long. */
export async function stopProcess(child: Subprocess) {
  child.kill()
  const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS)
  await child.exited
  clearTimeout(timer)
}

process.on('exit', () => {
  for (const child of running) child.kill()
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1))
