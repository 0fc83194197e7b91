import type { ErrorCode } from '../../src/contract/errors'
import type { Scope } from '../../src/contract/operation'
import { pushSubscription } from '../scenarios'
import { signedIn } from '../session/browser'
import type { Caller, WorldWithCallers } from './matrix-callers'

/** Where a record is, which determines who can see it. */
type Place =
  /** In the channel. If it is public: visible to everyone but guests outside; if it is private: to its members. */
  | 'channel'
  /** In the thread of bob and gwen: visible to these two. */
  | 'thread'
  /** A member: visible to everyone but guests who share no channel or thread with them. */
  | 'people'
  /** Visible to everyone in the workspace. */
  | 'workspace'
  /** The caller's own. */
  | 'self'

/** Who is allowed to call an operation; independent of the contract. */
export interface Rule {
  /** The required scope of the token. */
  scope: Scope
  /** What the role must allow, if it is less than the scope. */
  role?: Scope
  at: Place
  /** The answer to callers who cannot see the record; `hidden` is a list without it. */
  unseen?: ErrorCode | 'hidden'
  /** Only the author is allowed, and admins with an admin token. */
  isAuthors?: true
  /** Apps are refused, whatever they can see. */
  isMembers?: true
  /** The answer to callers who are refused by an exception. */
  except?: (caller: Caller) => ErrorCode | 'hidden' | undefined
  /** Creates the record, and returns the input; a list must contain `shows`. */
  input: (world: WorldWithCallers) => Promise<Record<string, unknown>>
}

/** The scopes that each role and scope includes, as documented. */
export const reach: Record<Caller['role'] | Scope, readonly Scope[]> = {
  admin: ['read', 'write', 'admin'],
  member: ['read', 'write'],
  viewer: ['read'],
  guest: ['read', 'write'],
  app: ['read', 'write', 'admin'],
  write: ['read', 'write'],
  read: ['read'],
}

/** The answer to a caller by the rules. */
export function expected(rule: Rule, caller: Caller, isPrivate: boolean): ErrorCode | 'ok' | 'hidden' {
  const { scope, role = scope, at, unseen = 'not_found', isAuthors, isMembers, except } = rule
  if (!caller.scope) return 'unauthenticated'
  if (!reach[caller.scope].includes(scope)) return 'insufficient_scope'
  if (!reach[caller.role].includes(role)) return 'forbidden'
  if (isMembers && caller.role === 'app') return 'forbidden'
  if (!sees(caller, at, isPrivate)) return unseen
  const isManager = caller.scope === 'admin' && reach[caller.role].includes('admin')
  if (isAuthors && !caller.isAuthor && !isManager) return 'forbidden'
  return except?.(caller) ?? 'ok'
}

function sees({ role, isInside, isElsewhere }: Caller, at: Place, isPrivate: boolean): boolean {
  if (at === 'self') return true
  if (isElsewhere) return false
  if (at === 'workspace') return true
  if (at === 'thread' || (at === 'channel' && isPrivate)) return isInside
  return role !== 'guest' || isInside
}

const post = ({ bob, channel }: WorldWithCallers) =>
  bob.posts.create({ channel_id: channel.id, content_markdown: 'Lunch?' })
const comment = async (world: WorldWithCallers) =>
  world.bob.comments.create({ post_id: (await post(world)).id, content_markdown: 'Noon.' })
const thread = ({ bob, gwen }: WorldWithCallers) => bob.threads.create({ member_ids: [gwen.id] })
const message = async (world: WorldWithCallers) =>
  world.bob.messages.create({ thread_id: (await thread(world)).id, content_markdown: 'Hi' })
/** The first entry of bob's inbox. */
const entry = async ({ root, bob, fillInboxes }: WorldWithCallers) => {
  await root.messages.createDirect({ member_id: bob.id, content_markdown: 'Hi' })
  await fillInboxes()
  return (await bob.inbox.list()).data[0]!
}
const webhook = ({ olga }: WorldWithCallers) => olga.webhooks.create({ url: 'http://127.0.0.1:9/hook' })
const delivery = async (world: WorldWithCallers) => world.olga.webhooks.ping({ id: (await webhook(world)).id })
const app = ({ root }: WorldWithCallers) => root.apps.create({ name: `App ${crypto.randomUUID()}` })
const channel = ({ root, bob, gwen }: WorldWithCallers, isPrivate: boolean) =>
  root.channels.create({ name: crypto.randomUUID(), private: isPrivate }).then(async (made) => {
    for (const member_id of [bob.id, gwen.id]) await root.channels.addMember({ channel_id: made.id, member_id })
    return made
  })

const byId = (make: (world: WorldWithCallers) => Promise<{ id: string }>) => async (world: WorldWithCallers) => ({
  id: (await make(world)).id,
})
const ofSubject = async (world: WorldWithCallers) => ({ subject_id: (await post(world)).id })
const ofPost = async (world: WorldWithCallers) => ({ post_id: (await post(world)).id })
const ofComment = async (world: WorldWithCallers) => ({ comment_id: (await comment(world)).id })
const ofMessage = async (world: WorldWithCallers) => ({ message_id: (await message(world)).id })
const withEmoji = (make: (world: WorldWithCallers) => Promise<object>) => async (world: WorldWithCallers) => ({
  ...(await make(world)),
  emoji: '👍',
})
const reacted = async (world: WorldWithCallers) => {
  const { id } = await post(world)
  await world.bob.reactions.addToPost({ post_id: id, emoji: '👍' })
  return { ids: [id], shows: id }
}
const reactedMessage = async (world: WorldWithCallers) => {
  const { id } = await message(world)
  await world.bob.reactions.addToMessage({ message_id: id, emoji: '👍' })
  return { ids: [id], shows: id }
}
const shown = (make: (world: WorldWithCallers) => Promise<{ id: string }>) => async (world: WorldWithCallers) => ({
  shows: (await make(world)).id,
})
/** A record that bob has edited. */
const edited =
  (
    make: (world: WorldWithCallers) => Promise<{ id: string }>,
    edit: (world: WorldWithCallers, id: string) => Promise<unknown>,
  ) =>
  async (world: WorldWithCallers) => {
    const { id } = await make(world)
    await edit(world, id)
    return { ids: [id], shows: id }
  }
const editPost = ({ bob }: WorldWithCallers, id: string) => bob.posts.update({ id, content_markdown: 'Dinner?' })
const editComment = ({ bob }: WorldWithCallers, id: string) => bob.comments.update({ id, content_markdown: 'At one.' })
const sourceOf = (make: (world: WorldWithCallers) => Promise<{ id: string }>) => async (world: WorldWithCallers) => {
  const { id } = await make(world)
  return { ids: [id], shows: id }
}
/** Nothing references it: only bob sees it. */
const file = ({ bob }: WorldWithCallers) => bob.files.upload({ file: new Blob([crypto.randomUUID()]), name: 'a.txt' })
const uploaders = ({ isAuthor }: Caller) => (isAuthor ? undefined : ('not_found' as const))
const nothing = async () => ({})
/** A post that its author has a draft for. */
async function ofDraft(world: WorldWithCallers) {
  const { subject_id } = await ofSubject(world)
  await world.bob.drafts.save({ subject_id, content_markdown: 'I thi' })
  return { subject_id }
}
const stateShown = (id: string) => ({ ids: [id], shows: id })

/** A PNG of one pixel. */
const picture = new Blob(
  [
    Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
  ],
  { type: 'image/png' },
)

/** Apps have no account of their own. */
const notApps = ({ role }: Caller) => (role === 'app' ? 'forbidden' : undefined)

/** Other admins can see, disable and delete a webhook; everything else is for its owner only. */
const ownersOnly = ({ isOwner }: Caller) => (isOwner ? undefined : 'forbidden')

const isManager = ({ role, scope }: Caller) => scope === 'admin' && (role === 'admin' || role === 'app')
const hook = ({ bob, channel }: WorldWithCallers) => bob.hooks.create({ name: 'Grafana', channel_id: channel.id })
/** An incoming webhook is managed by its owner and by admins; only its owner can write with it. */
const hookManagers = (caller: Caller) => (caller.isAuthor || isManager(caller) ? undefined : 'not_found')
const hookOwner = (caller: Caller) =>
  caller.isAuthor ? undefined : isManager(caller) ? ('forbidden' as const) : ('not_found' as const)

/** The rule of every operation. After a comma there may be what it is about, for another rule of the same operation. */
export const rules: Record<string, Rule> = {
  'posts.list': { scope: 'read', at: 'channel', unseen: 'hidden', input: shown(post) },
  'posts.list, of an author': {
    scope: 'read',
    at: 'people',
    input: async (world) => ({ author_id: world.bob.id, shows: (await post(world)).id }),
  },
  'posts.get': { scope: 'read', at: 'channel', input: byId(post) },
  'posts.create': {
    scope: 'write',
    at: 'channel',
    unseen: 'invalid_input',
    input: async ({ channel }) => ({ channel_id: channel.id, content_markdown: 'Lunch?' }),
  },
  'posts.update': {
    scope: 'write',
    at: 'channel',
    isAuthors: true,
    input: async (world) => ({ id: (await post(world)).id, title: 'New' }),
  },
  'posts.delete': { scope: 'write', at: 'channel', isAuthors: true, input: byId(post) },
  'posts.resolve': { scope: 'write', at: 'channel', input: ofPost },
  'posts.getResolution': {
    scope: 'read',
    at: 'channel',
    input: async (world) => {
      const { post_id } = await ofPost(world)
      await world.bob.posts.resolve({ post_id })
      return { post_id }
    },
  },
  'posts.unresolve': { scope: 'write', at: 'channel', input: ofPost },
  'posts.check': {
    scope: 'write',
    at: 'channel',
    isAuthors: true,
    input: async ({ bob, channel }) => {
      const { id } = await bob.posts.create({ channel_id: channel.id, content_markdown: '- [ ] Lunch' })
      return { post_id: id, item: 0, is_checked: true }
    },
  },

  'comments.list': { scope: 'read', at: 'channel', input: ofPost },
  'comments.get': { scope: 'read', at: 'channel', input: byId(comment) },
  'comments.create': {
    scope: 'write',
    at: 'channel',
    input: async (world) => ({ ...(await ofPost(world)), content_markdown: 'One.' }),
  },
  'comments.update': {
    scope: 'write',
    at: 'channel',
    isAuthors: true,
    input: async (world) => ({ id: (await comment(world)).id, content_markdown: 'One.' }),
  },
  'comments.delete': { scope: 'write', at: 'channel', isAuthors: true, input: byId(comment) },
  'comments.check': {
    scope: 'write',
    at: 'channel',
    isAuthors: true,
    input: async (world) => {
      const { id } = await world.bob.comments.create({ ...(await ofPost(world)), content_markdown: '- [ ] Lunch' })
      return { comment_id: id, item: 0, is_checked: true }
    },
  },

  'edits.list': { scope: 'read', at: 'channel', unseen: 'hidden', input: edited(post, editPost) },
  'edits.list, of comments': { scope: 'read', at: 'channel', unseen: 'hidden', input: edited(comment, editComment) },

  'reactions.list': { scope: 'read', at: 'channel', unseen: 'hidden', input: reacted },
  'reactions.list, of messages': { scope: 'read', at: 'thread', unseen: 'hidden', input: reactedMessage },
  'reactions.listOfPost': { scope: 'read', at: 'channel', input: ofPost },
  'reactions.listOfComment': { scope: 'read', at: 'channel', input: ofComment },
  'reactions.listOfMessage': { scope: 'read', at: 'thread', input: ofMessage },
  'reactions.addToPost': { scope: 'write', at: 'channel', input: withEmoji(ofPost) },
  'reactions.addToComment': { scope: 'write', at: 'channel', input: withEmoji(ofComment) },
  'reactions.addToMessage': { scope: 'write', at: 'thread', input: withEmoji(ofMessage) },
  'reactions.removeFromPost': { scope: 'write', at: 'channel', input: withEmoji(ofPost) },
  'reactions.removeFromComment': { scope: 'write', at: 'channel', input: withEmoji(ofComment) },
  'reactions.removeFromMessage': { scope: 'write', at: 'thread', input: withEmoji(ofMessage) },

  'emoji.list': { scope: 'read', at: 'self', input: nothing },
  'emoji.set': { scope: 'admin', at: 'self', input: async () => ({ name: 'shipit', file: picture }) },
  'emoji.delete': {
    scope: 'admin',
    at: 'workspace',
    input: async ({ root }) => root.emoji.set({ name: 'shipit', file: picture }).then(() => ({ name: 'shipit' })),
  },

  'markdown.list': { scope: 'read', at: 'channel', unseen: 'hidden', input: sourceOf(post) },
  'markdown.list, of comments': { scope: 'read', at: 'channel', unseen: 'hidden', input: sourceOf(comment) },
  'markdown.list, of messages': { scope: 'read', at: 'thread', unseen: 'hidden', input: sourceOf(message) },

  'channels.list': {
    scope: 'read',
    at: 'channel',
    unseen: 'hidden',
    input: async ({ channel }) => ({ shows: channel.id }),
  },
  'channels.get': { scope: 'read', at: 'channel', input: async ({ channel }) => ({ id: channel.id }) },
  'channels.create': { scope: 'admin', at: 'self', input: async () => ({ name: crypto.randomUUID() }) },
  'channels.update': {
    scope: 'admin',
    at: 'channel',
    input: async (world) => ({ id: world.channel.id, name: crypto.randomUUID() }),
  },
  'channels.delete': {
    scope: 'admin',
    at: 'channel',
    input: byId((world) => channel(world, world.channel.is_private)),
  },
  'channels.members': { scope: 'read', at: 'channel', input: async ({ channel }) => ({ channel_id: channel.id }) },
  'channels.join': {
    scope: 'write',
    role: 'read',
    at: 'channel',
    input: async (world) => ({ channel_id: (await channel(world, world.channel.is_private)).id }),
  },
  'channels.leave': {
    scope: 'write',
    role: 'read',
    at: 'channel',
    input: async (world) => ({ channel_id: (await channel(world, world.channel.is_private)).id }),
  },
  'channels.addMember': {
    scope: 'admin',
    at: 'channel',
    input: async ({ channel, kim }) => ({ channel_id: channel.id, member_id: kim.id }),
  },
  'channels.removeMember': {
    scope: 'admin',
    at: 'channel',
    async input({ root, channel, kim }) {
      await root.channels.addMember({ channel_id: channel.id, member_id: kim.id })
      return { channel_id: channel.id, member_id: kim.id }
    },
  },

  'threads.list': { scope: 'read', at: 'thread', unseen: 'hidden', input: shown(thread) },
  'threads.get': { scope: 'read', at: 'thread', input: byId(thread) },
  'threads.create': {
    scope: 'write',
    at: 'people',
    unseen: 'invalid_input',
    input: async ({ bob }) => ({ member_ids: [bob.id] }),
  },
  'threads.addMember': {
    scope: 'write',
    at: 'thread',
    input: async (world) => ({ thread_id: (await thread(world)).id, member_id: world.root.id }),
  },
  'threads.removeMember': {
    scope: 'write',
    at: 'thread',
    isAuthors: true,
    async input(world) {
      const { id } = await world.bob.threads.create({ member_ids: [world.gwen.id, world.kim.id] })
      return { thread_id: id, member_id: world.kim.id }
    },
  },
  'threads.leave': {
    scope: 'write',
    role: 'read',
    at: 'thread',
    input: async (world) => ({ thread_id: (await thread(world)).id }),
  },
  'messages.list': { scope: 'read', at: 'thread', input: async (world) => ({ thread_id: (await thread(world)).id }) },
  'messages.get': { scope: 'read', at: 'thread', input: byId(message) },
  'messages.create': {
    scope: 'write',
    at: 'thread',
    input: async (world) => ({ thread_id: (await thread(world)).id, content_markdown: 'Ho' }),
  },
  'messages.createDirect': {
    scope: 'write',
    at: 'people',
    input: async ({ bob }) => ({ member_id: bob.id, content_markdown: 'Ho' }),
  },
  'messages.update': {
    scope: 'write',
    at: 'thread',
    isAuthors: true,
    input: async (world) => ({ id: (await message(world)).id, content_markdown: 'Ho' }),
  },
  'messages.delete': { scope: 'write', at: 'thread', isAuthors: true, input: byId(message) },

  'inbox.list': { scope: 'read', at: 'self', isMembers: true, input: nothing },
  'inbox.update': {
    scope: 'write',
    role: 'read',
    at: 'self',
    isMembers: true,
    except: ({ isAuthor }) => (isAuthor ? undefined : 'not_found'),
    input: byId(entry),
  },
  'inbox.readAll': { scope: 'write', role: 'read', at: 'self', isMembers: true, input: nothing },
  'follows.get': { scope: 'read', at: 'channel', isMembers: true, input: ofSubject },
  'follows.set': {
    scope: 'write',
    role: 'read',
    at: 'channel',
    isMembers: true,
    input: async (world) => ({ ...(await ofSubject(world)), level: 'all' }),
  },
  'follows.reset': { scope: 'write', role: 'read', at: 'channel', isMembers: true, input: ofSubject },
  'drafts.list': { scope: 'read', at: 'self', isMembers: true, unseen: 'hidden', input: nothing },
  'drafts.get': {
    scope: 'read',
    at: 'self',
    isMembers: true,
    except: ({ isAuthor }) => (isAuthor ? undefined : 'not_found'),
    input: ofDraft,
  },
  'drafts.save': {
    scope: 'write',
    role: 'read',
    at: 'channel',
    isMembers: true,
    input: async (world) => ({ ...(await ofSubject(world)), content_markdown: 'I thi' }),
  },
  'drafts.save, in a thread': {
    scope: 'write',
    role: 'read',
    at: 'thread',
    isMembers: true,
    input: async (world) => ({ subject_id: (await thread(world)).id, content_markdown: 'I thi' }),
  },
  'drafts.delete': { scope: 'write', role: 'read', at: 'self', isMembers: true, input: ofDraft },
  'drafts.deleteOther': {
    scope: 'write',
    role: 'read',
    at: 'self',
    isMembers: true,
    input: async (world) => ({ ...(await ofDraft(world)), version: 1 }),
  },
  'pins.list': {
    scope: 'read',
    at: 'channel',
    input: async (world) => {
      await world.bob.pins.set(await ofPost(world))
      return { channel_id: world.channel.id }
    },
  },
  'pins.set': { scope: 'write', at: 'channel', input: ofPost },
  'pins.unset': { scope: 'write', at: 'channel', input: ofPost },
  'saved.list': { scope: 'read', at: 'self', isMembers: true, input: nothing },
  'saved.set': { scope: 'write', role: 'read', at: 'channel', isMembers: true, input: ofPost },
  'saved.unset': { scope: 'write', role: 'read', at: 'channel', isMembers: true, input: ofPost },
  'follows.set, a thread': {
    scope: 'write',
    role: 'read',
    at: 'thread',
    isMembers: true,
    input: async (world) => ({ subject_id: (await thread(world)).id, level: 'none' }),
  },

  'members.list': { scope: 'read', at: 'people', unseen: 'hidden', input: async ({ bob }) => ({ shows: bob.id }) },
  'members.get': { scope: 'read', at: 'people', input: async ({ bob }) => ({ id: bob.id }) },
  'members.getProfile': { scope: 'read', at: 'people', input: async ({ bob }) => ({ member_id: bob.id }) },
  'members.create': {
    scope: 'admin',
    at: 'self',
    input: async () => ({ email: `${crypto.randomUUID()}@example.com`, display_name: 'Eve', role: 'member' }),
  },
  'members.update': {
    scope: 'admin',
    at: 'workspace',
    input: async ({ kim }) => ({ id: kim.id, display_name: crypto.randomUUID() }),
  },

  'members.createSignInLink': {
    scope: 'admin',
    at: 'workspace',
    except: notApps,
    input: async ({ kim }) => ({ member_id: kim.id }),
  },

  'members.sendInvitation': {
    scope: 'admin',
    at: 'workspace',
    // A new member each time: few invitations are sent to one.
    input: async ({ root }) => {
      const email = `${crypto.randomUUID()}@example.com`
      return { member_id: (await root.members.create({ email, display_name: 'Eve', role: 'member' })).id }
    },
  },

  'markdown.render': { scope: 'write', at: 'self', input: async () => ({ content_markdown: '*Hi*' }) },

  'me.get': { scope: 'read', at: 'self', input: nothing },
  'me.update': {
    scope: 'write',
    role: 'read',
    at: 'self',
    except: notApps,
    input: async () => ({ display_name: crypto.randomUUID() }),
  },
  'me.updateProfile': {
    scope: 'write',
    role: 'read',
    at: 'self',
    except: notApps,
    input: async () => ({ job_title: crypto.randomUUID() }),
  },
  'me.setAvatar': { scope: 'write', role: 'read', at: 'self', except: notApps, input: async () => ({ file: picture }) },
  'me.deleteAvatar': { scope: 'write', role: 'read', at: 'self', except: notApps, input: nothing },
  'me.getPreferences': { scope: 'read', at: 'self', except: notApps, input: nothing },
  'me.updatePreferences': {
    scope: 'write',
    role: 'read',
    at: 'self',
    except: notApps,
    input: async () => ({ enter_sends: false }),
  },
  'me.setPassword': {
    scope: 'admin',
    role: 'read',
    at: 'self',
    except: notApps,
    input: async () => ({ password: 'correct horse' }),
  },
  'me.deletePassword': { scope: 'admin', role: 'read', at: 'self', except: notApps, input: nothing },

  'me.getEmail': { scope: 'read', at: 'self', except: notApps, input: nothing },
  'me.changeEmail': {
    scope: 'admin',
    role: 'read',
    at: 'self',
    except: notApps,
    input: async () => ({ email: `${crypto.randomUUID()}@example.com` }),
  },
  'me.cancelEmailChange': { scope: 'admin', role: 'read', at: 'self', except: notApps, input: nothing },
  'me.getNotificationSettings': { scope: 'read', at: 'self', except: notApps, input: nothing },
  'me.updateNotificationSettings': {
    scope: 'write',
    role: 'read',
    at: 'self',
    except: notApps,
    input: async () => ({ mail: 'never' }),
  },
  'me.getPushKey': { scope: 'read', at: 'self', input: nothing },
  // For browsers that are signed in; these callers have tokens of the API.
  'me.setPushSubscription': {
    scope: 'write',
    role: 'read',
    at: 'self',
    except: () => 'forbidden',
    input: async () => pushSubscription,
  },
  'me.deletePushSubscription': {
    scope: 'write',
    role: 'read',
    at: 'self',
    except: () => 'forbidden',
    input: nothing,
  },
  'workspace.get': { scope: 'read', at: 'self', input: nothing },
  'workspace.update': { scope: 'admin', at: 'self', input: async () => ({ name: crypto.randomUUID() }) },
  'workspace.setIcon': { scope: 'admin', at: 'self', input: async () => ({ file: picture }) },
  'workspace.deleteIcon': { scope: 'admin', at: 'self', input: nothing },

  'sessions.list': { scope: 'admin', role: 'read', at: 'self', input: nothing },
  'sessions.delete': {
    scope: 'admin',
    role: 'read',
    at: 'workspace',
    except: ({ isAuthor }) => (isAuthor ? undefined : 'not_found'),
    async input(world) {
      await signedIn(world, world.bob)
      return { id: (await world.bob.sessions.list()).data[0]!.id }
    },
  },
  'sessions.deleteAll': { scope: 'admin', role: 'read', at: 'self', input: nothing },

  'signInLinks.list': {
    scope: 'admin',
    at: 'workspace',
    unseen: 'hidden',
    except: notApps,
    input: async ({ root, kim }) => ({ shows: (await root.members.createSignInLink({ member_id: kim.id })).id }),
  },
  'signInLinks.delete': {
    scope: 'admin',
    at: 'workspace',
    except: notApps,
    input: async ({ root, kim }) => ({ id: (await root.members.createSignInLink({ member_id: kim.id })).id }),
  },

  'tokens.listMine': { scope: 'read', at: 'self', input: nothing },
  'tokens.createMine': {
    scope: 'write',
    at: 'self',
    except: ({ role }) => (role === 'admin' || role === 'member' ? undefined : 'forbidden'),
    input: async () => ({ scopes: ['read'] }),
  },
  'tokens.delete': {
    scope: 'read',
    at: 'workspace',
    except: ({ isAuthor, role, scope }) =>
      isAuthor || (scope === 'admin' && (role === 'admin' || role === 'app')) ? undefined : 'not_found',
    input: byId(({ bob }) => bob.tokens.createMine({ scopes: ['read'] })),
  },

  'apps.list': {
    scope: 'read',
    at: 'workspace',
    unseen: 'hidden',
    except: ({ role }) => (role === 'guest' ? 'hidden' : undefined),
    input: async ({ bot }) => ({ shows: bot.id }),
  },
  'apps.create': { scope: 'admin', at: 'self', input: async () => ({ name: crypto.randomUUID() }) },
  'apps.delete': { scope: 'admin', at: 'workspace', input: byId(app) },
  'apps.listTokens': { scope: 'admin', at: 'workspace', input: byId(app) },
  'apps.createToken': {
    scope: 'admin',
    at: 'workspace',
    input: async (world) => ({ id: (await app(world)).id, scopes: ['read'] }),
  },

  'search.list': {
    scope: 'read',
    at: 'channel',
    unseen: 'hidden',
    input: async (world) => ({ q: 'lunch', shows: (await post(world)).id }),
  },
  'search.list, of comments': {
    scope: 'read',
    at: 'channel',
    unseen: 'hidden',
    input: async (world) => ({ q: 'noon', shows: (await comment(world)).id }),
  },
  'search.list, of messages': {
    scope: 'read',
    at: 'thread',
    unseen: 'hidden',
    input: async (world) => ({ q: 'hi', shows: (await message(world)).id }),
  },

  'unread.get': { scope: 'read', at: 'self', isMembers: true, input: nothing },
  'unread.posts': {
    ...{ scope: 'read', at: 'channel', isMembers: true, unseen: 'hidden' },
    input: async (world) => stateShown((await post(world)).id),
  },
  'unread.threads': {
    ...{ scope: 'read', at: 'thread', isMembers: true, unseen: 'hidden' },
    input: async (world) => stateShown((await thread(world)).id),
  },
  'reads.set': {
    ...{ scope: 'write', role: 'read', at: 'channel', isMembers: true },
    input: async (world) => ({ subject_id: (await post(world)).id }),
  },
  'reads.set, of a thread': {
    ...{ scope: 'write', role: 'read', at: 'thread', isMembers: true },
    input: async (world) => ({ subject_id: (await thread(world)).id }),
  },
  'reads.set, of a channel': {
    ...{ scope: 'write', role: 'read', at: 'channel', isMembers: true },
    input: async ({ channel }) => ({ subject_id: channel.id }),
  },
  'reads.unset': {
    ...{ scope: 'write', role: 'read', at: 'channel', isMembers: true },
    input: async (world) => ({ subject_id: (await post(world)).id }),
  },
  'reads.unset, of a thread': {
    ...{ scope: 'write', role: 'read', at: 'thread', isMembers: true },
    input: async (world) => ({ subject_id: (await thread(world)).id }),
  },
  'reads.setAll': { scope: 'write', role: 'read', at: 'self', isMembers: true, input: nothing },

  'events.list': {
    scope: 'read',
    at: 'channel',
    unseen: 'hidden',
    async input(world) {
      await post(world)
      return { types: 'post.created', shows: 'evt_' }
    },
  },

  'hooks.list': {
    scope: 'read',
    at: 'workspace',
    unseen: 'hidden',
    except: (caller) => (hookManagers(caller) ? 'hidden' : undefined),
    input: shown(hook),
  },
  'hooks.get': { scope: 'read', at: 'workspace', except: hookManagers, input: byId(hook) },
  'hooks.create': {
    scope: 'write',
    at: 'channel',
    unseen: 'invalid_input',
    except: ({ role, scope, isInside }) =>
      (role === 'member' && isInside) || (role === 'admin' && scope === 'admin') ? undefined : 'forbidden',
    input: async ({ channel }) => ({ name: 'Grafana', channel_id: channel.id }),
  },
  'hooks.create, for a thread': {
    scope: 'write',
    at: 'thread',
    unseen: 'invalid_input',
    except: ({ role }) => (role === 'member' || role === 'admin' ? undefined : 'forbidden'),
    input: async (world) => ({ name: 'Grafana', thread_id: (await thread(world)).id }),
  },
  'hooks.update': {
    scope: 'write',
    at: 'workspace',
    except: hookManagers,
    input: async (world) => ({ id: (await hook(world)).id, name: 'Alertmanager' }),
  },
  'files.upload': { scope: 'write', at: 'self', input: async () => ({ file: picture, name: 'cat.png' }) },
  'files.limits': { scope: 'read', at: 'self', input: nothing },
  'files.list': { scope: 'read', at: 'self', input: nothing },
  'files.get': { scope: 'read', at: 'self', except: uploaders, input: byId(file) },
  'files.content': { scope: 'read', at: 'self', except: uploaders, input: byId(file) },
  'files.delete': { scope: 'write', at: 'self', except: uploaders, input: byId(file) },
  'hooks.delete': { scope: 'write', at: 'workspace', except: hookManagers, input: byId(hook) },
  'hooks.setAvatar': {
    scope: 'write',
    at: 'workspace',
    except: hookManagers,
    input: async (world) => ({ id: (await hook(world)).id, file: picture }),
  },
  'hooks.deleteAvatar': { scope: 'write', at: 'workspace', except: hookManagers, input: byId(hook) },
  'hooks.rotateSecret': { scope: 'write', at: 'workspace', except: hookOwner, input: byId(hook) },
  'hooks.test': { scope: 'write', at: 'workspace', except: hookOwner, input: byId(hook) },
  'webhooks.list': { scope: 'admin', at: 'workspace', unseen: 'hidden', input: shown(webhook) },
  'webhooks.get': { scope: 'admin', at: 'workspace', input: byId(webhook) },
  'webhooks.create': { scope: 'admin', at: 'self', input: async () => ({ url: 'http://127.0.0.1:9/hook' }) },
  'webhooks.update': {
    scope: 'admin',
    at: 'workspace',
    except: ownersOnly,
    input: async (world) => ({ id: (await webhook(world)).id, types: ['post.created'] }),
  },
  'webhooks.delete': { scope: 'admin', at: 'workspace', input: byId(webhook) },
  'webhooks.rotateSecret': { scope: 'admin', at: 'workspace', except: ownersOnly, input: byId(webhook) },
  'webhooks.ping': { scope: 'admin', at: 'workspace', except: ownersOnly, input: byId(webhook) },
  'webhooks.replay': {
    scope: 'admin',
    at: 'workspace',
    except: ownersOnly,
    async input(world) {
      const { id } = await webhook(world)
      return { id, after: (await world.root.events.list({ limit: 1 })).next_cursor }
    },
  },
  'webhooks.deliveries': { scope: 'admin', at: 'workspace', except: ownersOnly, input: byId(webhook) },
  'webhooks.delivery': { scope: 'admin', at: 'workspace', except: ownersOnly, input: byId(delivery) },
  'webhooks.redeliver': { scope: 'admin', at: 'workspace', except: ownersOnly, input: byId(delivery) },
}

/** The operation that a rule is about. */
export const operationOf = (rule: string): string => rule.split(',')[0]!
