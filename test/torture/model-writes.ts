import { roles } from '../../src/contract/members'
import { newRandom, type Random } from '../random-writes'
import type { Person as Client } from '../world'
import * as m from './model'
import { textOf } from './model-search'

/** A write, for the server and for the model. */
export interface RandomWrite {
  /** Sends it to the server. */
  ask(client: Client): Promise<unknown>
  /** Changes the model, or throws a refusal. `answer` is the server's, for its ids. */
  apply(answer: { id: string; thread_id?: string }, now: number): void
}

type Plan = (model: m.Model, who: m.Person, random: Random, text: string) => RandomWrite

const NOTHING = 'none_00000000000000000000000000'
const idOf = (thing: { id: string } | undefined) => thing?.id ?? NOTHING

/** A random element, in most cases a valid one. */
function pickMostly<T>(list: readonly T[], random: Random, isValid: (thing: T) => boolean): T | undefined {
  const good = random.below(6) > 0 ? list.filter(isValid) : []
  const from = good.length > 0 ? good : list
  return from.length > 0 ? random.pick(from) : undefined
}

/** The same, or undefined. */
const pickOrNone = <T>(list: readonly T[], random: Random, isValid: (thing: T) => boolean): T | undefined =>
  random.below(2) ? pickMostly(list, random, isValid) : undefined

export const plans: Record<string, Plan> = {
  'posts.create'(model, who, random, text) {
    const channel = pickMostly(model.channels, random, (each) => m.seesChannel(who, each))!
    return {
      ask: (client) => client.posts.create({ channel_id: channel.id, content_markdown: text }),
      apply({ id }, now) {
        m.admit(who, 'write')
        if (!m.seesChannel(who, channel)) m.refuse('invalid_input')
        model.posts.push({ id, channel, author: who, title: text, text, createdAt: now, activeAt: now, isGone: false })
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
      },
    }
  },

  'comments.create'(model, who, random, text) {
    const post = pickMostly(model.posts, random, (each) => m.seesPost(who, each))
    const parent = pickOrNone(model.comments, random, (each) => each.post === post && !each.parent && !each.isGone)
    return {
      ask: (client) =>
        client.comments.create({ post_id: idOf(post), content_markdown: text, parent_id: parent?.id ?? '' }),
      apply({ id }, now) {
        const found = findVisible(who, 'write', post, m.seesPost)
        if (parent && (parent.post !== found || parent.isGone || parent.isEmptied || parent.parent))
          m.refuse('invalid_input')
        model.comments.push({
          id,
          post: found,
          parent,
          author: who,
          text,
          createdAt: now,
          isEmptied: false,
          isGone: false,
        })
        found.activeAt = now
      },
    }
  },
  'comments.update'(model, who, random, text) {
    const comment = pickMostly(
      model.comments,
      random,
      (each) => isVisibleComment(who, each) && m.mayEdit(who, each.author),
    )
    return {
      ask: (client) => client.comments.update({ id: idOf(comment), content_markdown: text }),
      apply() {
        findEditable(who, comment, isVisibleComment).text = text
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
        m.admit(who, 'admin')
        model.channels.push({ id, name: text, isPrivate, isArchived: false, createdAt: now, inside: new Set([who]) })
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
        m.admit(who, 'admin')
        if (!m.couldSee(who, channel)) m.refuse('not_found')
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
  'channels.addMember'(model, who, random) {
    const channel = pickMostly(model.channels, random, (each) => m.seesChannel(who, each))!
    const person = random.pick(model.people)
    return {
      ask: (client) => client.channels.addMember({ channel_id: channel.id, member_id: person.id }),
      apply() {
        findVisible(who, 'admin', channel, m.seesChannel).inside.add(person)
      },
    }
  },
  'channels.removeMember'(model, who, random) {
    const channel = pickMostly(model.channels, random, (each) => m.seesChannel(who, each))!
    const person = pickMostly(model.people, random, (each) => channel.inside.has(each))!
    return {
      ask: (client) => client.channels.removeMember({ channel_id: channel.id, member_id: person.id }),
      apply() {
        const { inside, isPrivate } = findVisible(who, 'admin', channel, m.seesChannel)
        if (!inside.has(person)) m.refuse('not_found')
        if (isPrivate && inside.size === 1) m.refuse('last_member')
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
        model.threads.push({ id, inside: new Set([who, ...others]), isDirect: false, createdAt: now, activeAt: now })
      },
    }
  },
  'messages.create'(model, who, random, text) {
    const thread = pickMostly(model.threads, random, (each) => m.seesThread(who, each))
    const parent = pickOrNone(model.messages, random, (each) => each.thread === thread && !each.isGone)
    return {
      ask: (client) =>
        client.messages.create({ thread_id: idOf(thread), content_markdown: text, parent_id: parent?.id ?? '' }),
      apply({ id }, now) {
        addMessage(model, who, findVisible(who, 'write', thread, m.seesThread), parent, id, text, now)
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
        const thread = known ?? { id: thread_id!, inside, isDirect: true, createdAt: now, activeAt: now }
        if (!known) model.threads.push(thread)
        addMessage(model, who, thread, undefined, id, text, now)
      },
    }
  },
  'messages.update'(model, who, random, text) {
    const message = pickMostly(
      model.messages,
      random,
      (each) => m.seesMessage(who, each) && m.mayEdit(who, each.author),
    )
    return {
      ask: (client) => client.messages.update({ id: idOf(message), content_markdown: text }),
      apply(_, now) {
        Object.assign(findEditable(who, message, m.seesMessage), { text, updatedAt: now })
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
}

const isVisibleComment = (who: m.Person, comment: m.Comment) => !comment.isEmptied && m.seesComment(who, comment)

/** The record, if the caller has the permission and can see it. */
function findVisible<T>(
  who: m.Person,
  needed: 'write' | 'admin',
  thing: T | undefined,
  sees: (who: m.Person, thing: T) => boolean,
): T {
  m.admit(who, needed)
  return thing !== undefined && sees(who, thing) ? thing : m.refuse('not_found')
}

function findEditable<T extends { author: m.Person }>(
  who: m.Person,
  thing: T | undefined,
  sees: (who: m.Person, thing: T) => boolean,
): T {
  const found = findVisible(who, 'write', thing, sees)
  return m.mayEdit(who, found.author) ? found : m.refuse('forbidden')
}

function addMessage(
  model: m.Model,
  who: m.Person,
  thread: m.Thread,
  parent: m.Message | undefined,
  id: string,
  text: string,
  now: number,
) {
  if (parent && (parent.thread !== thread || parent.isGone)) m.refuse('invalid_input')
  model.messages.push({ id, thread, parent, author: who, text, createdAt: now, updatedAt: now, isGone: false })
  thread.activeAt = now
}

/** A write by name, with random input. */
export const planWrite = (name: string, model: m.Model, who: m.Person, seed: number): RandomWrite =>
  plans[name]!(model, who, newRandom(seed), textOf(seed))
