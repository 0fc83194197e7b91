import type { Input, OperationName, Output } from '../../src/contract'
import type { FirstStart } from '../../src/operations/first-start'
import type { Running } from '../../src/server'
import { type Client, createClient } from '../client'
import { waitUntil } from '../expectations'
import { picture } from '../me/pictures'
import { cookieOf, secretOf, send } from '../session/browser'
import { type Person, tokenFor } from '../world'

export interface Setting {
  server: Running
  first: FirstStart
  /** An address that accepts webhooks. */
  receiverUrl: string
}

export type Outputs = { [O in OperationName]: Output<O> }

/** What the next call can refer to. */
export interface Scene extends Setting, ReturnType<typeof nameRecords> {
  ada: Client
  /** There since Ada invited him. */
  bob: Person
  /** The token of a browser that Ada has signed in with. */
  browser: string
  /** The end of the log before there were posts. */
  beginning: string
  /** What the calls so far have returned. */
  made: Outputs
}

interface Example<O extends OperationName> {
  input: (scene: Scene) => Input<O> | Promise<Input<O>>
  /** The token to send. Default: that of Ada. */
  token: (scene: Scene) => string | Promise<string>
}

export type AnyExample = Example<OperationName> | Example<OperationName>['input']

export const slug = 'home'
const nothing = () => ({})

/**
 * A call of every operation, as the first admin of a new workspace (Ada), in the order in which they are made. They are the
 * examples of the API document, in words that make sense there. After a change, `npm run examples` records them anew.
 */
export const story: { [O in OperationName]: Example<O>['input'] | Example<O> } = {
  'me.update': () => ({ display_name: 'Ada Lovelace' }),
  'me.get': nothing,
  'me.updateProfile': () => ({ job_title: 'Engineer', time_zone: 'Europe/London' }),
  'me.getPreferences': nothing,
  'me.updatePreferences': () => ({ enter_sends: false }),
  'me.getSetup': nothing,
  'me.updateSetup': () => ({ done: ['time_zone', 'notifications'] }),
  'me.setAvatar': async () => ({ file: await picture() }),
  'me.deleteAvatar': nothing,
  'me.getNotificationSettings': nothing,
  'me.updateNotificationSettings': () => ({
    mail: 'daily',
    mail_hour: 8,
    quiet_hours: { from: '22:00', to: '07:30' },
    time_zone: 'Europe/London',
  }),
  'me.getEmail': nothing,
  'me.changeEmail': () => ({ email: 'ada.lovelace@example.com' }),
  'me.cancelEmailChange': nothing,

  'workspace.update': () => ({ is_set_up: true }),
  'workspace.get': nothing,
  'workspace.setIcon': async () => ({ file: await picture() }),
  'workspace.deleteIcon': nothing,

  'members.create': () => ({ email: 'bob@example.com', display_name: 'Bob Moore', role: 'member' }),
  'members.sendInvitation': async (scene) => {
    scene.bob = await tokenFor(scene.server, slug, scene.made['members.create'].id, ['admin'])
    return { member_id: scene.bob.id }
  },
  'members.createSignInLink': ({ bob }) => ({ member_id: bob.id }),
  'signInLinks.list': ({ bob }) => ({ member_id: bob.id }),
  'signInLinks.delete': ({ made }) => ({ id: made['signInLinks.list'].data[0]!.id }),
  'members.list': () => ({ q: 'bob' }),
  'members.get': ({ bob }) => ({ id: bob.id }),
  'members.getProfile': async ({ bob }) => {
    await bob.me.updateProfile({ job_title: 'Operator' })
    return { member_id: bob.id }
  },
  'members.update': ({ bob }) => ({ id: bob.id, role: 'admin' }),

  'channels.create': () => ({ name: 'releases', description: 'What we ship, and when.' }),
  'channels.list': () => ({ name: 'releases' }),
  'channels.get': ({ channel }) => ({ id: channel.id }),
  'channels.update': ({ channel }) => ({ id: channel.id, description: 'What we ship.' }),
  'channels.addMember': ({ channel, bob }) => ({ channel_id: channel.id, member_id: bob.id }),
  'channels.members': ({ channel }) => ({ channel_id: channel.id }),
  'channels.removeMember': ({ channel, bob }) => ({ channel_id: channel.id, member_id: bob.id }),
  'channels.leave': ({ channel }) => ({ channel_id: channel.id }),
  'channels.join': ({ channel }) => ({ channel_id: channel.id }),
  'channels.delete': async ({ ada }) => ({ id: (await ada.channels.create({ name: 'drafts' })).id }),

  'invitations.create': ({ channel }) => ({
    emails: ['luca.ferri@example.com', 'bob@example.com', 'mei@acme'],
    role: 'member',
    channel_ids: [channel.id],
  }),
  'inviteLinks.create': ({ channel }) => ({
    role: 'member',
    channel_ids: [channel.id],
    email_domain: 'example.com',
    max_uses: 25,
  }),
  'inviteLinks.list': nothing,
  'inviteLinks.update': ({ made }) => ({ id: made['inviteLinks.create'].id, max_uses: 50 }),
  'inviteLinks.delete': ({ made }) => ({ id: made['inviteLinks.create'].id }),
  'groups.create': () => ({ name: 'release-team', description: 'Who ships.' }),
  'groups.addMember': ({ made, bob }) => ({ group_id: made['groups.create'].id, member_id: bob.id }),
  'groups.list': () => ({ q: 'release' }),
  'groups.get': ({ made }) => ({ id: made['groups.create'].id }),
  'groups.members': ({ made }) => ({ group_id: made['groups.create'].id }),
  'groups.update': ({ made }) => ({ id: made['groups.create'].id, name: 'releases' }),
  'audience.get': ({ channel, made }) => ({ subject_id: channel.id, ids: [made['groups.create'].id, 'channel'] }),
  'groups.removeMember': ({ made, bob }) => ({ group_id: made['groups.create'].id, member_id: bob.id }),
  'groups.delete': ({ made }) => ({ id: made['groups.create'].id }),

  'apps.create': () => ({ name: 'Builds' }),
  'apps.createToken': ({ app }) => ({ id: app.id, scopes: ['write'], name: 'Build server' }),
  'apps.list': () => ({ q: 'builds' }),
  'apps.listTokens': ({ app }) => ({ id: app.id }),
  'tokens.createMine': () => ({ scopes: ['read'], name: 'Dashboard' }),
  'tokens.listMine': () => ({ limit: 2 }),
  'tokens.delete': ({ made }) => ({ id: made['tokens.createMine'].id }),

  'webhooks.create': ({ receiverUrl }) => ({ url: receiverUrl, types: ['post.resolved'] }),

  'posts.create': {
    token: ({ made }) => made['apps.createToken'].token,
    async input(scene) {
      scene.beginning = (await scene.ada.events.list({ after: 'now' })).next_cursor
      return {
        channel_id: scene.channel.id,
        title: 'Version 2.4 is ready',
        content_markdown: 'All tests pass. Can someone **approve** the release?',
      }
    },
  },
  'posts.list': ({ channel }) => ({ channel_id: channel.id, resolved: false }),
  'posts.update': ({ post }) => ({ id: post.id, title: 'Version 2.4.0 is ready' }),
  'posts.get': ({ post }) => ({ id: post.id }),
  'comments.create': ({ post }) => ({ post_id: post.id, content_markdown: 'Approved. :rocket:' }),
  'comments.list': async ({ post, comment, bob }) => {
    await bob.comments.create({ post_id: post.id, content_markdown: 'Thank you!', parent_id: comment.id })
    return { post_id: post.id, parent_id: 'root' }
  },
  'comments.update': ({ comment }) => ({ id: comment.id, content_markdown: 'Approved, and tagged. :rocket:' }),
  'comments.get': ({ comment }) => ({ id: comment.id }),
  'edits.list': ({ post, comment }) => ({ ids: [post.id, comment.id] }),
  'search.list': () => ({ q: 'approve in:releases', limit: 1 }),
  'emoji.set': async () => ({ name: 'shipit', file: await picture() }),
  'emoji.list': nothing,
  'reactions.add': async ({ post, comment, bob }) => {
    await bob.reactions.add({ subject_id: post.id, emoji: '🎉' })
    await bob.reactions.add({ subject_id: comment.id, emoji: '👍' })
    return { subject_id: post.id, emoji: 'shipit' }
  },
  'reactions.list': ({ post, comment }) => ({ ids: [post.id, comment.id] }),
  'reactions.listOfSubject': ({ post }) => ({ subject_id: post.id }),
  'reactions.remove': ({ post }) => ({ subject_id: post.id, emoji: 'shipit' }),
  'emoji.delete': () => ({ name: 'shipit' }),
  'markdown.list': ({ post, comment }) => ({ ids: [post.id, comment.id] }),
  'markdown.render': ({ bob }) => ({ content_markdown: `Well done, <@${bob.id}>!` }),

  'posts.resolve': async ({ ada, app, post, comment }) => {
    await ada.comments.create({ post_id: post.id, content_markdown: `Is it live, <@${app.id}>?` })
    return { post_id: post.id, content_markdown: 'Live since noon.', comment_id: comment.id }
  },
  'posts.getResolution': ({ post }) => ({ post_id: post.id }),
  'posts.unresolve': ({ post }) => ({ post_id: post.id }),
  'posts.check': async ({ ada, channel }) => {
    const list = { channel_id: channel.id, content_markdown: '- [ ] Tag it\n- [ ] Announce it' }
    return { post_id: (await ada.posts.create(list)).id, item: 0, is_checked: true, label: 'Tag it' }
  },
  'comments.check': async ({ ada, made }) => {
    const todo = { post_id: made['posts.check'].id, content_markdown: '- [ ] Write the notes' }
    return { comment_id: (await ada.comments.create(todo)).id, item: 0, is_checked: true }
  },
  'files.limits': nothing,
  'files.upload': () => ({
    file: new Blob(['- Faster search\n- Files\n'], { type: 'text/plain' }),
    name: 'notes.txt',
  }),
  'files.list': async ({ ada, channel, made }) => {
    const notes = { content_markdown: 'The notes:', file_ids: [made['files.upload'].id] }
    await ada.comments.create({ post_id: made['posts.check'].id, ...notes })
    return { channel_id: channel.id }
  },
  'files.get': ({ made }) => ({ id: made['files.upload'].id }),
  'files.content': ({ made }) => ({ id: made['files.upload'].id }),
  'files.delete': ({ made }) => ({ id: made['files.upload'].id }),
  'comments.delete': async ({ ada, post }) => ({
    id: (await ada.comments.create({ post_id: post.id, content_markdown: 'Wrong post, sorry.' })).id,
  }),
  'posts.delete': async ({ server, channel, made }) => {
    const builds = createClient({ baseUrl: server.url, token: made['apps.createToken'].token })
    return {
      id: (await builds.posts.create({ channel_id: channel.id, content_markdown: 'Version 2.3.9 is ready' })).id,
    }
  },

  'threads.create': ({ bob }) => ({ title: 'Launch party', member_ids: [bob.id] }),
  'threads.get': ({ thread }) => ({ id: thread.id }),
  'threads.addMember': ({ thread, app }) => ({ thread_id: thread.id, member_id: app.id }),
  'threads.removeMember': ({ thread, app }) => ({ thread_id: thread.id, member_id: app.id }),
  'messages.create': ({ thread }) => ({ thread_id: thread.id, content_markdown: 'Friday at five?' }),
  'messages.update': ({ message }) => ({ id: message.id, content_markdown: 'Friday at six?' }),
  'messages.get': ({ message }) => ({ id: message.id }),
  'messages.createDirect': ({ bob }) => ({ member_id: bob.id, content_markdown: 'Can you bring cake?' }),
  'messages.list': async ({ bob, made }) => {
    const { thread_id } = made['messages.createDirect']
    await bob.messages.create({ thread_id, content_markdown: 'Of course.' })
    return { thread_id, limit: 1 }
  },
  'threads.list': () => ({ limit: 1 }),

  'unread.get': async ({ server }) => {
    await server.inboxFiller()!.tick()
    return {}
  },
  'unread.posts': ({ post }) => ({ ids: [post.id] }),
  'unread.threads': ({ made }) => ({ ids: [made['messages.createDirect'].thread_id] }),
  'inbox.list': () => ({ unread: true, limit: 1 }),
  'inbox.update': ({ made }) => ({ id: made['inbox.list'].data[0]!.id, read: true }),
  'inbox.readAll': nothing,
  'reads.set': ({ post }) => ({ subject_id: post.id }),
  'reads.unset': ({ post, comment }) => ({ subject_id: post.id, from_id: comment.id }),
  'reads.setAll': nothing,
  'follows.set': ({ channel }) => ({ subject_id: channel.id, level: 'all' }),
  'follows.get': ({ post }) => ({ subject_id: post.id }),
  'follows.reset': ({ channel }) => ({ subject_id: channel.id }),
  'sidebar.set': ({ channel }) => ({ channel_id: channel.id, is_favorite: true }),
  'sidebar.get': nothing,
  'sidebar.reset': ({ channel }) => ({ channel_id: channel.id }),
  'drafts.save': ({ post }) => ({ subject_id: post.id, content_markdown: 'Works on my phone, too. I will' }),
  'drafts.list': async ({ ada, post }) => {
    await ada.drafts.save({ subject_id: post.id, content_markdown: 'Works on the train', version: 0 })
    return {}
  },
  'drafts.get': ({ post }) => ({ subject_id: post.id }),
  'drafts.deleteOther': ({ post, made }) => ({ subject_id: post.id, version: made['drafts.save'].version }),
  'drafts.delete': async ({ ada, channel }) => {
    await ada.drafts.save({ subject_id: channel.id, content_markdown: 'Lunch is on' })
    return { subject_id: channel.id }
  },
  'pins.set': ({ post }) => ({ post_id: post.id }),
  'pins.list': ({ channel }) => ({ channel_id: channel.id }),
  'pins.unset': ({ post }) => ({ post_id: post.id }),
  'saved.set': ({ server, post }) => ({
    post_id: post.id,
    remind_at: new Date(server.parley.clock() + 24 * 60 * 60 * 1000).toISOString(),
  }),
  'saved.list': () => ({ reminders: true }),
  'saved.unset': ({ post }) => ({ post_id: post.id }),
  'messages.delete': ({ message }) => ({ id: message.id }),
  'threads.leave': async ({ bob, app, made }) => {
    const noise = { title: 'Cake', member_ids: [made['me.get'].author.id, app.id] }
    return { thread_id: (await bob.threads.create(noise)).id }
  },

  'hooks.create': ({ channel }) => ({ name: 'Grafana', channel_id: channel.id }),
  'hooks.list': nothing,
  'hooks.update': ({ made }) => ({ id: made['hooks.create'].id, name: 'Alerts' }),
  'hooks.get': ({ made }) => ({ id: made['hooks.create'].id }),
  'hooks.setAvatar': async ({ made }) => ({ id: made['hooks.create'].id, file: await picture() }),
  'hooks.deleteAvatar': ({ made }) => ({ id: made['hooks.create'].id }),
  'hooks.rotateSecret': ({ made }) => ({ id: made['hooks.create'].id }),
  'hooks.test': ({ made }) => ({ id: made['hooks.create'].id }),
  'hooks.delete': ({ made }) => ({ id: made['hooks.create'].id }),

  'me.getPushKey': async (scene) => {
    scene.browser = await signIn(scene.server.url, scene.first.signInLink)
    return {}
  },
  'me.setPushSubscription': {
    token: ({ browser }) => browser,
    input: () => ({
      endpoint: 'https://push.example.com/v1/3f6c',
      keys: {
        p256dh: 'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM',
        auth: 'tBHItJI5svbpez7KI4CCXg',
      },
    }),
  },
  'me.deletePushSubscription': { token: ({ browser }) => browser, input: nothing },
  'sessions.list': nothing,
  'sessions.delete': ({ made }) => ({ id: made['sessions.list'].data[0]!.id }),
  'sessions.deleteAll': nothing,
  'me.setPassword': () => ({ password: 'correct horse battery staple' }),
  'me.deletePassword': () => ({ current_password: 'correct horse battery staple' }),

  'events.list': ({ beginning }) => ({ after: beginning, types: ['post.created'], limit: 1 }),
  'webhooks.list': nothing,
  'webhooks.get': ({ made }) => ({ id: made['webhooks.create'].id }),
  'webhooks.update': ({ made }) => ({ id: made['webhooks.create'].id, types: ['post.resolved', 'comment.created'] }),
  'webhooks.rotateSecret': ({ made }) => ({ id: made['webhooks.create'].id }),
  'webhooks.ping': async ({ ada, made }) => {
    const { id } = made['webhooks.create']
    // The post that was resolved: its delivery is the first of two.
    await waitUntil(async () => (await ada.webhooks.deliveries({ id })).total_count === 1)
    return { id }
  },
  'webhooks.delivery': async ({ ada, made }) => {
    const { id } = made['webhooks.ping']
    await waitUntil(async () => (await ada.webhooks.delivery({ id })).status === 'delivered')
    return { id }
  },
  'webhooks.deliveries': ({ made }) => ({ id: made['webhooks.create'].id, limit: 1 }),
  'webhooks.redeliver': ({ made }) => ({ id: made['webhooks.ping'].id }),
  'webhooks.replay': ({ made }) => ({ id: made['webhooks.create'].id, after: made['events.list'].data[0]!.id }),
  'webhooks.delete': ({ made }) => ({ id: made['webhooks.create'].id }),
  'apps.delete': ({ app }) => ({ id: app.id }),
}

/** The records that most of the calls are about. */
export const nameRecords = (made: Outputs) => ({
  channel: made['channels.create'],
  post: made['posts.create'],
  comment: made['comments.create'],
  thread: made['threads.create'],
  message: made['messages.create'],
  app: made['apps.create'],
})

/** The token of a page in a browser that is signed in with a link. */
async function signIn(baseUrl: string, link: string): Promise<string> {
  const headers = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
  const response = await send(baseUrl, 'POST', '/session', { link: secretOf(link) }, headers)
  const token = await send(baseUrl, 'POST', '/session/token', undefined, { Cookie: cookieOf(response), ...headers })
  return ((await token.json()) as { token: string }).token
}
