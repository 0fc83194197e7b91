import type { OperationName } from '../src/contract'
import { roles } from '../src/contract/members'
import type { Person, World } from './world'

/** Ids of records, by kind. Deleted ones stay, so that they are tried too. */
export interface RecordIds {
  channels: string[]
  posts: string[]
  comments: string[]
  threads: string[]
  messages: string[]
  members: string[]
  apps: string[]
  tokens: string[]
}

/** A seeded random number generator. */
export interface Dice {
  below(limit: number): number
  of<T>(list: readonly T[]): T
}

export function diceFrom(seed: number): Dice {
  let state = seed >>> 0
  const below = (limit: number) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
  return { below, of: (list) => list[below(list.length)]! }
}

export const recordIdsOf = ({ general, ada, bob, bot }: World): RecordIds => ({
  channels: [general.id],
  posts: [],
  comments: [],
  threads: [],
  messages: [],
  members: [ada.id, bob.id],
  apps: [bot.id],
  tokens: [],
})

/** A random id of this kind, or one that does not exist. */
const one = (ids: readonly string[], dice: Dice) => (ids.length > 0 ? dice.of(ids) : 'none_00000000000000000000000000')

async function remember(ids: string[], made: Promise<{ id: string }>) {
  const { id } = await made
  ids.push(id)
}

type RandomWrite = (who: Person, things: RecordIds, dice: Dice) => Promise<unknown>
const name = (dice: Dice) => `${dice.of(['Øre', 'Ada', 'Zoë "Z"', 'Éclair', '100%', 'a_b'])} ${dice.below(1e9)}`

/** Each write operation, on random records. */
export const randomWrites: Partial<Record<OperationName, RandomWrite>> = {
  'posts.create': (who, things, dice) =>
    remember(things.posts, who.posts.create({ channel_id: one(things.channels, dice), content_markdown: name(dice) })),
  'posts.update': (who, { posts }, dice) => who.posts.update({ id: one(posts, dice), title: name(dice) }),
  'posts.delete': (who, { posts }, dice) => who.posts.delete({ id: one(posts, dice) }),
  'posts.resolve': (who, { posts, comments }, dice) =>
    who.posts.resolve({ post_id: one(posts, dice), comment_id: dice.below(2) ? one(comments, dice) : '' }),
  'posts.unresolve': (who, { posts }, dice) => who.posts.unresolve({ post_id: one(posts, dice) }),

  'comments.create': (who, things, dice) => {
    const parent_id = dice.below(2) ? one(things.comments, dice) : ''
    const comment = { post_id: one(things.posts, dice), content_markdown: name(dice), parent_id }
    return remember(things.comments, who.comments.create(comment))
  },
  'comments.update': (who, { comments }, dice) =>
    who.comments.update({ id: one(comments, dice), content_markdown: name(dice) }),
  'comments.delete': (who, { comments }, dice) => who.comments.delete({ id: one(comments, dice) }),

  'channels.create': (who, { channels }, dice) =>
    remember(channels, who.channels.create({ name: name(dice), private: dice.below(2) === 1 })),
  'channels.update': (who, { channels }, dice) =>
    who.channels.update({
      id: one(channels, dice),
      ...dice.of([
        { private: true },
        { private: false },
        { archived: false },
        { archived: true },
        { name: name(dice) },
      ]),
    }),
  'channels.delete': (who, { channels }, dice) => who.channels.delete({ id: one(channels, dice) }),
  'channels.addMember': (who, { channels, members, apps }, dice) =>
    who.channels.addMember({ channel_id: one(channels, dice), member_id: one([...members, ...apps], dice) }),
  'channels.removeMember': (who, { channels, members, apps }, dice) =>
    who.channels.removeMember({ channel_id: one(channels, dice), member_id: one([...members, ...apps], dice) }),

  'threads.create': (who, { threads, members, apps }, dice) =>
    remember(threads, who.threads.create({ member_ids: [one(members, dice), one([...members, ...apps], dice)] })),
  'messages.create': (who, things, dice) => {
    const parent_id = dice.below(2) ? one(things.messages, dice) : ''
    const message = { thread_id: one(things.threads, dice), content_markdown: name(dice), parent_id }
    return remember(things.messages, who.messages.create(message))
  },
  'messages.createDirect': async (who, things, dice) => {
    const message = { member_id: one(things.members, dice), content_markdown: name(dice) }
    const { id, thread_id } = await who.messages.createDirect(message)
    things.messages.push(id)
    things.threads.push(thread_id)
  },
  'messages.update': (who, { messages }, dice) =>
    who.messages.update({ id: one(messages, dice), content_markdown: name(dice) }),
  'messages.delete': (who, { messages }, dice) => who.messages.delete({ id: one(messages, dice) }),

  'members.create': (who, { members }, dice) => {
    const email = `${crypto.randomUUID()}@example.com`
    return remember(members, who.members.create({ email, display_name: name(dice), role: dice.of(roles) }))
  },
  'members.update': (who, { members }, dice) => {
    const changes = [{ role: dice.of(roles) }, { is_deactivated: dice.below(3) === 0 }, { display_name: name(dice) }]
    return who.members.update({ id: one(members, dice), ...dice.of(changes) })
  },
  'apps.create': (who, { apps }, dice) => remember(apps, who.apps.create({ name: name(dice) })),
  'apps.delete': (who, { apps }, dice) => who.apps.delete({ id: one(apps, dice) }),
  'apps.createToken': (who, { apps, tokens }, dice) =>
    remember(tokens, who.apps.createToken({ id: one(apps, dice), scopes: ['read'] })),
  'tokens.createMine': (who, { tokens }) => remember(tokens, who.tokens.createMine({ scopes: ['read'] })),
  'tokens.delete': (who, { tokens }, dice) => who.tokens.delete({ id: one(tokens, dice) }),
}

export const randomWriteNames = Object.keys(randomWrites) as OperationName[]
