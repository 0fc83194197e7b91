import { expect, test } from 'bun:test'
import { openFairQueue } from '../../src/domain/fair-queue'

/** A queue with one worker, and what happened to its tasks, in order. */
function openTestQueue(maxWaiting: number) {
  const enqueue = openFairQueue(['worker'], maxWaiting, () => new Error('too busy'))
  const events: string[] = []
  const running: (() => void)[] = []
  const add = (name: string, caller?: number) =>
    enqueue(async () => {
      events.push(name)
      await new Promise<void>((resolve) => running.push(resolve))
    }, caller).catch((error) => void events.push(`${name}: ${error.message}`))
  /** Ends what runs until nothing waits. */
  const finish = async (tasks: Promise<unknown>[]) => {
    const all = Promise.all(tasks).then(() => true)
    while (!(await Promise.race([all, Bun.sleep(0)]))) running.shift()?.()
    return events
  }
  return { add, finish }
}

test('tasks of one caller run in order, and tasks beyond the limit are refused', async () => {
  const { add, finish } = openTestQueue(2)
  const tasks = ['a', 'b', 'c', 'd'].map((name) => add(name))
  expect(await finish(tasks)).toEqual(['a', 'd: too busy', 'b', 'c'])
})

test('callers take turns', async () => {
  const { add, finish } = openTestQueue(10)
  const tasks = [add('a1', 1), add('a2', 1), add('a3', 1), add('a4', 1), add('b1', 2), add('b2', 2), add('c1', 3)]
  expect(await finish(tasks)).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
})

test('a caller who fills the queue makes room for others, until all have as many', async () => {
  const { add, finish } = openTestQueue(4)
  const tasks = [1, 2, 3, 4, 5].map((number) => add(`a${number}`, 1))
  tasks.push(add('b1', 2), add('b2', 2), add('b3', 2))
  const events = await finish(tasks)
  expect(events.filter((event) => event.includes(':')).sort()).toEqual(['a4: too busy', 'a5: too busy', 'b3: too busy'])
  expect(events.filter((event) => !event.includes(':'))).toEqual(['a1', 'a2', 'b1', 'a3', 'b2'])
})

test('a caller has at most as many tasks running as is allowed, while others use the free workers', async () => {
  const enqueue = openFairQueue(['one', 'two'], 10, () => new Error('too busy'), { perCaller: 1 })
  const running = new Map<number, number>()
  let most = 0
  let together = 0
  const run = (caller: number) =>
    enqueue(async () => {
      running.set(caller, (running.get(caller) ?? 0) + 1)
      most = Math.max(most, running.get(caller)!)
      await Bun.sleep(1)
      together = Math.max(together, [...running.values()].filter(Boolean).length)
      running.set(caller, running.get(caller)! - 1)
    }, caller)
  await Promise.all([run(1), run(1), run(1), run(2), run(2), run(1)])
  expect(most).toBe(1)
  expect(together).toBe(2)
})

test('a task that waits too long is refused, and the others go on', async () => {
  const enqueue = openFairQueue(['worker'], 10, () => new Error('too busy'), { waitMs: 10 })
  const { promise, resolve } = Promise.withResolvers<void>()
  const first = enqueue(() => promise, 1)
  await expect(enqueue(async () => {}, 2)).rejects.toThrow('too busy')
  const last = enqueue(async () => 'done', 3)
  resolve()
  await first
  expect(await last).toBe('done')
})
