import { Problem } from '../contract/errors'

interface Waiting<W> {
  resolve(worker: W): void
  reject(error: Error): void
  deadline?: ReturnType<typeof setTimeout>
}

interface Limits {
  /** How many tasks of a caller run at once. */
  perCaller?: number
  /** How long a task waits before it is refused. */
  waitMs?: number
}

/**
 * Runs tasks on a few workers. Callers take turns, so that one with many tasks does not hold up the others. At most
 * `maxWaiting` tasks wait: beyond that, the newest task of the caller with the most is refused. Tasks without a caller are in
 * one line.
 */
export function openFairQueue<W>(
  workers: readonly W[],
  maxWaiting: number,
  tooBusy: () => Error,
  { perCaller = Infinity, waitMs }: Limits = {},
) {
  const free = [...workers]
  const running = new Map<number | undefined, number>()
  /** By caller. The one whose turn is next comes first. */
  const waiting = new Map<number | undefined, Waiting<W>[]>()
  let total = 0

  const mayRun = (caller: number | undefined) => (running.get(caller) ?? 0) < perCaller

  function count(caller: number | undefined, change: 1 | -1) {
    const tasks = (running.get(caller) ?? 0) + change
    if (tasks > 0) running.set(caller, tasks)
    else running.delete(caller)
  }

  async function take(caller: number | undefined): Promise<W> {
    if (free.length > 0 && mayRun(caller)) {
      count(caller, 1)
      return free.pop()!
    }
    if (total >= maxWaiting) makeRoom(waiting.get(caller)?.length ?? 0)
    return new Promise((resolve, reject) => {
      const task: Waiting<W> = { resolve, reject }
      if (waitMs) task.deadline = setTimeout(() => giveUp(caller, task), waitMs)
      if (!waiting.has(caller)) waiting.set(caller, [])
      waiting.get(caller)!.push(task)
      total += 1
    })
  }

  function giveUp(caller: number | undefined, task: Waiting<W>) {
    const tasks = waiting.get(caller)!
    tasks.splice(tasks.indexOf(task), 1)
    if (tasks.length === 0) waiting.delete(caller)
    refuse(task)
  }

  function refuse({ reject, deadline }: Waiting<W>) {
    clearTimeout(deadline)
    total -= 1
    reject(tooBusy())
  }

  /** Refuses a task of a caller who has more than one beyond `own`; throws if there is none. */
  function makeRoom(own: number) {
    let longest: Waiting<W>[] = []
    for (const tasks of waiting.values()) if (tasks.length > longest.length) longest = tasks
    if (longest.length <= own + 1) throw tooBusy()
    refuse(longest.pop()!)
  }

  /** A task that ends passes its worker on, so that no new task takes it in between. */
  function passOn(worker: W) {
    const next = waiting.entries().find(([caller]) => mayRun(caller))
    if (!next) return void free.push(worker)
    const [caller, tasks] = next
    waiting.delete(caller)
    const { resolve, deadline } = tasks.shift()!
    clearTimeout(deadline)
    count(caller, 1)
    resolve(worker)
    if (tasks.length > 0) waiting.set(caller, tasks)
    total -= 1
  }

  return async function enqueue<T>(task: (worker: W) => Promise<T>, caller?: number): Promise<T> {
    const worker = await take(caller)
    try {
      return await task(worker)
    } finally {
      count(caller, -1)
      passOn(worker)
    }
  }
}

/** Runs a few expensive tasks at a time. A bounded number of others wait; the rest are refused. */
export const openQueue = (maxRunning: number, maxWaiting: number, limits?: { perCaller?: number; waitMs?: number }) =>
  openFairQueue([...Array(maxRunning).keys()], maxWaiting, tooBusy, limits)

const tooBusy = () =>
  new Problem('unavailable', 'The server is busy with requests of this kind. Try again shortly.', undefined, {
    'Retry-After': '2',
  })

/** Texts from this length on take milliseconds to parse, render or search. */
const LONG_TEXT = 10_000

/**
 * Lets other requests have their turn after work on a text, if it is long: all requests share one thread, and a text of the
 * maximum length takes tens of milliseconds for each step. Short texts are not delayed.
 */
export const endTurn = (text: { length: number }): Promise<unknown> | undefined =>
  text.length < LONG_TEXT ? undefined : new Promise(setImmediate)
