import type { Subprocess } from 'bun'

const TIMEOUT_MS = 10_000
const running = new Set<Subprocess>()

/** Sees to it that a process does not outlive this one, however this one ends. */
export function killOnExit<T extends Subprocess>(child: T): T {
  running.add(child)
  void child.exited.then(() => running.delete(child))
  return child
}

/** Ends a process; one that takes its time is not waited for. */
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
