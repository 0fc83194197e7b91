import { expect } from 'bun:test'
import { createECDH } from 'node:crypto'
import type { Input, OperationName, Output } from '../src/contract'
import { picture } from './me/pictures'
import { signedIn } from './session/browser'
import type { World } from './world'

export interface Scenario<O extends OperationName> {
  /** Creates what the call needs. It is made by root. */
  input: (everyone: World) => Promise<Input<O>>
  /** The token to call it with. Default: root's. */
  token?: (everyone: World) => Promise<string>
  /** Checks the output of the call. */
  check?: (output: Output<O>, input: Input<O>) => void
}

type Scenarios = { [O in OperationName]: Scenario<O> }

const post = ({ root, general }: World) => root.posts.create({ channel_id: general.id, content_markdown: 'Lunch?' })
const resolvedPost = async (everyone: World) => {
  const { id: post_id } = await post(everyone)
  await everyone.root.posts.resolve({ post_id, content_markdown: 'Done.' })
  return { post_id }
}
const savedPost = async (everyone: World) => {
  const { id: post_id } = await post(everyone)
  await everyone.root.saved.set({ post_id })
  return { post_id }
}
const thread = ({ root, ada }: World) => root.threads.create({ member_ids: [ada.id] })

async function comment(everyone: World) {
  const { id: post_id } = await post(everyone)
  return everyone.root.comments.create({ post_id, content_markdown: 'Noon.' })
}

async function message(everyone: World) {
  const { id: thread_id } = await thread(everyone)
  return everyone.root.messages.create({ thread_id, content_markdown: 'Hi' })
}

async function reacted(everyone: World) {
  const input = { post_id: (await post(everyone)).id, emoji: '👍' }
  await everyone.root.reactions.addToPost(input)
  return input
}

/** Nothing listens on this port. */
const webhook = ({ root }: World) => root.webhooks.create({ url: 'http://127.0.0.1:9/hook' })

const hook = ({ root, general }: World) => root.hooks.create({ name: 'Grafana', channel_id: general.id })
const ofHook = async (everyone: World) => ({ id: (await hook(everyone)).id })

async function delivery(everyone: World) {
  const { id } = await webhook(everyone)
  return everyone.root.webhooks.ping({ id })
}

const browserTokens = new WeakMap<World, Promise<string>>()

/** The token of a page, in a browser that root is signed in with. */
function browserToken(everyone: World): Promise<string> {
  const known = browserTokens.get(everyone)
  if (known) return known
  const token = signedIn(everyone, everyone.root).then((browser) => browser.token())
  browserTokens.set(everyone, token)
  return token
}

/** Nothing listens on this port. */
export const pushSubscription = {
  endpoint: 'https://127.0.0.1:9/push',
  keys: {
    p256dh: createECDH('prime256v1').generateKeys('base64url'),
    auth: 'AAECAwQFBgcICQoLDA0ODw',
  },
}

const unreadPost = ({ ada, general }: World) => ada.posts.create({ channel_id: general.id, content_markdown: 'Lunch?' })

/** The first entry of root's inbox. */
async function entry({ ada, root, fillInboxes }: World) {
  await ada.messages.createDirect({ member_id: root.id, content_markdown: 'Hi' })
  await fillInboxes()
  return (await root.inbox.list()).data[0]!
}

async function draft(everyone: World) {
  const { id: subject_id } = await post(everyone)
  return everyone.root.drafts.save({ subject_id, content_markdown: 'I thi' })
}
const ofDraft = async (everyone: World) => ({ subject_id: (await draft(everyone)).subject_id })

const sameId = (output: { id: string }, { id }: { id: string }) => expect(output.id).toBe(id)
const someRecords = ({ data }: { data: unknown[] }) => expect(data.length).toBeGreaterThan(0)

const file = async ({ root }: World) =>
  root.files.upload({ file: new Blob([crypto.randomUUID()], { type: 'text/plain' }), name: 'notes.txt' })
const ofFile = async (everyone: World) => ({ id: (await file(everyone)).id })

/** One call that succeeds for each operation. A new operation without one does not compile. */
export const scenarios: Scenarios = {
  'posts.list': { input: async (everyone) => ({ channel_id: (await post(everyone)).channel.id }), check: someRecords },
  'posts.get': { input: async (everyone) => ({ id: (await post(everyone)).id }), check: sameId },
  'posts.create': {
    input: async ({ general }) => ({ channel_id: general.id, content_markdown: 'Lunch?' }),
    check: ({ content }) => expect(content).toBe('<p>Lunch?</p>'),
  },
  'posts.update': {
    input: async (everyone) => ({ id: (await post(everyone)).id, title: 'Dinner' }),
    check: ({ title }) => expect(title).toBe('Dinner'),
  },
  'posts.delete': { input: async (everyone) => ({ id: (await post(everyone)).id }) },
  'posts.resolve': {
    input: async (everyone) => ({ post_id: (await post(everyone)).id }),
    check: ({ resolution }) => expect(resolution).not.toBeNull(),
  },
  'posts.getResolution': {
    input: resolvedPost,
    check: ({ resolved_html }) => expect(resolved_html).toBe('<p>Done.</p>'),
  },
  'posts.unresolve': { input: resolvedPost, check: ({ resolution }) => expect(resolution).toBeNull() },
  'posts.check': {
    input: async ({ root, general }) => {
      const { id } = await root.posts.create({ channel_id: general.id, content_markdown: '- [ ] Lunch' })
      return { post_id: id, item: 0, is_checked: true }
    },
    check: ({ content }) => expect(content).toContain('checked'),
  },

  'files.upload': {
    input: async () => ({ file: new Blob(['Hello'], { type: 'text/plain' }), name: 'hello.txt' }),
    check: ({ name, size }) => expect([name, size]).toEqual(['hello.txt', 5]),
  },
  'files.limits': { input: async () => ({}), check: ({ used_bytes }) => expect(used_bytes).toBeNumber() },
  'files.list': { input: async (everyone) => file(everyone).then(() => ({})), check: someRecords },
  'files.get': { input: ofFile, check: sameId },
  'files.content': { input: ofFile, check: ({ status }) => expect(status).toBe(200) },
  'files.delete': { input: ofFile },

  'search.list': {
    input: async (everyone) => ({ q: (await post(everyone)).title }),
    check: someRecords,
  },

  'edits.list': {
    input: async (everyone) => {
      const { id } = await post(everyone)
      await everyone.root.posts.update({ id, title: 'Dinner' })
      return { ids: [id] }
    },
    check: someRecords,
  },

  'markdown.list': { input: async (everyone) => ({ ids: [(await post(everyone)).id] }), check: someRecords },

  'reactions.list': {
    input: async (everyone) => ({ ids: [(await reacted(everyone)).post_id] }),
    check: ({ data: [record] }) => expect(record!.reactions[0]).toMatchObject({ emoji: '👍', count: 1 }),
  },
  'reactions.listOfPost': {
    input: async (everyone) => ({ post_id: (await reacted(everyone)).post_id }),
    check: someRecords,
  },
  'reactions.addToPost': { input: async (everyone) => ({ post_id: (await post(everyone)).id, emoji: '🎉' }) },
  'reactions.removeFromPost': { input: reacted },
  'reactions.listOfComment': {
    input: async (everyone) => ({ comment_id: (await comment(everyone)).id }),
    check: ({ total_count }) => expect(total_count).toBe(0),
  },
  'reactions.addToComment': { input: async (everyone) => ({ comment_id: (await comment(everyone)).id, emoji: '🎉' }) },
  'reactions.removeFromComment': {
    async input(everyone) {
      const input = { comment_id: (await comment(everyone)).id, emoji: '🎉' }
      await everyone.root.reactions.addToComment(input)
      return input
    },
  },
  'reactions.listOfMessage': {
    input: async (everyone) => ({ message_id: (await message(everyone)).id }),
    check: ({ total_count }) => expect(total_count).toBe(0),
  },
  'reactions.addToMessage': { input: async (everyone) => ({ message_id: (await message(everyone)).id, emoji: '🎉' }) },
  'reactions.removeFromMessage': {
    async input(everyone) {
      const input = { message_id: (await message(everyone)).id, emoji: '🎉' }
      await everyone.root.reactions.addToMessage(input)
      return input
    },
  },
  'emoji.list': {
    input: async ({ root }) => root.emoji.set({ name: 'shipit', file: await picture() }).then(() => ({})),
    check: someRecords,
  },
  'emoji.set': {
    input: async () => ({ name: 'shipit', file: await picture() }),
    check: ({ name }) => expect(name).toBe('shipit'),
  },
  'emoji.delete': {
    input: async ({ root }) => {
      await root.emoji.set({ name: 'shipit', file: await picture() })
      return { name: 'shipit' }
    },
  },

  'comments.list': {
    input: async (everyone) => ({ post_id: (await comment(everyone)).subject_id }),
    check: someRecords,
  },
  'comments.get': { input: async (everyone) => ({ id: (await comment(everyone)).id }), check: sameId },
  'comments.create': {
    input: async (everyone) => ({ post_id: (await post(everyone)).id, content_markdown: 'Noon.' }),
    check: ({ subject_id }, { post_id }) => expect(subject_id).toBe(post_id),
  },
  'comments.update': {
    input: async (everyone) => ({ id: (await comment(everyone)).id, content_markdown: 'One.' }),
    check: ({ content }) => expect(content).toBe('<p>One.</p>'),
  },
  'comments.delete': { input: async (everyone) => ({ id: (await comment(everyone)).id }) },
  'comments.check': {
    input: async (everyone) => {
      const { id: post_id } = await post(everyone)
      const { id } = await everyone.root.comments.create({ post_id, content_markdown: '- [ ] Lunch' })
      return { comment_id: id, item: 0, is_checked: true }
    },
    check: ({ content }) => expect(content).toContain('checked'),
  },

  'channels.list': { input: async () => ({}), check: someRecords },
  'channels.get': { input: async ({ general }) => ({ id: general.id }), check: sameId },
  'channels.create': {
    input: async () => ({ name: 'random' }),
    check: ({ name }) => expect(name).toBe('random'),
  },
  'channels.update': {
    input: async ({ general }) => ({ id: general.id, name: 'lobby' }),
    check: ({ name }) => expect(name).toBe('lobby'),
  },
  'channels.delete': { input: async ({ general }) => ({ id: general.id }) },
  'channels.members': { input: async ({ general }) => ({ channel_id: general.id }), check: someRecords },
  'channels.join': {
    async input({ root, general }) {
      await root.channels.leave({ channel_id: general.id })
      return { channel_id: general.id }
    },
  },
  'channels.leave': { input: async ({ general }) => ({ channel_id: general.id }) },
  'channels.addMember': { input: async ({ general, ada }) => ({ channel_id: general.id, member_id: ada.id }) },
  'channels.removeMember': { input: async ({ general, root }) => ({ channel_id: general.id, member_id: root.id }) },

  'threads.list': { input: async (everyone) => thread(everyone).then(() => ({})), check: someRecords },
  'threads.get': { input: async (everyone) => ({ id: (await thread(everyone)).id }), check: sameId },
  'threads.create': {
    input: async ({ ada }) => ({ member_ids: [ada.id] }),
    check: ({ members }) => expect(members).toHaveLength(2),
  },
  'threads.addMember': {
    input: async (everyone) => ({ thread_id: (await thread(everyone)).id, member_id: everyone.bob.id }),
  },
  'threads.removeMember': {
    input: async (everyone) => ({ thread_id: (await thread(everyone)).id, member_id: everyone.ada.id }),
  },
  'threads.leave': { input: async (everyone) => ({ thread_id: (await thread(everyone)).id }) },

  'messages.list': {
    input: async (everyone) => ({ thread_id: (await message(everyone)).thread_id }),
    check: someRecords,
  },
  'messages.get': { input: async (everyone) => ({ id: (await message(everyone)).id }), check: sameId },
  'messages.create': {
    input: async (everyone) => ({ thread_id: (await thread(everyone)).id, content_markdown: 'Hi' }),
    check: ({ thread_id }, input) => expect(thread_id).toBe(input.thread_id),
  },
  'messages.createDirect': {
    input: async ({ ada }) => ({ member_id: ada.id, content_markdown: 'Hi' }),
    check: ({ content }) => expect(content).toBe('<p>Hi</p>'),
  },
  'messages.update': {
    input: async (everyone) => ({ id: (await message(everyone)).id, content_markdown: 'Ho' }),
    check: ({ content }) => expect(content).toBe('<p>Ho</p>'),
  },
  'messages.delete': { input: async (everyone) => ({ id: (await message(everyone)).id }) },

  'members.list': { input: async () => ({}), check: someRecords },
  'members.get': { input: async ({ ada }) => ({ id: ada.id }), check: sameId },
  'members.getProfile': {
    input: async ({ ada }) => ({ member_id: ada.id }),
    check: ({ member_id }, input) => expect(member_id).toBe(input.member_id),
  },
  'members.create': {
    input: async () => ({ email: 'eve@example.com', display_name: 'Eve', role: 'member' }),
    check: ({ user }) => expect(user.email).toBe('eve@example.com'),
  },
  'members.update': {
    input: async ({ ada }) => ({ id: ada.id, role: 'viewer' }),
    check: ({ role }) => expect(role).toBe('viewer'),
  },

  'members.createSignInLink': {
    input: async ({ ada }) => ({ member_id: ada.id }),
    check: ({ url }) => expect(url).toMatch(/\/sign-in#token=parley_[\w-]{43}$/),
  },

  'members.sendInvitation': { input: async ({ ada }) => ({ member_id: ada.id }) },

  'me.get': { input: async () => ({}), check: ({ role }) => expect(role).toBe('admin') },
  'me.update': {
    input: async () => ({ display_name: 'Rooty' }),
    check: ({ author }) => expect(author.name).toBe('Rooty'),
  },
  'me.updateProfile': {
    input: async () => ({ job_title: 'Engineer', time_zone: 'Europe/Berlin' }),
    check: ({ time_zone }) => expect(time_zone).toBe('Europe/Berlin'),
  },
  'me.setAvatar': { input: async () => ({ file: await picture() }) },
  'me.deleteAvatar': { input: async ({ root }) => root.me.setAvatar({ file: await picture() }).then(() => ({})) },
  'me.getPreferences': { input: async () => ({}), check: (output) => expect(output).toEqual({ enter_sends: true }) },
  'me.updatePreferences': {
    input: async () => ({ enter_sends: false }),
    check: (output) => expect(output).toEqual({ enter_sends: false }),
  },
  'me.setPassword': { input: async () => ({ password: 'correct horse' }) },
  'me.deletePassword': {
    async input({ root }) {
      await root.me.setPassword({ password: 'correct horse' })
      return { current_password: 'correct horse' }
    },
  },

  'me.getEmail': {
    input: async () => ({}),
    check: ({ email, pending_email }) => expect([email, pending_email]).toEqual([expect.stringMatching('root@'), null]),
  },
  'me.changeEmail': {
    input: async () => ({ email: `${crypto.randomUUID()}@example.com` }),
    check: ({ pending_email }, { email }) => expect(pending_email).toBe(email),
  },
  'me.cancelEmailChange': {
    input: async ({ root }) => root.me.changeEmail({ email: 'new@example.com' }).then(() => ({})),
  },
  'me.getNotificationSettings': {
    input: async () => ({}),
    check: ({ mail, is_push_enabled }) => expect([mail, is_push_enabled]).toEqual(['hourly', false]),
  },
  'me.updateNotificationSettings': {
    input: async () => ({ mail: 'daily', quiet_hours: { from: '22:00', to: '07:30' }, time_zone: 'Europe/Berlin' }),
    check: ({ mail, quiet_hours }) => expect([mail, quiet_hours?.to]).toEqual(['daily', '07:30']),
  },
  'me.getPushKey': { input: async () => ({}), check: ({ public_key }) => expect(public_key).toMatch(/^[\w-]{87}$/) },
  'me.setPushSubscription': { token: browserToken, input: async () => pushSubscription },
  'me.deletePushSubscription': {
    token: browserToken,
    async input(everyone) {
      await everyone.as(await browserToken(everyone)).me.setPushSubscription(pushSubscription)
      return {}
    },
  },

  'workspace.get': { input: async () => ({}), check: ({ icon_url }) => expect(icon_url).toBeNull() },
  'workspace.update': {
    input: async () => ({ name: 'Analytical Engines' }),
    check: ({ name }) => expect(name).toBe('Analytical Engines'),
  },
  'workspace.setIcon': { input: async () => ({ file: await picture() }) },
  'workspace.deleteIcon': {
    input: async ({ root }) => root.workspace.setIcon({ file: await picture() }).then(() => ({})),
  },

  'sessions.list': {
    input: async (everyone) => signedIn(everyone, everyone.root).then(() => ({})),
    check: someRecords,
  },
  'sessions.delete': {
    async input(everyone) {
      await signedIn(everyone, everyone.root)
      return { id: (await everyone.root.sessions.list()).data[0]!.id }
    },
  },
  'sessions.deleteAll': { input: async (everyone) => signedIn(everyone, everyone.root).then(() => ({})) },

  'signInLinks.list': {
    input: async ({ root, ada }) => root.members.createSignInLink({ member_id: ada.id }).then(() => ({})),
    check: someRecords,
  },
  'signInLinks.delete': {
    input: async ({ root, ada }) => ({ id: (await root.members.createSignInLink({ member_id: ada.id })).id }),
  },

  'tokens.listMine': { input: async () => ({}), check: someRecords },
  'tokens.createMine': {
    input: async () => ({ scopes: ['read'] }),
    check: ({ token }) => expect(token).toStartWith('parley_'),
  },
  'tokens.delete': { input: async ({ root }) => ({ id: (await root.tokens.createMine({ scopes: ['read'] })).id }) },

  'apps.list': { input: async () => ({}), check: someRecords },
  'apps.create': { input: async () => ({ name: 'Builds' }), check: ({ name }) => expect(name).toBe('Builds') },
  'apps.delete': { input: async ({ bot }) => ({ id: bot.id }) },
  'apps.listTokens': { input: async ({ bot }) => ({ id: bot.id }), check: someRecords },
  'apps.createToken': {
    input: async ({ bot }) => ({ id: bot.id, scopes: ['read'] }),
    check: ({ token }) => expect(token).toStartWith('parley_'),
  },

  'markdown.render': {
    input: async ({ ada }) => ({ content_markdown: `*Hi* <@${ada.id}>` }),
    check: ({ content }) => expect(content).toMatch(/^<p><em>Hi<\/em> <a class="mention" .+>@Ada Lovelace<\/a><\/p>$/),
  },

  'events.list': { input: async () => ({}), check: someRecords },

  'webhooks.list': { input: async (everyone) => webhook(everyone).then(() => ({})), check: someRecords },
  'webhooks.get': { input: async (everyone) => ({ id: (await webhook(everyone)).id }), check: sameId },
  'webhooks.create': {
    input: async () => ({ url: 'https://example.com/hook' }),
    check: ({ secret }) => expect(secret).toStartWith('whsec_'),
  },
  'webhooks.update': {
    input: async (everyone) => ({ id: (await webhook(everyone)).id, is_enabled: false }),
    check: ({ is_enabled }) => expect(is_enabled).toBe(false),
  },
  'webhooks.delete': { input: async (everyone) => ({ id: (await webhook(everyone)).id }) },
  'webhooks.rotateSecret': {
    input: async (everyone) => ({ id: (await webhook(everyone)).id }),
    check: ({ secret }) => expect(secret).toStartWith('whsec_'),
  },
  'webhooks.ping': {
    input: async (everyone) => ({ id: (await webhook(everyone)).id }),
    check: ({ event_type }) => expect(event_type).toBe('webhook.ping'),
  },
  'webhooks.replay': {
    async input(everyone) {
      const { id } = await webhook(everyone)
      return { id, after: (await everyone.root.events.list()).data[0]!.id }
    },
    check: sameId,
  },
  'webhooks.deliveries': {
    async input(everyone) {
      const { webhook_id } = await delivery(everyone)
      return { id: webhook_id }
    },
    check: someRecords,
  },
  'webhooks.delivery': { input: async (everyone) => ({ id: (await delivery(everyone)).id }), check: sameId },
  'hooks.list': { input: async (everyone) => hook(everyone).then(() => ({})), check: someRecords },
  'hooks.get': { input: ofHook, check: sameId },
  'hooks.create': {
    input: async ({ general }) => ({ name: 'Grafana', channel_id: general.id }),
    check: ({ url }) => expect(url).toContain('/hooks/parley_'),
  },
  'hooks.update': {
    input: async (everyone) => ({ ...(await ofHook(everyone)), name: 'Alertmanager' }),
    check: ({ name, author }) => expect([name, author.name]).toEqual(['Alertmanager', 'Alertmanager']),
  },
  'hooks.delete': { input: ofHook },
  'hooks.setAvatar': { input: async (everyone) => ({ ...(await ofHook(everyone)), file: await picture() }) },
  'hooks.deleteAvatar': {
    async input(everyone) {
      const { id } = await hook(everyone)
      await everyone.root.hooks.setAvatar({ id, file: await picture() })
      return { id }
    },
  },
  'hooks.rotateSecret': { input: ofHook, check: ({ url }) => expect(url).toContain('/hooks/parley_') },
  'hooks.test': { input: ofHook, check: ({ type }) => expect(type).toBe('post') },
  'webhooks.redeliver': { input: async (everyone) => ({ id: (await delivery(everyone)).id }), check: sameId },
  'inbox.list': { input: async (everyone) => entry(everyone).then(() => ({})), check: someRecords },
  'inbox.update': { input: async (everyone) => ({ id: (await entry(everyone)).id, read: true }), check: sameId },
  'inbox.readAll': { input: (everyone) => entry(everyone).then(() => ({})) },
  'unread.get': { input: async () => ({}) },
  'unread.posts': { input: async (everyone) => ({ ids: [(await post(everyone)).id] }), check: someRecords },
  'unread.threads': { input: async (everyone) => ({ ids: [(await thread(everyone)).id] }), check: someRecords },
  'reads.set': { input: async (everyone) => ({ subject_id: (await unreadPost(everyone)).id }) },
  'reads.unset': { input: async (everyone) => ({ subject_id: (await post(everyone)).id }) },
  'reads.setAll': { input: (everyone) => unreadPost(everyone).then(() => ({})) },
  'follows.get': { input: async (everyone) => ({ subject_id: (await post(everyone)).id }) },
  'follows.set': { input: async (everyone) => ({ subject_id: (await post(everyone)).id, level: 'none' }) },
  'pins.list': {
    async input(everyone) {
      await everyone.root.pins.set({ post_id: (await post(everyone)).id })
      return { channel_id: everyone.general.id }
    },
    check: someRecords,
  },
  'pins.set': { input: async (everyone) => ({ post_id: (await post(everyone)).id }) },
  'pins.unset': {
    async input(everyone) {
      const { id: post_id } = await post(everyone)
      await everyone.root.pins.set({ post_id })
      return { post_id }
    },
  },
  'saved.list': { input: (everyone) => savedPost(everyone).then(() => ({})), check: someRecords },
  'saved.set': {
    input: async (everyone) => ({ post_id: (await post(everyone)).id }),
    check: ({ post: { id } }, { post_id }) => expect(id).toBe(post_id),
  },
  'saved.unset': { input: async (everyone) => ({ post_id: (await savedPost(everyone)).post_id }) },
  'follows.reset': {
    async input(everyone) {
      const { id: subject_id } = await post(everyone)
      await everyone.root.follows.set({ subject_id, level: 'none' })
      return { subject_id }
    },
  },
  'drafts.list': { input: (everyone) => draft(everyone).then(() => ({})), check: someRecords },
  'drafts.get': { input: ofDraft, check: ({ content_markdown }) => expect(content_markdown).toBe('I thi') },
  'drafts.save': {
    input: async (everyone) => ({ ...(await ofDraft(everyone)), content_markdown: 'I think' }),
    check: ({ content_markdown }) => expect(content_markdown).toBe('I think'),
  },
  'drafts.delete': { input: ofDraft },
  'drafts.deleteOther': {
    async input(everyone) {
      const { subject_id, version } = await draft(everyone)
      await everyone.root.drafts.save({ subject_id, content_markdown: 'We think' })
      return { subject_id, version }
    },
  },
}
