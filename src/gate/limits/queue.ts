import { Problem } from '../../contract/errors'

/** Runs a few expensive tasks at a time. A bounded number of others wait; the rest are refused. */
export function openQueue(maxRunning: number, maxWaiting: number) {
  const waiting: (() => void)[] = []
  let running = 0

  return async function enqueue<T>(work: () => Promise<T>): Promise<T> {
    if (running >= maxRunning) {
      if (waiting.length >= maxWaiting) throw tooBusy()
      // A task that ends passes its slot on, so that no new task takes it in between.
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}

const tooBusy = () =>
  new Problem('unavailable', 'The server is busy with requests of this kind. Try again shortly.', undefined, {
    'Retry-After': '2',
  })
