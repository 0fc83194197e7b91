import { afterAll, expect, test } from 'bun:test'
import { createClient } from '../client'
import { runSql, startPair } from '../replication'
import { engineUnderTest } from '../server'
import { startChild, waitUntil } from './child'
import { expectNothingLost, expectOnlyUnavailable, load } from './load'
import { reportFigure } from './report'
import { openVirtualAddress } from './virtual-address'

/** PARLEY_TORTURE=long: five times, back and forth. */
const ROUNDS = process.env.PARLEY_TORTURE === 'long' ? 5 : 1

const endings: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const end of endings.reverse()) await end()
})

if (engineUnderTest === 'postgres') {
  test('a primary killed under load is replaced by its standby: 503 meanwhile, and no write is lost', async () => {
    const backAfter: number[] = []
    let acknowledged = 0
    for (let round = 0; round < ROUNDS; round++) {
      const { seconds, done } = await replacePrimary()
      backAfter.push(seconds)
      acknowledged += done
    }
    const slowest = Math.max(...backAfter)
    reportFigure({
      question: 'Is a primary that dies and is replaced by its standby survived, under load?',
      goal: '503 meanwhile, back by itself within 10 s of the new primary, nothing acknowledged lost',
      figure: `${slowest.toFixed(1)} s at most of ${ROUNDS} times; 0 of ${acknowledged} acknowledged writes lost`,
      isMet: slowest < 10,
    })
  }, 300_000)
} else {
  test('only PostgreSQL has standbys', () => expect(engineUnderTest).toBe('sqlite'))
}

async function replacePrimary() {
  const { primary, standby } = await startPair()
  endings.push(primary.destroy, standby.destroy)
  const address = await openVirtualAddress()
  address.pointTo(primary.port)
  const child = await startChild(primary.url.replace(`:${primary.port}/`, `:${address.port}/`))
  endings.push(address.close, child.kill)
  const client = createClient({ baseUrl: child.url, token: await child.firstToken() })
  await waitUntil(child.isReady)
  const channel_id = (await client.channels.list()).data[0]!.id
  const work = load(child, client, channel_id)
  await waitUntil(() => work.state.done.length > 50)

  await primary.stop('SIGKILL')
  await waitUntil(async () => (await fetch(`${child.url}/readyz`)).status === 503)
  // The address moves before the standby is promoted, so for a while the server is read-only.
  address.pointTo(standby.port)
  const before = work.state.refused.length
  await waitUntil(() => work.state.refused.length > before + 20)
  await runSql(standby.url, 'SELECT pg_promote()')
  const promoted = performance.now()
  const there = work.state.done.length
  await waitUntil(() => work.state.done.length > there)
  const seconds = (performance.now() - promoted) / 1000
  await waitUntil(() => work.state.done.length > there + 50)

  const { done, refused } = await work.stop()
  expectOnlyUnavailable(child, refused)
  await child.stop()
  await expectNothingLost(standby.url, done)
  expect((await runSql(standby.url, 'SELECT pg_is_in_recovery() AS is_standby'))[0]).toEqual({ is_standby: false })
  for (const end of endings.splice(0).reverse()) await end()
  return { seconds, done: done.length }
}
