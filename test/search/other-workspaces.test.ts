import { expect, test } from 'bun:test'
import { time } from '../server'
import { world } from '../world'
import { find, recordOf } from './found'

const COUNT = 10
const BEHIND_MS = 5 * 60_000

/** Two workspaces that are written in turns, the other one by a node whose clock is behind. Ids of this one, the newest first. */
async function writtenInTurns() {
  const cast = await world()
  const { ada, zed, general } = cast
  const [away] = (await zed.channels.list()).data
  const newest: string[] = []
  for (let made = 0; made < COUNT; made++) {
    time.advance(1000)
    newest.unshift((await ada.posts.create({ channel_id: general.id, content_markdown: 'A zebra' })).id)
    time.advance(-BEHIND_MS)
    await zed.posts.create({ channel_id: away!.id, content_markdown: 'A zebra' })
    time.advance(BEHIND_MS)
  }
  return { ...cast, newest }
}

for (const direction of ['desc', 'asc'] as const)
  test(`pages (${direction}) stay in place when a record is deleted, whatever clock others are written by`, async () => {
    const { ada, newest } = await writtenInTurns()
    const order = direction === 'desc' ? newest : newest.toReversed()
    for (const at of [1, 4, 7]) {
      const { next_cursor } = await ada.search.list({ q: 'zebra', direction, limit: at })
      const [deleted] = order.splice(at - 1, 1)
      await ada.posts.delete({ id: deleted! })
      expect(await find(ada, { q: 'zebra', direction, after: next_cursor! })).toEqual(order.slice(at - 1))
    }
  })

test('a period has all its records, whatever clock others are written by', async () => {
  const { ada, newest } = await writtenInTurns()
  const times = (await ada.search.list({ q: 'zebra' })).data.map((result) => recordOf(result).created_at)
  for (const at of [0, 4, 9]) {
    expect(await find(ada, { q: 'zebra', created_after: times[at]! })).toEqual(newest.slice(0, at + 1))
    expect(await find(ada, { q: 'zebra', created_before: times[at]! })).toEqual(newest.slice(at + 1))
  }
})
