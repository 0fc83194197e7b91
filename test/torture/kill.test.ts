import { afterAll, expect, test } from 'bun:test'
import { createClient } from '../../src/client'
import { newDatabase } from '../server'
import { type Child, startChild, until } from './child'
import { type Diary, expectTrue, keepDiary } from './diary'
import { reportFigure } from './report'

/** PARLEY_TORTURE=long: two hundred times. */
const ROUNDS = process.env.PARLEY_TORTURE === 'long' ? 200 : 4
const CALLERS = 16

let child: Child | undefined
afterAll(() => child?.kill())

test('what was acknowledged is there after the process is killed at any moment', async () => {
  const database = await newDatabase()
  const figures = { rounds: 0, acknowledged: 0 }
  try {
    let token: string | undefined
    for (; figures.rounds < ROUNDS; figures.rounds++) {
      child = await startChild(database.url)
      token ??= await child.firstToken()
      await until(child.isReady)
      const diary = await killedWhileWriting(child, token)
      await expectTrue(database.url, diary)
      figures.acknowledged += diary.size
    }
    child = await startChild(database.url)
    await until(child.isReady)
    const client = createClient({ baseUrl: child.url, token: token! })
    expect((await client.posts.list()).total_count).toBeGreaterThan(0)
    await child.stop()
  } finally {
    reportFigure({
      question: 'Is what was acknowledged there after kill -9, and do counters, revisions, events and rows agree?',
      goal: `0 lost in ${ROUNDS} rounds`,
      figure: `${figures.rounds} rounds without a loss, ${figures.acknowledged} things as last acknowledged`,
      isMet: figures.rounds === ROUNDS,
    })
  }
  await database.drop()
}, 1_200_000)

/** Several callers write all they can; then, at any moment, there is no server any more. What is certain at that point. */
async function killedWhileWriting(server: Child, token: string): Promise<Diary> {
  const client = createClient({ baseUrl: server.url, token })
  const channel = (await client.channels.list()).data[0]!
  const diary: Diary = new Map()
  const load = { isOver: false }
  const callers = Array.from({ length: CALLERS }, () => keepDiary(client, channel.id, diary, load))
  await until(() => diary.size > 0)
  await Bun.sleep(Math.random() * 500)
  await server.kill()
  load.isOver = true
  await Promise.all(callers)
  return diary
}
