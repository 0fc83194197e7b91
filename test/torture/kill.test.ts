import { afterAll, expect, test } from 'bun:test'
import { createClient } from '../client'
import { newMigratedDatabase } from '../server'
import { type Child, patiently, startChild, waitUntil } from './child'
import { reportFigure } from './report'
import { expectJournal, type Load, type WriteJournal, writeContinuously } from './write-journal'

/** PARLEY_TORTURE=long: two hundred times. */
const ROUNDS = process.env.PARLEY_TORTURE === 'long' ? 200 : 4
/** Then a new database is used, since checking a large one takes longer than the round. */
const ROUNDS_PER_DATABASE = 25
const CALLERS = 16

let child: Child | undefined
afterAll(() => child?.kill())

test('acknowledged writes survive if the process is killed at any time', async () => {
  const figures = { rounds: 0, writes: 0 }
  try {
    while (figures.rounds < ROUNDS) await killRepeatedly(Math.min(ROUNDS_PER_DATABASE, ROUNDS - figures.rounds))
  } finally {
    reportFigure({
      question: 'Is what was acknowledged there after kill -9 at any moment?',
      goal: `0 lost in ${ROUNDS} rounds; counters, revisions, events and rows agree`,
      figure: `${figures.rounds} rounds without a loss, ${figures.writes} acknowledged writes`,
      isMet: figures.rounds === ROUNDS,
    })
  }

  async function killRepeatedly(times: number) {
    const database = await newMigratedDatabase()
    let token: string | undefined
    for (let time = 0; time < times; time++) {
      child = await startChild(database.url)
      token ??= await child.firstToken()
      await waitUntil(child.isReady)
      const { journal, writes } = await killWhileWriting(child, token)
      await expectJournal(database.url, journal)
      figures.writes += writes
      figures.rounds += 1
    }
    child = await startChild(database.url)
    await waitUntil(child.isReady)
    const client = createClient({ baseUrl: child.url, token: token! })
    expect((await client.posts.list()).total_count).toBeGreaterThan(0)
    await child.stop()
    await database.drop()
  }
}, 1_200_000)

/** Kills the server at a random time while several callers write. Returns the acknowledged writes. */
async function killWhileWriting(server: Child, token: string) {
  const client = createClient({ baseUrl: server.url, token, fetch: patiently })
  const channel = (await client.channels.list()).data[0]!
  const journal: WriteJournal = new Map()
  const load: Load = { isOver: false, writes: 0 }
  const callers = Array.from({ length: CALLERS }, () => writeContinuously(client, channel.id, journal, load))
  await waitUntil(() => journal.size > 0)
  await Bun.sleep(Math.random() * 500)
  await server.kill()
  load.isOver = true
  await Promise.all(callers)
  return { journal, writes: load.writes }
}
