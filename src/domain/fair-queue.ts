interface Waiting<W> {
  resolve(worker: W): void
  reject(error: Error): void
}

/**
 * Runs tasks on a few workers. Callers take turns, so that one with many tasks does not hold up the others. At most
 * `maxWaiting` tasks wait: beyond that, the newest task of the caller with the most is refused. Tasks without a caller are in
 * one line.
 */
export function openFairQueue<W>(workers: readonly W[], maxWaiting: number, tooBusy: () => Error) {
  const free = [...workers]
  /** By caller. The one whose turn is next comes first. */
  const waiting = new Map<number | undefined, Waiting<W>[]>()
  let total = 0

  async function take(caller: number | undefined): Promise<W> {
    if (free.length > 0) return free.pop()!
    if (total >= maxWaiting) makeRoom(waiting.get(caller)?.length ?? 0)
    return new Promise((resolve, reject) => {
      if (!waiting.has(caller)) waiting.set(caller, [])
      waiting.get(caller)!.push({ resolve, reject })
      total += 1
    })
  }

  /** Refuses a task of a caller who has more than one beyond `own`; throws if there is none. */
  function makeRoom(own: number) {
    let longest: Waiting<W>[] = []
    for (const tasks of waiting.values()) if (tasks.length > longest.length) longest = tasks
    if (longest.length <= own + 1) throw tooBusy()
    longest.pop()!.reject(tooBusy())
    total -= 1
  }

  /** A task that ends passes its worker on, so that no new task takes it in between. */
  function passOn(worker: W) {
    const next = waiting.entries().next().value
    if (!next) return void free.push(worker)
    const [caller, tasks] = next
    waiting.delete(caller)
    tasks.shift()!.resolve(worker)
    if (tasks.length > 0) waiting.set(caller, tasks)
    total -= 1
  }

  return async function enqueue<T>(task: (worker: W) => Promise<T>, caller?: number): Promise<T> {
    const worker = await take(caller)
    try {
      return await task(worker)
    } finally {
      passOn(worker)
    }
  }
}
