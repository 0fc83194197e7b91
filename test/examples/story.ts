import { webhookEventTypes } from '../../src/contract/event-types'
import type { FirstStart } from '../../src/operations/first-start'
import { seedWorkspace } from '../../src/seed'
import type { Running } from '../../src/server'
import { findWorkspace } from '../../src/store/people/workspaces'
import { createClient } from '../client'
import { waitUntil } from '../expectations'
import { picture } from '../me/pictures'
import { cookieOf, secretOf, send } from '../session/browser'
import { tokenFor } from '../world'
import type { Recorder } from './recorder'

interface Stage {
  server: Running
  first: FirstStart
  recorder: Recorder
  /** An address that accepts webhooks. */
  receiverUrl: string
}

/**
 * Calls every operation once, as the first admin of a new workspace (Ada). The calls are the examples of the API document, in
 * words that make sense there. A new operation needs one line here; then `npm run examples` records it.
 */
export async function story({ server, first, recorder: { record }, receiverUrl }: Stage) {
  const ada = createClient({ baseUrl: server.url, token: first.token })
  const slug = 'home'

  await record('me.update', { display_name: 'Ada Lovelace' })
  const me = await record('me.get', {})
  await record('me.updateProfile', { job_title: 'Engineer', time_zone: 'Europe/London' })
  await record('me.getPreferences', {})
  await record('me.updatePreferences', { enter_sends: false })
  await record('me.setAvatar', { file: await picture() })
  await record('me.deleteAvatar', {})
  await record('me.getNotificationSettings', {})
  await record('me.updateNotificationSettings', {
    mail: 'daily',
    mail_hour: 8,
    quiet_hours: { from: '22:00', to: '07:30' },
    time_zone: 'Europe/London',
  })
  await record('me.getEmail', {})
  await record('me.changeEmail', { email: 'ada.lovelace@example.com' })
  await record('me.cancelEmailChange', {})

  await record('workspace.update', { is_set_up: true })
  await record('workspace.get', {})
  await record('workspace.setIcon', { file: await picture() })
  await record('workspace.deleteIcon', {})

  const member = await record('members.create', { email: 'bob@example.com', display_name: 'Bob Moore', role: 'member' })
  const bob = await tokenFor(server, slug, member.id, ['admin'])
  await record('members.sendInvitation', { member_id: bob.id })
  await record('members.createSignInLink', { member_id: bob.id })
  const { data: links } = await record('signInLinks.list', { member_id: bob.id })
  await record('signInLinks.delete', { id: links[0]!.id })
  await record('members.list', { q: 'bob' })
  await record('members.get', { id: bob.id })
  await bob.me.updateProfile({ job_title: 'Operator' })
  await record('members.getProfile', { member_id: bob.id })
  await record('members.update', { id: bob.id, role: 'admin' })

  const channel = await record('channels.create', { name: 'releases', description: 'What we ship, and when.' })
  await record('channels.list', { name: 'releases' })
  await record('channels.get', { id: channel.id })
  await record('channels.update', { id: channel.id, description: 'What we ship.' })
  await record('channels.addMember', { channel_id: channel.id, member_id: bob.id })
  await record('channels.members', { channel_id: channel.id })
  await record('channels.removeMember', { channel_id: channel.id, member_id: bob.id })
  await record('channels.leave', { channel_id: channel.id })
  await record('channels.join', { channel_id: channel.id })
  const drafts = await ada.channels.create({ name: 'drafts' })
  await record('channels.delete', { id: drafts.id })

  const app = await record('apps.create', { name: 'Builds' })
  const appToken = await record('apps.createToken', { id: app.id, scopes: ['write'], name: 'Build server' })
  await record('apps.list', { q: 'builds' })
  await record('apps.listTokens', { id: app.id })
  const token = await record('tokens.createMine', { scopes: ['read'], name: 'Dashboard' })
  await record('tokens.listMine', { limit: 2 })
  await record('tokens.delete', { id: token.id })

  const webhook = await record('webhooks.create', { url: receiverUrl, types: ['post.resolved'] })

  const { next_cursor: beginning } = await ada.events.list({ after: 'now' })
  const builds = createClient({ baseUrl: server.url, token: appToken.token })
  const post = await record(
    'posts.create',
    {
      channel_id: channel.id,
      title: 'Version 2.4 is ready',
      content_markdown: 'All tests pass. Can someone **approve** the release?',
    },
    appToken.token,
  )
  await record('posts.list', { channel_id: channel.id, resolved: false })
  await record('posts.update', { id: post.id, title: 'Version 2.4.0 is ready' })
  await record('posts.get', { id: post.id })
  const comment = await record('comments.create', { post_id: post.id, content_markdown: 'Approved. :rocket:' })
  await bob.comments.create({ post_id: post.id, content_markdown: 'Thank you!', parent_id: comment.id })
  await record('comments.list', { post_id: post.id, parent_id: 'root' })
  await record('comments.update', { id: comment.id, content_markdown: 'Approved, and tagged. :rocket:' })
  await record('comments.get', { id: comment.id })
  await record('edits.list', { ids: [post.id, comment.id] })
  await record('search.list', { q: 'approve in:releases', limit: 1 })
  await record('emoji.set', { name: 'shipit', file: await picture() })
  await record('emoji.list', {})
  await record('reactions.addToPost', { post_id: post.id, emoji: 'shipit' })
  await bob.reactions.addToPost({ post_id: post.id, emoji: '🎉' })
  await record('reactions.addToComment', { comment_id: comment.id, emoji: '👍' })
  await record('reactions.list', { ids: [post.id, comment.id] })
  await record('reactions.listOfPost', { post_id: post.id })
  await record('reactions.listOfComment', { comment_id: comment.id, emoji: '👍' })
  await record('reactions.removeFromPost', { post_id: post.id, emoji: 'shipit' })
  await record('reactions.removeFromComment', { comment_id: comment.id, emoji: '👍' })
  await record('emoji.delete', { name: 'shipit' })
  await record('markdown.list', { ids: [post.id, comment.id] })
  await record('markdown.render', { content_markdown: `Well done, <@${bob.id}>!` })
  await ada.comments.create({ post_id: post.id, content_markdown: `Is it live, <@${app.id}>?` })

  await record('posts.resolve', { post_id: post.id, content_markdown: 'Live since noon.', comment_id: comment.id })
  await record('posts.getResolution', { post_id: post.id })
  await record('posts.unresolve', { post_id: post.id })
  const list = await ada.posts.create({ channel_id: channel.id, content_markdown: '- [ ] Tag it\n- [ ] Announce it' })
  await record('posts.check', { post_id: list.id, item: 0, is_checked: true, label: 'Tag it' })
  const todo = await ada.comments.create({ post_id: list.id, content_markdown: '- [ ] Write the notes' })
  await record('comments.check', { comment_id: todo.id, item: 0, is_checked: true })
  await record('files.limits', {})
  const notes = await record('files.upload', {
    file: new Blob(['- Faster search\n- Files\n'], { type: 'text/plain' }),
    name: 'notes.txt',
  })
  await ada.comments.create({ post_id: list.id, content_markdown: 'The notes:', file_ids: [notes.id] })
  await record('files.list', { channel_id: channel.id })
  await record('files.get', { id: notes.id })
  await record('files.content', { id: notes.id })
  await record('files.delete', { id: notes.id })
  const mistake = await ada.comments.create({ post_id: post.id, content_markdown: 'Wrong post, sorry.' })
  await record('comments.delete', { id: mistake.id })
  const old = await builds.posts.create({ channel_id: channel.id, content_markdown: 'Version 2.3.9 is ready' })
  await record('posts.delete', { id: old.id })

  const thread = await record('threads.create', { title: 'Launch party', member_ids: [bob.id] })
  await record('threads.get', { id: thread.id })
  await record('threads.addMember', { thread_id: thread.id, member_id: app.id })
  await record('threads.removeMember', { thread_id: thread.id, member_id: app.id })
  const message = await record('messages.create', { thread_id: thread.id, content_markdown: 'Friday at five?' })
  await record('messages.update', { id: message.id, content_markdown: 'Friday at six?' })
  await record('messages.get', { id: message.id })
  await record('reactions.addToMessage', { message_id: message.id, emoji: '🎂' })
  await record('reactions.listOfMessage', { message_id: message.id })
  await record('reactions.removeFromMessage', { message_id: message.id, emoji: '🎂' })
  const direct = await record('messages.createDirect', { member_id: bob.id, content_markdown: 'Can you bring cake?' })
  await bob.messages.create({ thread_id: direct.thread_id, content_markdown: 'Of course.' })
  await record('messages.list', { thread_id: direct.thread_id, limit: 1 })
  await record('threads.list', { limit: 1 })

  await server.inboxFiller()!.tick()
  await record('unread.get', {})
  await record('unread.posts', { ids: [post.id] })
  await record('unread.threads', { ids: [direct.thread_id] })
  const { data: entries } = await record('inbox.list', { unread: true, limit: 1 })
  await record('inbox.update', { id: entries[0]!.id, read: true })
  await record('inbox.readAll', {})
  await record('reads.set', { subject_id: post.id })
  await record('reads.unset', { subject_id: post.id, from_id: comment.id })
  await record('reads.setAll', {})
  await record('follows.set', { subject_id: channel.id, level: 'all' })
  await record('follows.get', { subject_id: post.id })
  await record('follows.reset', { subject_id: channel.id })
  const note = { subject_id: post.id, content_markdown: 'Works on my phone, too. I will' }
  const { version } = await record('drafts.save', note)
  await ada.drafts.save({ ...note, content_markdown: 'Works on the train', version: 0 })
  await record('drafts.list', {})
  await record('drafts.get', { subject_id: post.id })
  await record('drafts.deleteOther', { subject_id: post.id, version })
  await ada.drafts.save({ subject_id: channel.id, content_markdown: 'Lunch is on' })
  await record('drafts.delete', { subject_id: channel.id })
  await record('pins.set', { post_id: post.id })
  await record('pins.list', { channel_id: channel.id })
  await record('pins.unset', { post_id: post.id })
  const tomorrow = new Date(server.parley.clock() + 24 * 60 * 60 * 1000).toISOString()
  await record('saved.set', { post_id: post.id, remind_at: tomorrow })
  await record('saved.list', { reminders: true })
  await record('saved.unset', { post_id: post.id })
  await record('messages.delete', { id: message.id })
  const noise = await bob.threads.create({ title: 'Cake', member_ids: [me.author.id, app.id] })
  await record('threads.leave', { thread_id: noise.id })

  const incoming = await record('hooks.create', { name: 'Grafana', channel_id: channel.id })
  await record('hooks.list', {})
  await record('hooks.update', { id: incoming.id, name: 'Alerts' })
  await record('hooks.get', { id: incoming.id })
  await record('hooks.setAvatar', { id: incoming.id, file: await picture() })
  await record('hooks.deleteAvatar', { id: incoming.id })
  await record('hooks.rotateSecret', { id: incoming.id })
  await record('hooks.test', { id: incoming.id })
  await record('hooks.delete', { id: incoming.id })

  const browser = await signIn(server.url, first.signInLink)
  await record('me.getPushKey', {})
  await record(
    'me.setPushSubscription',
    {
      endpoint: 'https://push.example.com/v1/3f6c',
      keys: {
        p256dh: 'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM',
        auth: 'tBHItJI5svbpez7KI4CCXg',
      },
    },
    browser,
  )
  await record('me.deletePushSubscription', {}, browser)
  const { data: sessions } = await record('sessions.list', {})
  await record('sessions.delete', { id: sessions[0]!.id })
  await record('sessions.deleteAll', {})
  await record('me.setPassword', { password: 'correct horse battery staple' })
  await record('me.deletePassword', { current_password: 'correct horse battery staple' })

  const { data: log } = await record('events.list', { after: beginning, types: ['post.created'], limit: 1 })
  await record('webhooks.list', {})
  await record('webhooks.get', { id: webhook.id })
  await record('webhooks.update', { id: webhook.id, types: ['post.resolved', 'comment.created'] })
  await record('webhooks.rotateSecret', { id: webhook.id })
  // The post that was resolved: its delivery is the first of two.
  await waitUntil(async () => (await ada.webhooks.deliveries({ id: webhook.id })).total_count === 1)
  const ping = await record('webhooks.ping', { id: webhook.id })
  await waitUntil(async () => (await ada.webhooks.delivery({ id: ping.id })).status === 'delivered')
  const { request } = await record('webhooks.delivery', { id: ping.id })
  await record('webhooks.deliveries', { id: webhook.id, limit: 1 })
  await record('webhooks.redeliver', { id: ping.id })
  await record('webhooks.replay', { id: webhook.id, after: log[0]!.id })
  await record('webhooks.delete', { id: webhook.id })
  await record('apps.delete', { id: app.id })
  await ada.members.update({ id: bob.id, is_deactivated: true })
  await ada.members.update({ id: bob.id, is_deactivated: false })
  await seed(server, slug)

  return {
    events: { ...(await eventsByType(ada)), 'webhook.ping': JSON.parse(request.body!) as unknown },
    problem: await (
      await fetch(`${server.url}/v2/posts?limit=100&chanel_id=${channel.id}`, {
        headers: { Authorization: `Bearer ${first.token}` },
      })
    ).json(),
  }
}

/** The token of a page in a browser that is signed in with a link. */
async function signIn(baseUrl: string, link: string): Promise<string> {
  const headers = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
  const response = await send(baseUrl, 'POST', '/session', { link: secretOf(link) }, headers)
  const token = await send(baseUrl, 'POST', '/session/token', undefined, { Cookie: cookieOf(response), ...headers })
  return ((await token.json()) as { token: string }).token
}

async function seed({ parley }: Running, slug: string) {
  const workspace = (await parley.engine.read((db) => findWorkspace(db, slug)))!
  const plan = { posts: 1, channels: 1, members: 1, commentsEvery: 1, threads: 0, seed: 1, until: parley.clock() }
  await seedWorkspace(parley, workspace, plan)
}

/** The latest event of each type that webhooks send; of what was deleted the log keeps no content. */
async function eventsByType(reader: ReturnType<typeof createClient>): Promise<Record<string, unknown>> {
  const found = new Map<string, unknown>()
  let after: string | undefined
  let isMore = true
  while (isMore) {
    const page = await reader.events.list({ after })
    for (const event of page.data) if (!event.is_redacted || !found.has(event.type)) found.set(event.type, event)
    after = page.next_cursor
    isMore = page.has_more
  }
  return Object.fromEntries(webhookEventTypes.filter((type) => found.has(type)).map((type) => [type, found.get(type)]))
}
