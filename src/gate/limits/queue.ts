import { Problem } from '../../contract/errors'

/** Runs so many pieces of heavy work at a time; a few wait for their turn, and the rest are told to come back. */
export function openQueue(mostAtOnce: number, mostWaiting: number) {
  const waiting: (() => void)[] = []
  let running = 0

  return async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= mostAtOnce) {
      if (waiting.length >= mostWaiting) throw tooBusy()
      // Whoever ends hands its place on, so that nobody takes it in between.
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
  new Problem('unavailable', 'Too much of this is going on right now. Try again shortly.', undefined, {
    'Retry-After': '2',
  })
