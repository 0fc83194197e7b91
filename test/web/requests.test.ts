import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { world } from '../world'
import { openPage, test, waitForVisible } from './browser'

/** Longer than whatever is requested again because of an event waits. */
const QUIET_MS = 1_500

/** The requests that a page sends, without its stream of events. */
function listRequests(page: Page) {
  const sent: string[] = []
  let lastAt = performance.now()
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (!pathname.startsWith('/v2/') || pathname === '/v2/events') return
    sent.push(`${request.method()} ${pathname.replace(/[a-z]+_[0-9a-z]{26}/, ':id')}`)
    lastAt = performance.now()
  })
  /** What was requested since the last time, once nothing more is. */
  return async () => {
    const started = performance.now()
    while (performance.now() - Math.max(started, lastAt) < QUIET_MS) await Bun.sleep(50)
    return sent.splice(0)
  }
}

describe('what others write', () => {
  test('is shown in the feed, the post and the thread without a request', async () => {
    const cast = await world()
    const { ada, bob, root, general } = cast
    // Ada follows none of it: nothing reaches her inbox, which would be read again.
    const post = await bob.posts.create({ channel_id: general.id, title: 'Offsite', content_markdown: 'Where?' })
    const first = await bob.comments.create({ post_id: post.id, content_markdown: 'Lisbon?' })
    await bob.reactions.add({ subject_id: post.id, emoji: '🎉' })
    const thread = await bob.threads.create({ title: 'Plans', member_ids: [ada.id, root.id] })
    await bob.messages.create({ thread_id: thread.id, content_markdown: 'One.' })
    await ada.follows.set({ subject_id: thread.id, level: 'mentions' })
    await cast.fillInboxes()

    const feed = await openPage(cast, ada, '/posts')
    const open = await openPage(cast, ada, `/posts/${post.id}`)
    // Of a post that was never loaded, a comment does not say in which channel it is unread now.
    const messages = await openPage(cast, ada, '/posts')
    await waitForVisible(messages.getByRole('main').getByText('Lisbon?'))
    await messages.getByRole('link', { name: /^Threads/ }).click()
    await messages.getByRole('list', { name: 'Threads' }).getByRole('link').click()
    const row = feed.locator('main').getByRole('listitem').filter({ hasText: 'Offsite' })
    await waitForVisible(row.getByText('Lisbon?'))
    await waitForVisible(open.getByRole('button', { name: 'Bob Moore reacted with 🎉' }))
    await waitForVisible(messages.getByRole('region', { name: 'Messages' }).getByText('One.'))
    // As if another window was in front of them: what is shown is not marked as read.
    for (const page of [open, messages])
      await page.evaluate(() => {
        document.hasFocus = () => false
        dispatchEvent(new Event('blur'))
      })
    const requests = [feed, open, messages].map(listRequests)
    const listed = () => Promise.all(requests.map((list) => list()))
    await listed()

    const comment = await bob.comments.create({ post_id: post.id, content_markdown: 'Or Porto.' })
    await waitForVisible(row.getByText('Or Porto.'))
    await waitForVisible(open.getByText('Or Porto.'))
    await waitForVisible(open.getByRole('heading', { name: '2 comments' }))
    expect({ comment: await listed() }).toEqual({ comment: [[], [], []] })

    await root.comments.create({ post_id: post.id, parent_id: first.id, content_markdown: 'Too far.' })
    await waitForVisible(open.getByText('Too far.'))
    await waitForVisible(row.getByText('Too far.'))
    expect({ reply: await listed() }).toEqual({ reply: [[], [], []] })

    await root.reactions.add({ subject_id: post.id, emoji: '🎉' })
    await root.reactions.add({ subject_id: comment.id, emoji: '🍰' })
    await waitForVisible(open.getByRole('button', { name: 'Bob Moore and Root Admin reacted with 🎉' }))
    await waitForVisible(open.getByRole('button', { name: 'Root Admin reacted with 🍰' }))
    await root.reactions.remove({ subject_id: post.id, emoji: '🎉' })
    await waitForVisible(open.getByRole('button', { name: 'Bob Moore reacted with 🎉' }))
    expect({ reactions: await listed() }).toEqual({ reactions: [[], [], []] })

    // Whether a thread is muted is not known where it was never shown, until something is unread in it.
    await root.messages.create({ thread_id: thread.id, content_markdown: 'Two.' })
    expect((await listed()).at(-1)).toEqual([])
    await root.messages.create({ thread_id: thread.id, content_markdown: 'Three.' })
    await waitForVisible(messages.getByRole('region', { name: 'Messages' }).getByText('Three.'))
    await waitForVisible(messages.getByRole('list', { name: 'Threads' }).getByText('Root: Three.'))
    expect({ message: await listed() }).toEqual({ message: [[], [], []] })
  })

  test('is marked as read where it is shown with the focus, by one request', async () => {
    const cast = await world()
    const { ada, bob, general } = cast
    const post = await bob.posts.create({ channel_id: general.id, title: 'Offsite', content_markdown: 'Where?' })
    const page = await openPage(cast, ada, `/posts/${post.id}`)
    await waitForVisible(page.getByText('No comments yet'))
    const requests = listRequests(page)
    await requests()
    await bob.comments.create({ post_id: post.id, content_markdown: 'Lisbon?' })
    await waitForVisible(page.getByText('Lisbon?'))
    const sent = await requests()
    expect(sent.filter((request) => request.startsWith('PUT'))).toEqual(['PUT /v2/reads/:id'])
    // What is left to read cannot be told from the event.
    expect(new Set(sent)).toEqual(new Set(['PUT /v2/reads/:id', 'GET /v2/unread', 'GET /v2/unread/posts']))
    expect(sent.length).toBe(3)
  })
})
