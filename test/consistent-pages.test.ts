import { expect, test } from 'bun:test'
import { world } from './world'

test('the total of a page counts just what its records show, while others write', async () => {
  const { ada, bob, general } = await world()
  const POSTS = 150
  const before = (await ada.posts.list({})).total_count
  let isWriting = true
  const writing = (async () => {
    for (let number = 1; number <= POSTS; number++)
      await ada.posts.create({ channel_id: general.id, title: String(number), content_markdown: 'x' })
    isWriting = false
  })()

  const wrong: string[] = []
  while (isWriting) {
    const [page] = await Promise.all([bob.posts.list({}), bob.posts.list({ limit: 3 }), bob.posts.list({ limit: 7 })])
    const newest = Number(page.data[0]?.title) || 0
    if (page.total_count !== before + newest) wrong.push(`${page.total_count} in all, but ${newest} is on the page`)
  }
  await writing
  expect(wrong).toEqual([])
})
