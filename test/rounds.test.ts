import { expect, test } from 'bun:test'
import type { Parley } from '../src/gate/parley'
import { openRounds } from '../src/jobs/rounds'

const MOMENTS = 12

test('a tick starts a round, even if it comes at the very moment when another has ended', async () => {
  const parley = { changes: { subscribeToAll: () => () => {} } } as unknown as Parley
  for (let moment = 0; moment < MOMENTS; moment++) {
    let begun = 0
    const ended = Promise.withResolvers<void>()
    const rounds = openRounds(parley, {
      what: 'nothing',
      minRoundMs: 0,
      async runRound() {
        begun += 1
        ended.resolve()
        return false
      },
    })
    const first = rounds.tick()
    await ended.promise
    for (let step = 0; step < moment; step++) await undefined
    const before = begun
    await rounds.tick()
    expect([moment, begun]).toEqual([moment, before + 1])
    await first
    rounds.close()
  }
})
