import { StorageUnavailable } from '../storage'

/** Runs tasks on a few workers, in order. Refuses a task if `maxWaiting` tasks are waiting already. */
export function openQueue<W>(workers: readonly W[], maxWaiting: number) {
  const free = [...workers]
  const waiting: ((worker: W) => void)[] = []

  async function take(): Promise<W> {
    const worker = free.pop()
    if (worker !== undefined) return worker
    if (waiting.length >= maxWaiting) throw new StorageUnavailable('Too many previews are being made at the moment.')
    return new Promise((resolve) => waiting.push(resolve))
  }

  return async function enqueue<T>(task: (worker: W) => Promise<T>): Promise<T> {
    const worker = await take()
    try {
      return await task(worker)
    } finally {
      const next = waiting.shift()
      if (next) next(worker)
      else free.push(worker)
    }
  }
}
