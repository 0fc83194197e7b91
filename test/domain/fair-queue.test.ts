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

test('tasks of one caller run in order, and those beyond the limit are refused', async () => {
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
