import { expect, test } from 'bun:test'
import { openPushService } from './mail/push-service'
import { mailWorld } from './mail/world'
import { callTool } from './mcp/agent'
import { time } from './server'
import { signedIn } from './session/browser'
import { world } from './world'

const TEXT = [
  'Bring',
  '- tea',
  '- cake',
  '',
  '```',
  'npm ci',
  'npm start',
  '```',
  '|who|what|',
  '|-|-|',
  '|Ada|soup|',
].join('\n')
const LINE = 'Bring · tea · cake · npm ci · npm start · who · what · Ada · soup'

test('an excerpt separates list items, lines of code and cells of tables wherever it is shown', async () => {
  await using cast = await mailWorld()
  const { ada, bob, general, mailbox } = cast
  const page = cast.as(await (await signedIn(cast, ada)).token())
  const service = openPushService()
  await page.me.setPushSubscription(service.subscription)
  const post = await ada.posts.create({ channel_id: general.id, title: 'Picnic', content_markdown: TEXT })
  await bob.comments.create({ post_id: post.id, content_markdown: TEXT })
  const { thread_id } = await bob.messages.createDirect({ member_id: ada.id, content_markdown: TEXT })
  await cast.server.inboxFiller()!.tick()

  expect((await ada.inbox.list()).data.map(({ excerpt }) => excerpt)).toEqual([LINE, LINE])
  expect((await ada.unread.posts({ ids: [post.id] })).data[0]!.latest_comment!.excerpt).toBe(LINE)
  expect((await ada.unread.threads({ ids: [thread_id] })).data[0]!.last_message!.excerpt).toBe(LINE)
  const found = (await ada.search.list({ q: '"cake npm"' })).data.flatMap(({ excerpts }) => excerpts)
  const marked = [LINE.indexOf('cake'), LINE.indexOf(' ci')] as const
  expect(found).toEqual(
    Array(3).fill({ field: 'content', text: LINE, highlights: [{ start: marked[0], end: marked[1] }] }),
  )
  expect((await callTool(ada, 'list_posts', {})).text).toContain(LINE)

  time.advance(2 * 60 * 60_000)
  await cast.deliver()
  expect(mailbox.mails.map(({ text }) => text).join()).toContain(`> ${LINE}`)
  expect(service.pushed.map(({ message }) => message.body)).toContain(`Bob Moore sent a message: ${LINE}`)
  await service.close()
})

test('an excerpt shows the text of a link, however long its address is', async () => {
  const { ada, bob, general, fillInboxes } = await world()
  const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Where is it?' })
  const content_markdown = `[Here](https://example.com/?q=${'a'.repeat(5_000)}) it is.`
  await bob.comments.create({ post_id: post.id, content_markdown })
  await fillInboxes()
  expect((await ada.inbox.list()).data.map(({ excerpt }) => excerpt)).toEqual(['Here it is.'])
})
