import { roles } from '../../src/contract/members'
import type { WriteName } from '../operations/entry'
import { newRandom, type Random } from '../random-writes'
import * as m from './model'
import { comeBack, happen, noteOwn } from './model-attention'
import { attentionPlans } from './model-attention-writes'
import { contentPlans } from './model-content-writes'
import { idOf, type Plan, pickMostly, pickOrNone, type RandomWrite } from './model-picks'
import { textOf } from './model-search'

/** A plan of every write, or why the model has none. */
const plans: { [O in WriteName]: Plan | string } = {
  ...attentionPlans,
  ...contentPlans,

  'posts.create'(model, who, random, text) {
    const channel = pickMostly(model.channels, random, (each) => m.seesChannel(who, each))!
    const mention = pickMention(model, random)
    const content_markdown = toMarkdown(text, mention)
    return {
      ask: (client) => client.posts.create({ channel_id: channel.id, title: text, content_markdown }),
      apply({ id }, now) {
        m.admit(who, 'write')
        if (!m.seesChannel(who, channel)) m.refuse('invalid_input')
        if (!channel.isPrivate && who.role !== 'app') channel.inside.add(who)
        const times = { createdAt: now, activeAt: now, revision: 0 }
        const post: m.Post = { id, channel, author: who, title: text, text, mention, ...times, isGone: false }
        model.posts.push(post)
        post.revision = happen(model, {
          subject: post,
          actor: who,
          at: now,
          followers: 'post',
          named: named(model, who, mention),
        })
        noteOwn(model, who, post, true)
      },
    }
  },
  'posts.update'(model, who, random, text) {
    const post = pickMostly(model.posts, random, (each) => m.seesPost(who, each) && m.mayEdit(who, each.author))
    return {
      ask: (client) => client.posts.update({ id: idOf(post), title: text }),
      apply() {
        findEditable(who, post, m.seesPost).title = text
      },
    }
  },
  'posts.delete'(model, who, random) {
    const post = pickMostly(model.posts, random, (each) => m.seesPost(who, each) && m.mayEdit(who, each.author))
    return {
      ask: (client) => client.posts.delete({ id: idOf(post) }),
      apply() {
        findEditable(who, post, m.seesPost).isGone = true
      },
    }
  },
  'posts.resolve'(model, who, random) {
    const post = pickMostly(model.posts, random, (each) => m.seesPost(who, each))
    const comment = pickOrNone(model.comments, random, (each) => each.post === post && !each.isGone && !each.isEmptied)
    return {
      ask: (client) => client.posts.resolve({ post_id: idOf(post), comment_id: comment?.id ?? '' }),
      apply(_, now) {
        const found = findVisible(who, 'write', post, m.seesPost)
        if (comment && (comment.post !== found || comment.isGone || comment.isEmptied)) m.refuse('invalid_input')
        found.resolution = { by: who, comment, at: now }
        found.activeAt = now
        found.revision = happen(model, { subject: found, actor: who, at: now, followers: 'resolved', named: [] })
        noteOwn(model, who, found)
      },
    }
  },
  'posts.unresolve'(model, who, random) {
    const post = pickMostly(model.posts, random, (each) => m.seesPost(who, each))
    return {
      ask: (client) => client.posts.unresolve({ post_id: idOf(post) }),
      apply(_, now) {
        const found = findVisible(who, 'write', post, m.seesPost)
        if (!found.resolution) return
        found.resolution = undefined
        found.activeAt = now
        found.revision = happen(model, { subject: found, actor: who, at: now, followers: 'reopened', named: [] })
        noteOwn(model, who, found)
      },
    }
  },

  'comments.create'(model, who, random, text) {
    const post = pickMostly(model.posts, random, (each) => m.seesPost(who, each))
    const parent = pickOrNone(model.comments, random, (each) => each.post === post && !each.parent && !each.isGone)
    const mention = pickMention(model, random)
    const content_markdown = toMarkdown(text, mention)
    return {
      ask: (client) => client.comments.create({ post_id: idOf(post), content_markdown, parent_id: parent?.id ?? '' }),
      apply({ id }, now) {
        const found = findVisible(who, 'write', post, m.seesPost)
        if (parent && (parent.post !== found || parent.isGone || parent.isEmptied || parent.parent))
          m.refuse('invalid_input')
        const state = { createdAt: now, revision: 0, isEmptied: false, isGone: false }
        const comment: m.Comment = { id, post: found, parent, author: who, text, mention, ...state }
        model.comments.push(comment)
        found.activeAt = now
        const news = { subject: found, item: comment, actor: who, at: now, named: named(model, who, mention) }
        comment.revision = happen(model, { ...news, followers: 'comment' })
        noteOwn(model, who, found, true)
      },
    }
  },
  'comments.update'(model, who, random, text) {
    const comment = pickMostly(
      model.comments,
      random,
      (each) => isVisibleComment(who, each) && m.mayEdit(who, each.author),
    )
    const mention = pickMention(model, random)
    const content_markdown = toMarkdown(text, mention)
    return {
      ask: (client) => client.comments.update({ id: idOf(comment), content_markdown }),
      apply(_, now) {
        const found = findEditable(who, comment, isVisibleComment)
        const mentioned = mention === found.mention ? [] : named(model, who, mention)
        Object.assign(found, { text, mention })
        happen(model, { subject: found.post, item: found, actor: who, at: now, named: mentioned })
      },
    }
  },
  'comments.delete'(model, who, random) {
    const comment = pickMostly(
      model.comments,
      random,
      (each) => isVisibleComment(who, each) && m.mayEdit(who, each.author),
    )
    return {
      ask: (client) => client.comments.delete({ id: idOf(comment) }),
      apply() {
        const found = findEditable(who, comment, isVisibleComment)
        if (found.post.resolution?.comment === found) found.post.resolution.comment = undefined
        if (m.repliesTo(model, found).length > 0) found.isEmptied = true
        else found.isGone = true
        const { parent } = found
        if (parent?.isEmptied && m.repliesTo(model, parent).length === 0) parent.isGone = true
      },
    }
  },

  'channels.create'(model, who, random, text) {
    const isPrivate = random.below(2) === 0
    return {
      ask: (client) => client.channels.create({ name: text, private: isPrivate }),
      apply({ id }, now) {
        m.admit(who, 'write')
        if (who.role !== 'admin' && (who.role !== 'member' || isPrivate)) m.refuse('forbidden')
        const inside = new Set([who])
        model.channels.push({ id, name: text, isPrivate, isArchived: false, createdAt: now, creator: who, inside })
      },
    }
  },
  'channels.update'(model, who, random, text) {
    const channel = random.pick(model.channels)
    const change = random.pick([
      { private: true },
      { private: false },
      { archived: true },
      { archived: false },
      { name: text },
    ])
    return {
      ask: (client) => client.channels.update({ id: channel.id, ...change }),
      apply() {
        m.admit(who, 'write')
        if (!m.couldSee(who, channel) || (channel.isArchived && who.role !== 'admin')) m.refuse('not_found')
        admitManager(who, channel)
        const changesAccess =
          (change.private ?? channel.isPrivate) !== channel.isPrivate ||
          (change.archived ?? channel.isArchived) !== channel.isArchived
        if (changesAccess && who.role !== 'admin') m.refuse('forbidden')
        if (change.private && !channel.isPrivate) channel.inside.add(who)
        channel.isPrivate = change.private ?? channel.isPrivate
        channel.isArchived = change.archived ?? channel.isArchived
        channel.name = change.name ?? channel.name
      },
    }
  },
  'channels.delete'(model, who, random) {
    const channel = pickMostly(model.channels, random, (each) => m.seesChannel(who, each))!
    return {
      ask: (client) => client.channels.delete({ id: channel.id }),
      apply() {
        findVisible(who, 'admin', channel, m.seesChannel).isArchived = true
      },
    }
  },
  'channels.join'(model, who, random) {
    const channel = pickMostly(model.channels, random, (each) => m.seesChannel(who, each))!
    return {
      ask: (client) => client.channels.join({ channel_id: channel.id }),
      apply() {
        findVisible(who, 'read', channel, m.seesChannel).inside.add(who)
      },
    }
  },
  'channels.leave'(model, who, random) {
    const channel = pickMostly(model.channels, random, (each) => m.seesChannel(who, each))!
    return {
      ask: (client) => client.channels.leave({ channel_id: channel.id }),
      apply() {
        const { inside, isPrivate } = findVisible(who, 'read', channel, m.seesChannel)
        if (isPrivate && !hasOthers(inside, who)) m.refuse('last_member')
        inside.delete(who)
      },
    }
  },
  'channels.addMember'(model, who, random) {
    const channel = pickMostly(model.channels, random, (each) => m.seesChannel(who, each))!
    const person = random.pick(model.people)
    return {
      ask: (client) => client.channels.addMember({ channel_id: channel.id, member_id: person.id }),
      apply(_, now) {
        const { inside } = findVisible(who, 'write', channel, m.seesChannel)
        admitManager(who, channel)
        if (inside.has(person)) return
        inside.add(person)
        if (person.role !== 'app' && (channel.isPrivate || person.role === 'guest')) comeBack(model, person, channel)
        happen(model, { subject: channel, actor: who, at: now, named: [person] })
      },
    }
  },
  'channels.removeMember'(model, who, random) {
    const channel = pickMostly(model.channels, random, (each) => m.seesChannel(who, each))!
    const person = pickMostly(model.people, random, (each) => channel.inside.has(each))!
    return {
      ask: (client) => client.channels.removeMember({ channel_id: channel.id, member_id: person.id }),
      apply() {
        const { inside, isPrivate } = findVisible(who, 'write', channel, m.seesChannel)
        admitManager(who, channel)
        if (!inside.has(person)) m.refuse('not_found')
        if (isPrivate && !hasOthers(inside, person)) m.refuse('last_member')
        inside.delete(person)
      },
    }
  },

  'threads.create'(model, who, random) {
    const others = [random.pick(model.people), random.pick(model.people)]
    return {
      ask: (client) => client.threads.create({ member_ids: others.map(({ id }) => id) }),
      apply({ id }, now) {
        m.admit(who, 'write')
        const isRefused = (other: m.Person) =>
          other !== who && (!m.seesPerson(model, who, other) || other.isDeactivated)
        if (others.some(isRefused)) m.refuse('invalid_input')
        addThread(model, who, { id, inside: new Set([who, ...others]), isDirect: false }, now)
      },
    }
  },
  'threads.addMember'(model, who, random) {
    const thread = pickGroup(model, who, random)
    const person = random.pick(model.people)
    return {
      ask: (client) => client.threads.addMember({ thread_id: idOf(thread), member_id: person.id }),
      apply(_, now) {
        const found = findGroup(who, 'write', thread)
        if (!m.seesPerson(model, who, person)) m.refuse('not_found')
        if (found.inside.has(person)) return
        if (person.isDeactivated) m.refuse('member_deactivated')
        found.inside.add(person)
        noteOwn(model, person, found)
        happen(model, { subject: found, actor: who, at: now, named: [person] })
      },
    }
  },
  'threads.removeMember'(model, who, random) {
    const thread = pickGroup(model, who, random)
    const person = pickMostly(model.people, random, (each) => thread?.inside.has(each) ?? false)!
    return {
      ask: (client) => client.threads.removeMember({ thread_id: idOf(thread), member_id: person.id }),
      apply() {
        const { inside, author } = findGroup(who, 'write', thread)
        if (!inside.has(person)) m.refuse('not_found')
        if (who !== person && !m.mayEdit(who, author)) m.refuse('forbidden')
        if (!hasOthers(inside, person)) m.refuse('last_member')
        inside.delete(person)
      },
    }
  },
  'threads.leave'(model, who, random) {
    const thread = pickGroup(model, who, random)
    return {
      ask: (client) => client.threads.leave({ thread_id: idOf(thread) }),
      apply() {
        const { inside } = findGroup(who, 'read', thread)
        if (!hasOthers(inside, who)) m.refuse('last_member')
        inside.delete(who)
      },
    }
  },
  'messages.create'(model, who, random, text) {
    const thread = pickMostly(model.threads, random, (each) => m.seesThread(who, each))
    const parent = pickOrNone(model.messages, random, (each) => each.thread === thread && !each.isGone)
    const mention = pickMention(model, random)
    const content_markdown = toMarkdown(text, mention)
    return {
      ask: (client) =>
        client.messages.create({ thread_id: idOf(thread), content_markdown, parent_id: parent?.id ?? '' }),
      apply({ id }, now) {
        const found = findVisible(who, 'write', thread, m.seesThread)
        addMessage(model, { id, thread: found, parent, author: who, text, mention }, now)
      },
    }
  },
  'messages.createDirect'(model, who, random, text) {
    const other = random.pick(model.people)
    return {
      ask: (client) => client.messages.createDirect({ member_id: other.id, content_markdown: text }),
      apply({ id, thread_id }, now) {
        m.admit(who, 'write')
        if (other.role === 'app' || !m.seesPerson(model, who, other)) m.refuse('not_found')
        if (other.isDeactivated) m.refuse('member_deactivated')
        const inside = new Set([who, other])
        const known = model.threads.find(
          (each) => each.isDirect && each.inside.size === inside.size && inside.isSubsetOf(each.inside),
        )
        const thread = known ?? addThread(model, who, { id: thread_id!, inside, isDirect: true }, now)
        addMessage(model, { id, thread, author: who, text }, now)
      },
    }
  },
  'messages.update'(model, who, random, text) {
    const message = pickMostly(
      model.messages,
      random,
      (each) => m.seesMessage(who, each) && m.mayEdit(who, each.author),
    )
    const mention = pickMention(model, random)
    const content_markdown = toMarkdown(text, mention)
    return {
      ask: (client) => client.messages.update({ id: idOf(message), content_markdown }),
      apply(_, now) {
        const found = findEditable(who, message, m.seesMessage)
        const mentioned = mention === found.mention ? [] : named(model, who, mention)
        Object.assign(found, { text, mention, updatedAt: now })
        happen(model, { subject: found.thread, item: found, actor: who, at: now, named: mentioned })
      },
    }
  },
  'messages.delete'(model, who, random) {
    const message = pickMostly(
      model.messages,
      random,
      (each) => m.seesMessage(who, each) && m.mayEdit(who, each.author),
    )
    return {
      ask: (client) => client.messages.delete({ id: idOf(message) }),
      apply() {
        const found = findEditable(who, message, m.seesMessage)
        found.isGone = true
        for (const answer of model.messages) if (answer.parent === found) answer.parent = undefined
      },
    }
  },

  'members.update'(model, who, random) {
    const person = random.pick(model.people)
    const change = random.pick([{ role: random.pick(roles) }, { is_deactivated: random.below(3) === 0 }])
    return {
      ask: (client) => client.members.update({ id: person.id, ...change }),
      apply() {
        m.admit(who, 'admin')
        if (person.role === 'app') m.refuse('not_found')
        const after = { role: change.role ?? person.role, isDeactivated: change.is_deactivated ?? person.isDeactivated }
        const isAdmin = (each: Omit<m.Person, 'id'>) => each.role === 'admin' && !each.isDeactivated
        const others = model.people.filter((each) => each !== person && isAdmin(each))
        if (isAdmin(person) && !isAdmin(after) && others.length === 0) m.refuse('last_admin')
        Object.assign(person, after)
      },
    }
  },

  ...leaveOut('what it changes is no part of the model', [
    ...(['apps.create', 'apps.delete', 'apps.createToken', 'tokens.createMine', 'tokens.delete'] as const),
    ...(['emoji.set', 'emoji.delete', 'files.upload', 'files.delete', 'workspace.update'] as const),
    ...(['workspace.setIcon', 'workspace.deleteIcon', 'webhooks.create', 'webhooks.update'] as const),
    ...(['webhooks.delete', 'webhooks.rotateSecret', 'webhooks.ping', 'webhooks.replay'] as const),
    ...(['webhooks.redeliver', 'hooks.create', 'hooks.update', 'hooks.delete', 'hooks.setAvatar'] as const),
    ...(['hooks.deleteAvatar', 'hooks.rotateSecret', 'hooks.test'] as const),
    ...(['groups.create', 'groups.update', 'groups.delete'] as const),
    ...(['groups.addMember', 'groups.removeMember'] as const),
  ]),
  ...leaveOut('accounts are no part of the model', [
    ...(['me.update', 'me.updateProfile', 'me.setAvatar', 'me.deleteAvatar', 'me.updatePreferences'] as const),
    ...(['me.updateSetup'] as const),
    ...(['me.setPassword', 'me.deletePassword', 'me.changeEmail', 'me.cancelEmailChange'] as const),
    ...(['me.updateNotificationSettings', 'me.setPushSubscription', 'me.deletePushSubscription'] as const),
    ...(['sessions.delete', 'sessions.deleteAll', 'signInLinks.delete', 'members.createSignInLink'] as const),
    ...(['members.sendInvitation', 'inviteLinks.create', 'inviteLinks.update', 'inviteLinks.delete'] as const),
  ]),
  ...leaveOut('its people are the cast', ['members.create', 'invitations.create']),
  ...leaveOut('its texts have no checklists', ['posts.check', 'comments.check']),
  ...leaveOut('test/drafts.test.ts has that', ['drafts.deleteOther']),
  ...leaveOut('test/sidebar.test.ts has that', ['sidebar.set', 'sidebar.reset']),
  ...leaveOut('it changes nothing', ['markdown.render']),
}

function leaveOut<O extends WriteName>(why: string, names: readonly O[]): Record<O, string> {
  return Object.fromEntries(names.map((name) => [name, why])) as Record<O, string>
}

/** The writes that the model has a plan of. */
export const planNames = (Object.keys(plans) as WriteName[]).filter((name) => typeof plans[name] === 'function')

const isVisibleComment = (who: m.Person, comment: m.Comment) => !comment.isEmptied && m.seesComment(who, comment)

/** The record, if the caller has the permission and can see it. */
function findVisible<T>(
  who: m.Person,
  needed: 'read' | 'write' | 'admin',
  thing: T | undefined,
  sees: (who: m.Person, thing: T) => boolean,
): T {
  m.admit(who, needed)
  return thing !== undefined && sees(who, thing) ? thing : m.refuse('not_found')
}

/** Admins manage channels; members only those they created, while they are in them. */
function admitManager(who: m.Person, { creator, inside }: m.Channel) {
  if (who.role === 'admin' || (who.role === 'member' && creator === who && inside.has(who))) return
  m.refuse('forbidden')
}

function findEditable<T extends { author: m.Person }>(
  who: m.Person,
  thing: T | undefined,
  sees: (who: m.Person, thing: T) => boolean,
): T {
  const found = findVisible(who, 'write', thing, sees)
  return m.mayEdit(who, found.author) ? found : m.refuse('forbidden')
}

const hasOthers = (inside: ReadonlySet<m.Person>, person: m.Person) =>
  [...inside].some((each) => each !== person && !each.isDeactivated)

const pickGroup = ({ threads }: m.Model, who: m.Person, random: Random) =>
  pickMostly(threads, random, (each) => m.seesThread(who, each) && !each.isDirect)

function findGroup(who: m.Person, needed: 'read' | 'write', thread: m.Thread | undefined): m.Thread {
  const found = findVisible(who, needed, thread, m.seesThread)
  return found.isDirect ? m.refuse('direct_thread') : found
}

function addThread(
  model: m.Model,
  who: m.Person,
  own: Pick<m.Thread, 'id' | 'inside' | 'isDirect'>,
  now: number,
): m.Thread {
  const thread = { ...own, author: who, createdAt: now, activeAt: now, revision: 0 }
  model.threads.push(thread)
  thread.revision = happen(model, { subject: thread, actor: who, at: now, followers: 'thread', named: [] })
  noteOwn(model, who, thread)
  return thread
}

function addMessage(
  model: m.Model,
  own: Pick<m.Message, 'id' | 'thread' | 'parent' | 'author' | 'text' | 'mention'>,
  now: number,
) {
  const { thread, parent, author, mention } = own
  if (parent && (parent.thread !== thread || parent.isGone)) m.refuse('invalid_input')
  const message: m.Message = { ...own, createdAt: now, updatedAt: now, revision: 0, isGone: false }
  model.messages.push(message)
  thread.activeAt = now
  const news = { subject: thread, item: message, actor: author, at: now, named: named(model, author, mention) }
  message.revision = happen(model, { ...news, followers: 'message' })
  noteOwn(model, author, thread)
}

const pickMention = ({ people }: m.Model, random: Random) => (random.below(3) === 0 ? random.pick(people) : undefined)

const toMarkdown = (text: string, mention: m.Person | undefined) => (mention ? `${text} <@${mention.id}>` : text)

/** Whom a text names: who cannot be seen by its author is not mentioned. */
const named = (model: m.Model, author: m.Person, mention: m.Person | undefined) =>
  mention && m.seesPerson(model, author, mention) ? [mention] : []

/** A write by name, with random input. */
export function planWrite(name: WriteName, model: m.Model, who: m.Person, seed: number): RandomWrite {
  const plan = plans[name]
  if (typeof plan === 'string') throw new Error(`The model has no plan of ${name}: ${plan}.`)
  return plan(model, who, newRandom(seed), textOf(seed))
}
