import { expect, test } from 'bun:test'
import { Parley } from '../src/client'
import { openLossyProxy, seededRandom } from './lossy-proxy'
import { world } from './world'

const COUNT = 40
const AT_A_TIME = 20

/** Does this for every number below `COUNT`, some at a time. */
async function doAll<T>(work: (number: number) => Promise<T>): Promise<T[]> {
  const done: T[] = []
  const numbers = Array.from({ length: COUNT }, (_, number) => number)
  const worker = async () => {
    for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) done[number] = await work(number)
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, worker))
  return done
}

test('if one in five responses is lost, everything that the client writes exists exactly once', async () => {
  const { baseUrl, ada, bob, general } = await world()
  await using proxy = await openLossyProxy(baseUrl, seededRandom(13))
  const client = new Parley({ baseUrl: proxy.url, token: ada.token, retries: 12 })
  const subject = await ada.posts.create({ channel_id: general.id, content_markdown: 'Lunch?' })
  const thread = await ada.threads.create({ member_ids: [bob.id] })

  const write = (text: string) => ({ content_markdown: text })
  const posts = await doAll((n) => client.posts.create({ channel_id: general.id, ...write(`Post ${n}`) }))
  const comments = await doAll((n) => client.comments.create({ post_id: subject.id, ...write(`Comment ${n}`) }))
  const messages = await doAll((n) => client.messages.create({ thread_id: thread.id, ...write(`Message ${n}`) }))

  const ids = async (list: AsyncIterable<{ id: string }>) => (await Array.fromAsync(list, ({ id }) => id)).sort()
  const idsOf = (records: { id: string }[]) => records.map(({ id }) => id).sort()
  expect(await ids(ada.posts.list({ channel_id: general.id }))).toEqual(idsOf([subject, ...posts]))
  expect(await ids(ada.comments.list({ post_id: subject.id }))).toEqual(idsOf(comments))
  expect(await ids(ada.messages.list({ thread_id: thread.id }))).toEqual(idsOf(messages))
  expect(posts.map(({ title }) => title)).toEqual(posts.map((_, n) => `Post ${n}`))

  // Read, changed and deleted through the proxy.
  expect(await ids(client.posts.list({ channel_id: general.id, limit: 7 }))).toEqual(idsOf([subject, ...posts]))
  await doAll((n) => client.posts.update({ id: posts[n]!.id, title: `Changed ${n}` }))
  await doAll((n) => client.messages.delete({ id: messages[n]!.id }))
  expect((await ada.posts.get({ id: posts[7]!.id })).title).toBe('Changed 7')
  expect((await ada.messages.list({ thread_id: thread.id })).total_count).toBe(0)
  expect(proxy.lost.all).toBeGreaterThan(25)
  expect(proxy.lost.cut).toBeGreaterThan(8)
}, 300_000)
