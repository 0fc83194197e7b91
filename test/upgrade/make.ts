// @ts-nocheck: it runs in a checkout of 0.2.0.
/**
 * Makes `0.2.0.backup.zst` and `0.2.0.json.zst`: a database that 0.2.0 has written, and what its API answered. To make them again, copy
 * this file and `answers.ts` to `test/upgrade/` of a checkout of 0.2.0, and run `bun test/upgrade/make.ts FOLDER` there.
 */
import { Database } from 'bun:sqlite'
import { createECDH } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashSecret } from '../../src/domain/secrets'
import { waitUntil } from '../expectations'
import { picture } from '../me/pictures'
import { deadMailServer, filesUrlOf, newDatabase, startTestServer } from '../server'
import { cookieOf, secretOf, send } from '../session/browser'
import { deliver, openReceiver } from '../webhooks/receiver'
import { world } from '../world'
import { ask, inPages, PUBLIC_URL, tokenOf } from './answers'

const folder = process.argv[2] ?? '.'
const DAY = 24 * 60 * 60_000
let now = Date.parse('2026-11-01T09:00:00.000Z')
let isFrozen = false
const database = await newDatabase()
const PORT = '47123'
const started = await startTestServer(
  { ...deadMailServer, DATABASE_URL: database.url, PORT, PUBLIC_URL, ADMIN_EMAIL: 'first@example.com' },
  // No two moments are the same until all is written.
  { clock: () => (isFrozen ? now : ++now) },
)
const server = { ...started, url: `http://127.0.0.1:${PORT}` }
await server.notifications()!.close()
const receiver = openReceiver()

const HOSTILE = [
  `"quotes" 'single' \\back\\slash \\\\ \\u0000 \\x00 %00 <b>&amp;</b> \t line\u2028separator\u2029paragraph é 漢字 🎉👩‍👩‍👧‍👦 {"json":[1]}`,
  `\u202Eright-to-left\u202C عربي עברית ﷽ Z̸a̸l̸g̸o̸ \uFEFF\u200B zero`,
  `'); DROP TABLE posts; -- $1 ?1 :name @x \${x} {{x}} %s`,
  `Unpaired \\ud800 and "\\" at the end \\`,
]
const MARKDOWN = [
  '# Heading\n\n## Second\n\nText with **bold**, *italic*, ~~gone~~, `code` and a [link](https://example.com/?a=1&b=2).',
  '- one\n- two\n  - nested\n\n1. first\n2. second\n\n- [ ] open\n- [x] done',
  '```ts\nconst a = "b" // <script>\n```\n\n> quoted\n> text\n\n---\n\n| a | b |\n| --- | ---: |\n| 1 | **2** |',
  'Line one  \nline two\\\nline three :rocket: :party: https://example.com/auto <https://example.com>',
  ...HOSTILE,
  `Very long: ${'word '.repeat(3_000)}`,
  'x'.repeat(500),
]

const home = await world(server)
const other = await world(server)
const { root, ada, bob, vic, gus, bot, zed, general, fillInboxes } = home
const say = (person) => `<@${person.id}>`

await root.workspace.update({ name: 'Analytical “Engines” \\ Ltd', is_set_up: true })
await root.workspace.setIcon({ file: await picture() })
await ada.me.updateProfile({ job_title: 'Engineer "first"', time_zone: 'Europe/London' })
await ada.me.setAvatar({ file: await picture('webp') })
await bob.me.update({ display_name: 'Bob "B" O’Moore \u2028 漢 🎉' })
await bob.me.updatePreferences({ enter_sends: false })
await ada.me.updateNotificationSettings({ mail: 'daily', mail_hour: 8, quiet_hours: { from: '22:00', to: '07:30' } })
await ada.me.setPassword({ password: 'correct horse battery staple' })
await root.emoji.set({ name: 'party', file: await picture() })
await root.emoji.set({ name: 'gone', file: await picture('png', [40, 40]) })

const cid = await root.members.create({ email: 'cid@example.com', display_name: 'Cid Gone', role: 'member' })
const cidClient = await home.tokenFor(cid.id, ['admin'])
const secret = await root.channels.create({ name: 'secret “plans”', description: HOSTILE[0], private: true })
const shared = await root.channels.create({ name: 'shared', description: 'With guests.' })
const archive = await root.channels.create({ name: 'archive' })
const closed = await root.channels.create({ name: 'closed', private: true })
await root.channels.delete({ id: (await root.channels.create({ name: 'deleted' })).id })
for (const person of [ada, bob]) await root.channels.addMember({ channel_id: secret.id, member_id: person.id })
for (const person of [ada, bob, gus]) await root.channels.addMember({ channel_id: shared.id, member_id: person.id })
await ada.channels.join({ channel_id: general.id })
await bob.channels.join({ channel_id: general.id })
await vic.channels.join({ channel_id: general.id })
await bob.follows.set({ subject_id: general.id, level: 'all' })
await vic.follows.set({ subject_id: shared.id, level: 'none' })
await ada.follows.set({ subject_id: secret.id, level: 'all' })

const webhook = await root.webhooks.create({
  url: receiver.url,
  types: ['post.created', 'post.resolved', 'comment.created'],
})
const failing = await root.webhooks.create({ url: `${receiver.url}?fails`, types: ['post.created'] })
receiver.behaviour = ({ path }) => new Response('"answer" \\ 漢', { status: path.includes('fails') ? 500 : 200 })
const hook = await bob.hooks.create({ name: 'Grafana "alerts"', channel_id: general.id })
await bob.hooks.setAvatar({ id: hook.id, file: await picture() })
await bob.hooks.test({ id: hook.id })
const privateHook = await ada.hooks.create({ name: 'In secret', channel_id: secret.id })
await fetch(privateHook.url.replace(PUBLIC_URL, server.url), {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ text: `*Alert* <https://example.com|link> & "quotes" ${HOSTILE[0]}` }),
})

const upload = (person, name, type, content) => person.files.upload({ file: new Blob([content], { type }), name })
const notes = await upload(ada, 'notes "draft" 漢.txt', 'text/plain', 'Notes of the meeting.\n')
const image = await ada.files.upload({ file: await picture('png', [120, 90]), name: 'photo.png' })
await upload(bob, 'unshared.csv', 'text/csv', 'a,b\n1,2\n')
const erased = await upload(bob, 'erased.txt', 'text/plain', 'erased')
await bob.files.delete({ id: erased.id })

// Posts: every kind of text, in every channel, by everybody.
const posts = []
const authors = [ada, bob, root, bot]
const channels = [general, shared, general, secret, archive, closed]
for (const [at, content_markdown] of MARKDOWN.entries())
  for (const turn of [0, 1]) {
    const channel = channels[(at + turn) % channels.length]
    const author = channel === closed ? root : channel === secret ? [ada, bob][turn] : authors[(at + turn * 2) % 4]
    const title = turn === 0 ? undefined : `Title ${at} ${HOSTILE[at % HOSTILE.length]}`.slice(0, 180)
    const file_ids = at === 1 && author === ada ? [notes.id, image.id] : undefined
    posts.push({
      ...(await author.posts.create({ channel_id: channel.id, content_markdown, title, file_ids })),
      author,
      channel,
    })
  }
const inGeneral = posts.filter(({ channel }) => channel === general)
const [question, answered, noted, unresolved, reopened, busy] = inGeneral
const withFiles = await ada.posts.create({
  channel_id: shared.id,
  content_markdown: 'The files:',
  file_ids: [notes.id, image.id],
})
const checklist = await ada.posts.create({ channel_id: general.id, content_markdown: '- [ ] Tag it\n- [x] Test it' })
await ada.posts.check({ post_id: checklist.id, item: 0, is_checked: true, label: 'Tag it' })
const edited = await bob.posts.create({ channel_id: general.id, content_markdown: 'First version' })
await bob.posts.update({ id: edited.id, content_markdown: `Second version ${HOSTILE[0]}`, title: 'Edited' })
const toPeople = await root.posts.create({
  channel_id: general.id,
  content_markdown: `Hello ${say(ada)}, ${say(bob)} and ${say(bot)}!`,
})
const toGuest = await root.posts.create({ channel_id: shared.id, content_markdown: `Welcome, ${say(gus)}.` })
const goneSoon = await bob.posts.create({ channel_id: general.id, content_markdown: `Deleted soon, ${say(ada)}` })
const cids = await cidClient.posts.create({ channel_id: general.id, content_markdown: 'By someone who left' })

// Comments, replies, tombstones.
const comments = []
for (const [at, post] of [question, answered, noted, busy, toPeople, withFiles, cids].entries()) {
  const first = await (at % 2 ? ada : bob).comments.create({
    post_id: post.id,
    content_markdown: MARKDOWN[at % MARKDOWN.length],
  })
  const reply = await root.comments.create({
    post_id: post.id,
    content_markdown: `Reply to ${say(at % 2 ? ada : bob)}`,
    parent_id: first.id,
  })
  const last = await bot.comments.create({ post_id: post.id, content_markdown: HOSTILE[at % HOSTILE.length] })
  comments.push(first, reply, last)
}
for (let at = 0; at < 12; at++)
  comments.push(await [ada, bob, root][at % 3].comments.create({ post_id: busy.id, content_markdown: `Number ${at}` }))
const guests = await gus.comments.create({ post_id: toGuest.id, content_markdown: `Thanks, ${say(root)}` })
const tombstone = await ada.comments.create({ post_id: question.id, content_markdown: 'Deleted, with a reply' })
comments.push(
  await bob.comments.create({
    post_id: question.id,
    content_markdown: 'The reply that stays',
    parent_id: tombstone.id,
  }),
)
await ada.comments.delete({ id: tombstone.id })
const mistake = await bob.comments.create({ post_id: question.id, content_markdown: `Deleted, for ${say(ada)}` })
await bob.comments.delete({ id: mistake.id })
const fixed = await bob.comments.create({ post_id: question.id, content_markdown: 'Tpyo' })
await bob.comments.update({ id: fixed.id, content_markdown: `Typo, ${say(ada)}` })
const list = await ada.comments.create({
  post_id: checklist.id,
  content_markdown: '- [ ] Write the notes',
  file_ids: [notes.id],
})
await ada.comments.check({ comment_id: list.id, item: 0, is_checked: true })
comments.push(tombstone, mistake, fixed, list, guests)

// Resolutions: plain, with a note, with an answer, an answer that was deleted, opened again.
await root.posts.resolve({ post_id: question.id })
const answer = await ada.comments.create({ post_id: answered.id, content_markdown: 'The answer is **42**.' })
await bob.posts.resolve({ post_id: answered.id, comment_id: answer.id, content_markdown: `With a note. ${HOSTILE[0]}` })
await ada.posts.resolve({ post_id: noted.id, content_markdown: 'Only a note.' })
const lost = await ada.comments.create({ post_id: unresolved.id, content_markdown: 'An answer that is deleted' })
await bob.posts.resolve({ post_id: unresolved.id, comment_id: lost.id, content_markdown: 'See below' })
await ada.comments.delete({ id: lost.id })
await root.posts.resolve({ post_id: reopened.id, content_markdown: 'Done?' })
await bob.posts.unresolve({ post_id: reopened.id })
const inSecret = posts.filter(({ channel }) => channel === secret)
await bob.posts.resolve({ post_id: inSecret[0].id })
comments.push(answer, lost)

// Threads and messages.
const thread = await ada.threads.create({ title: `Launch ${HOSTILE[0]}`.slice(0, 100), member_ids: [bob.id, gus.id] })
const small = await bob.threads.create({ title: 'Two', member_ids: [ada.id] })
const messages = []
for (const [at, content_markdown] of MARKDOWN.entries())
  messages.push(
    await [ada, bob, gus][at % 3].messages.create({
      thread_id: thread.id,
      content_markdown,
      parent_id: at % 4 === 3 ? messages.at(-1).id : undefined,
    }),
  )
messages.push(
  await bob.messages.create({
    thread_id: small.id,
    content_markdown: `Files for ${say(ada)}`,
    file_ids: [(await upload(bob, 'm.txt', 'text/plain', 'm')).id],
  }),
)
const direct = await ada.messages.createDirect({ member_id: bob.id, content_markdown: 'Just us' })
messages.push(direct, await bob.messages.create({ thread_id: direct.thread_id, content_markdown: 'Yes' }))
messages.push(await root.messages.createDirect({ member_id: gus.id, content_markdown: HOSTILE[1] }))
await ada.messages.update({ id: messages[0].id, content_markdown: 'Edited message' })
await bob.messages.delete({ id: messages[1].id })
await ada.threads.addMember({ thread_id: thread.id, member_id: root.id })
await gus.messages.create({ thread_id: thread.id, content_markdown: 'Before leaving' })
await root.threads.leave({ thread_id: thread.id })
await ada.threads.addMember({ thread_id: thread.id, member_id: bot.id })

// Reactions of every kind.
await fillInboxes()
for (const person of [bob, root, vic, gus, ada])
  await person.reactions.addToPost({ post_id: person === gus ? toGuest.id : edited.id, emoji: '👍' }).catch(() => {})
await bob.reactions.addToPost({ post_id: question.id, emoji: 'party' })
await ada.reactions.addToPost({ post_id: question.id, emoji: '🏳️‍🌈' })
await root.reactions.addToPost({ post_id: question.id, emoji: 'gone' })
await ada.reactions.addToComment({ comment_id: comments[0].id, emoji: '❤️' })
await bob.reactions.addToComment({ comment_id: answer.id, emoji: '🎉' })
await bob.reactions.addToMessage({ message_id: messages[0].id, emoji: '🎂' })
await fillInboxes()
await bob.reactions.addToComment({ comment_id: list.id, emoji: '👀' })
await fillInboxes()
await bob.reactions.removeFromComment({ comment_id: list.id, emoji: '👀' })
await root.emoji.delete({ name: 'gone' })

// Pins, saved posts, reminders, drafts.
for (const post of [busy, answered, edited]) await ada.pins.set({ post_id: post.id })
await ada.pins.unset({ post_id: edited.id })
await bob.pins.set({ post_id: inSecret[0].id })
const iso = (time) => new Date(time).toISOString()
await ada.saved.set({ post_id: busy.id })
await ada.saved.set({ post_id: question.id, remind_at: iso(now + DAY) })
await ada.saved.set({ post_id: inSecret[0].id, remind_at: iso(now + 90 * DAY) })
await ada.saved.set({ post_id: cids.id, remind_at: iso(now + DAY) })
await bob.saved.set({ post_id: checklist.id, remind_at: iso(now + DAY) })
await bob.saved.set({ post_id: goneSoon.id })
await gus.saved.set({ post_id: toGuest.id })
await ada.drafts.save({ subject_id: busy.id, content_markdown: `A draft ${HOSTILE[0]}` })
await ada.drafts.save({ subject_id: busy.id, content_markdown: 'Another version', version: 0 })
await ada.drafts.save({ subject_id: general.id, title: 'A new post', content_markdown: HOSTILE[2] })
await ada.drafts.save({ subject_id: thread.id, content_markdown: `To be sent ![x](${image.id})` })
await bob.drafts.save({ subject_id: secret.id, content_markdown: 'In secret' })
await bob.drafts.save({ subject_id: goneSoon.id, content_markdown: 'Kept, although the post goes' })

// Follows: chosen, and by what people did.
await vic.follows.set({ subject_id: busy.id, level: 'all' })
await bob.follows.set({ subject_id: question.id, level: 'none' })
await ada.follows.set({ subject_id: edited.id, level: 'mentions' })
await ada.follows.set({ subject_id: small.id, level: 'none' })

// A day later: reminders, and what people have read.
now += DAY + 1_000
await server.reminders()!.tick()
await fillInboxes()
await root.posts.create({ channel_id: general.id, content_markdown: 'Something new' })
await ada.comments.create({ post_id: busy.id, content_markdown: `Late, ${say(vic)}` })
await fillInboxes()
await vic.reads.setAll({})
await ada.reads.set({ subject_id: question.id })
await ada.reads.set({ subject_id: shared.id })
await ada.reads.set({ subject_id: busy.id, up_to_id: comments.find(({ content }) => content.includes('Number 3')).id })
await ada.reads.unset({ subject_id: edited.id })
await bob.reads.set({ subject_id: general.id })
await bob.reads.unset({ subject_id: busy.id, from_id: comments.find(({ content }) => content.includes('Number 7')).id })
await bob.reads.set({ subject_id: thread.id })
await bob.reads.unset({ subject_id: thread.id, from_id: messages[4].id })
await gus.reads.set({ subject_id: thread.id, up_to_id: messages[3].id })
await fillInboxes()
const entries = (await ada.inbox.list({})).data
await ada.inbox.update({ id: entries[0].id, read: true })
await ada.inbox.update({ id: entries[2].id, archived: true })
await ada.inbox.update({ id: entries[4].id, read: true, archived: true })
await bob.inbox.update({ id: (await bob.inbox.list({})).data[1].id, archived: true })

// What comes after that: unread again, moved up, out of the archive; things that go away.
await bob.comments.create({ post_id: question.id, content_markdown: `Again, ${say(ada)}` })
await root.comments.create({ post_id: answered.id, content_markdown: 'Well done' })
await gus.messages.create({ thread_id: thread.id, content_markdown: `And you, ${say(bob)}?` })
await bob.posts.delete({ id: goneSoon.id })
await root.channels.update({ id: archive.id, archived: true })
await root.channels.update({ id: shared.id, name: 'shared with guests' })
await root.channels.removeMember({ channel_id: secret.id, member_id: bob.id })
await root.members.update({ id: cid.id, is_deactivated: true })
const former = await root.apps.create({ name: 'Former' })
await root.apps.createToken({ id: former.id, scopes: ['write'], name: 'Old' })
await root.apps.delete({ id: former.id })
await ada.tokens.createMine({ scopes: ['read'], name: 'Dashboard "1"' })
const revoked = await ada.tokens.createMine({ scopes: ['read'], name: 'Revoked' })
await ada.tokens.delete({ id: revoked.id })
await root.members.createSignInLink({ member_id: vic.id })
const { url: link } = await root.members.createSignInLink({ member_id: ada.id })
const browser = {
  Origin: PUBLIC_URL,
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
}
const session = await send(server.url, 'POST', '/session', { link: secretOf(link) }, browser)
const { token: ofBrowser } = await (
  await send(server.url, 'POST', '/session/token', undefined, { Cookie: cookieOf(session), ...browser })
).json()
const keys = {
  p256dh: createECDH('prime256v1').generateKeys('base64url'),
  auth: Buffer.alloc(16, 1).toString('base64url'),
}
await home.as(ofBrowser).me.setPushSubscription({ endpoint: 'https://push.example.com/v1/1', keys })
await ada.me.changeEmail({ email: 'ada.lovelace@example.com', current_password: 'correct horse battery staple' })
await send(server.url, 'POST', '/session', { email: 'ada@example.com', password: 'wrong' }, browser)
for (const subject of ['Once', 'Deleted'])
  await home.raw(ada, '/v2/posts', {
    method: 'POST',
    headers: { 'Idempotency-Key': `key-${subject}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ channel_id: general.id, content_markdown: subject }),
  })
const { data: newest } = await ada.posts.list({ limit: 1 })
await ada.posts.delete({ id: newest[0].id })
const short = await root.webhooks.create({ url: receiver.url, types: ['post.created'] })
await root.webhooks.ping({ id: short.id })
await root.webhooks.delete({ id: short.id })

// The same people elsewhere: other content, and nothing of the first workspace.
const post = await other.ada.posts.create({ channel_id: other.general.id, content_markdown: `Elsewhere ${HOSTILE[0]}` })
await other.bob.comments.create({ post_id: post.id, content_markdown: `Seen, ${say(other.ada)}` })
await other.ada.reactions.addToPost({ post_id: post.id, emoji: '👍' })
await other.root.posts.resolve({ post_id: post.id })

await fillInboxes()
for (const person of [bob, root]) await person.reactions.addToPost({ post_id: withFiles.id, emoji: '👍' })
await bob.reactions.addToComment({ comment_id: answer.id, emoji: '👍' })
await root.reactions.addToPost({ post_id: toPeople.id, emoji: '👍' })
await ada.reactions.addToPost({ post_id: toPeople.id, emoji: '👍' })
await fillInboxes()
await bob.inbox.update({ id: (await bob.inbox.list({ reason: ['reminder'] })).data[0].id, archived: true })
await server.relisting()!.tick()
await deliver(server)
await server.dispatcher()!.tick?.()
await root.webhooks.ping({ id: webhook.id })
await deliver(server)
await waitUntil(async () => (await root.webhooks.deliveries({ id: webhook.id, status: 'pending' })).data.length === 0)
await root.webhooks.update({ id: failing.id, is_enabled: false })
await fillInboxes()

const people = { root, ada, bob, vic, gus, bot, zed, elsewhere: other.ada, 'elsewhere-root': other.root }
const callers = Object.keys(people)
const engine = server.parley.engine
await server.parley.presence.settled()
isFrozen = true
for (const [name, { token }] of Object.entries(people))
  await engine.write((db) =>
    db
      .updateTable('tokens')
      .set({ hash: hashSecret(tokenOf(name)) })
      .where('hash', '=', hashSecret(token))
      .execute(),
  )
await ask(server.url, ['/v2/me'], callers)
await server.parley.presence.settled()

const all = async (table, ...columns) =>
  engine.read((db) => db.selectFrom(table).select(columns).orderBy(columns[0]).execute())
const ids = async (table) => (await all(table, 'id')).map(({ id }) => id)
const [postIds, commentIds, messageIds, threadIds, channelIds, memberIds, fileIds] = await Promise.all(
  ['posts', 'comments', 'messages', 'threads', 'channels', 'members', 'files'].map(ids),
)
postIds.push(goneSoon.id)
commentIds.push(mistake.id)
const webhookIds = await ids('webhooks')
const deliveryIds = await ids('deliveries')
const appIds = await ids('apps')
const hookIds = (await all('hooks', 'id')).map(({ id }) => id)
const chunks = (list, size = 20) =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size).join(','))
const each = (list, ...paths) => list.flatMap((id) => paths.map((path) => path.replace(':id', id)))
const sorted = (path, sorts) =>
  sorts.flatMap((sort) =>
    ['asc', 'desc'].map((direction) =>
      inPages(`${path}${path.includes('?') ? '&' : '?'}sort=${sort}&direction=${direction}`),
    ),
  )

const paths = [
  ...[
    '/v2/me',
    '/v2/me/preferences',
    '/v2/me/email',
    '/v2/me/notification-settings',
    '/v2/workspace',
    '/v2/files/limits',
    '/v2/emoji',
    '/v2/unread',
  ],
  ...sorted('/v2/posts', ['published_at', 'last_activity_at']),
  ...['/v2/posts?resolved=true', '/v2/posts?resolved=false'].map(inPages),
  ...channelIds.flatMap((id) =>
    [
      `/v2/posts?channel_id=${id}`,
      `/v2/channels/${id}/members`,
      `/v2/channels/${id}/pins`,
      `/v2/files?channel_id=${id}`,
    ].map(inPages),
  ),
  ...[ada, bob, bot].map(({ id }) => inPages(`/v2/posts?author_id=${id}&resolved=false`)),
  ...each(postIds, '/v2/posts/:id', '/v2/posts/:id/resolution', '/v2/follows/:id'),
  ...each(postIds, '/v2/posts/:id/comments').map(inPages),
  ...each([question.id, busy.id], '/v2/posts/:id/comments?parent_id=root&direction=desc').map(inPages),
  ...each(commentIds, '/v2/comments/:id'),
  ...sorted('/v2/channels', ['created_at', 'name']),
  ...['/v2/channels?archived=true', '/v2/channels?joined=true', '/v2/channels?q=sha'].map(inPages),
  ...each(channelIds, '/v2/channels/:id', '/v2/follows/:id', '/v2/drafts/:id'),
  ...sorted('/v2/members', ['created_at', 'last_seen_at']),
  ...['/v2/members?q=moore', '/v2/members?q=a', '/v2/members?roles=guest,viewer'].map(inPages),
  ...each(memberIds, '/v2/members/:id', '/v2/members/:id/profile'),
  ...sorted('/v2/threads', ['last_activity_at']),
  ...each(threadIds, '/v2/threads/:id', '/v2/follows/:id', '/v2/drafts/:id'),
  ...each(
    threadIds,
    '/v2/threads/:id/messages',
    '/v2/threads/:id/messages?direction=asc',
    '/v2/files?thread_id=:id',
  ).map(inPages),
  ...each(messageIds, '/v2/messages/:id'),
  ...chunks([...postIds, ...commentIds, ...messageIds]).flatMap((some) => [
    `/v2/reactions?ids=${some}`,
    `/v2/edits?ids=${some}`,
  ]),
  ...chunks([...postIds, ...commentIds, ...messageIds]).map((some) => `/v2/markdown?ids=${some}`),
  ...chunks(postIds).map((some) => `/v2/unread/posts?ids=${some}`),
  `/v2/unread/threads?ids=${threadIds.join(',')}`,
  ...[
    `/v2/posts/${question.id}`,
    `/v2/posts/${edited.id}`,
    `/v2/comments/${answer.id}`,
    `/v2/messages/${messages[0].id}`,
  ].map((path) => inPages(`${path}/reactions`)),
  ...[
    '/v2/inbox',
    '/v2/inbox?unread=true',
    '/v2/inbox?archived=true',
    '/v2/inbox?reason=mention',
    '/v2/inbox?reason=reaction,reminder',
  ].map(inPages),
  ...[
    '/v2/drafts',
    '/v2/saved',
    '/v2/saved?reminders=true',
    '/v2/files',
    '/v2/me/sessions',
    '/v2/me/tokens',
    '/v2/sign-in-links',
  ].map(inPages),
  ...each([busy.id, goneSoon.id], '/v2/drafts/:id'),
  ...each(fileIds, '/v2/files/:id'),
  ...['/v2/apps', '/v2/hooks', '/v2/webhooks'].map(inPages),
  ...each(appIds, '/v2/apps/:id/tokens').map(inPages),
  ...each(hookIds, '/v2/hooks/:id'),
  ...each(webhookIds, '/v2/webhooks/:id'),
  ...each(webhookIds, '/v2/webhooks/:id/deliveries').map(inPages),
  ...each(
    deliveryIds.filter((_, at) => at % 12 === 0),
    '/v2/deliveries/:id',
  ),
  ...['answer', 'number', '漢字', '"reply to"', 'in:shared', 'word', 'is:resolved', 'from:bob'].map(
    (q) => `/v2/search?q=${encodeURIComponent(q)}&sort=created_at`,
  ),
  '/v2/events?limit=50',
]
const answers = await ask(server.url, paths, callers)
const tables = await all('sqlite_master', 'name', 'type')
const counts = {}
for (const { name } of tables.filter(({ type, name }) => type === 'table' && !/^(sqlite|search_index)/.test(name)))
  counts[name] = Number(
    (
      await engine.read((db) =>
        db
          .selectFrom(name)
          .select((eb) => eb.fn.countAll().as('n'))
          .executeTakeFirst(),
      )
    ).n,
  )
console.log(counts)

await server.stop()
receiver.stop()
mkdirSync(folder, { recursive: true })
const backup = join(folder, '0.2.0.backup')
const env = {
  ...process.env,
  DATABASE_URL: database.url,
  FILES_URL: filesUrlOf(database.url),
  SECRET_KEY: 'a key of the test servers, of no use elsewhere',
}
const { exitCode, stdout, stderr } = Bun.spawnSync(['bun', 'src/main.ts', 'backup', backup, '--force'], { env })
console.log(exitCode, String(stdout), String(stderr))
const pack = (bytes) => Bun.zstdCompressSync(bytes, { level: 19 })
writeFileSync(`${backup}.zst`, pack(await Bun.file(backup).bytes()))
const json = JSON.stringify({ now, callers, rows: counts, answers })
writeFileSync(join(folder, '0.2.0.json.zst'), pack(Buffer.from(json)))
const found = new Database(backup)
console.log(
  found
    .query(
      'SELECT reason, count(*) AS n, sum(read_at IS NULL) AS unread, sum(archived_at IS NOT NULL) AS archived FROM attention GROUP BY reason',
    )
    .all(),
  found.query('SELECT count(*) FROM attention WHERE before_reactions IS NOT NULL').get(),
)
process.exit(0)
