import type { OperationName } from '../src/contract'
import { followLevels } from '../src/contract/follows'
import { roles } from '../src/contract/members'
import type { Person, World } from './world'

/** Ids of records by type, including deleted ones. */
export interface RecordIds {
  channels: string[]
  posts: string[]
  comments: string[]
  threads: string[]
  messages: string[]
  members: string[]
  apps: string[]
  tokens: string[]
  /** Uploaded by the members of the cast; empty where a test has none. */
  files?: string[]
}

/** A seeded random number generator. */
export interface Random {
  below(limit: number): number
  pick<T>(list: readonly T[]): T
}

export function newRandom(seed: number): Random {
  let state = seed >>> 0
  const below = (limit: number) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
  return { below, pick: (list) => list[below(list.length)]! }
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

/** A random id, or one that does not exist. */
const one = (ids: readonly string[], random: Random) =>
  ids.length > 0 ? random.pick(ids) : 'none_00000000000000000000000000'

async function remember(ids: string[], made: Promise<{ id: string }>) {
  const { id } = await made
  ids.push(id)
}

/** What can be read and followed. */
const subjectsOf = ({ posts, threads, channels }: RecordIds) => [...posts, ...threads, ...channels]

const EMOJI = ['👍', '🎉', '❤️']

type RandomWrite = (who: Person, records: RecordIds, random: Random) => Promise<unknown>
const name = (random: Random) =>
  `${random.pick(['Øre', 'Ada', 'Zoë "Z"', 'Éclair', '100%', 'a_b'])} ${random.below(1e9)}`

/** A text that may have a checklist and references to files. */
const text = ({ files = [] }: RecordIds, random: Random) =>
  [
    name(random),
    ...(random.below(4) === 0 ? ['- [ ] one\n- [x] two'] : []),
    ...files.filter(() => random.below(4) === 0).map((id) => `![a](${id})`),
  ].join('\n\n')

/** A box of such a checklist, or one that is not there. */
const checkbox = (random: Random) => ({ item: random.below(3), is_checked: random.below(2) === 0 })

/** Each write operation, on random records. */
export const randomWrites: Partial<Record<OperationName, RandomWrite>> = {
  'posts.create': (who, records, random) =>
    remember(
      records.posts,
      who.posts.create({ channel_id: one(records.channels, random), content_markdown: text(records, random) }),
    ),
  'posts.update': (who, records, random) =>
    who.posts.update({
      id: one(records.posts, random),
      ...(random.below(2) ? { title: name(random) } : { content_markdown: text(records, random) }),
    }),
  'posts.delete': (who, { posts }, random) => who.posts.delete({ id: one(posts, random) }),
  'posts.resolve': (who, records, random) =>
    who.posts.resolve({
      post_id: one(records.posts, random),
      comment_id: random.below(2) ? one(records.comments, random) : '',
      content_markdown: random.below(2) ? text(records, random) : '',
    }),
  'posts.check': (who, { posts }, random) => who.posts.check({ post_id: one(posts, random), ...checkbox(random) }),
  'posts.unresolve': (who, { posts }, random) => who.posts.unresolve({ post_id: one(posts, random) }),

  'files.upload': async (who, { files }, random) => {
    if (files) await remember(files, who.files.upload({ file: new Blob([name(random)]), name: 'a.txt' }))
  },
  'files.delete': async (who, { files }, random) => {
    if (files && random.below(3) === 0) await who.files.delete({ id: one(files, random) })
  },

  'comments.create': (who, records, random) => {
    const parent_id = random.below(2) ? one(records.comments, random) : ''
    const comment = { post_id: one(records.posts, random), content_markdown: text(records, random), parent_id }
    return remember(records.comments, who.comments.create(comment))
  },
  'comments.update': (who, records, random) =>
    who.comments.update({ id: one(records.comments, random), content_markdown: text(records, random) }),
  'comments.check': (who, { comments }, random) =>
    who.comments.check({ comment_id: one(comments, random), ...checkbox(random) }),
  'comments.delete': (who, { comments }, random) => who.comments.delete({ id: one(comments, random) }),

  'channels.create': (who, { channels }, random) =>
    remember(channels, who.channels.create({ name: name(random), private: random.below(2) === 1 })),
  'channels.update': (who, { channels }, random) =>
    who.channels.update({
      id: one(channels, random),
      ...random.pick([
        { private: true },
        { private: false },
        { archived: false },
        { archived: true },
        { name: name(random) },
      ]),
    }),
  'channels.delete': (who, { channels }, random) => who.channels.delete({ id: one(channels, random) }),
  'channels.join': (who, { channels }, random) => who.channels.join({ channel_id: one(channels, random) }),
  'channels.leave': (who, { channels }, random) => who.channels.leave({ channel_id: one(channels, random) }),
  'channels.addMember': (who, { channels, members, apps }, random) =>
    who.channels.addMember({ channel_id: one(channels, random), member_id: one([...members, ...apps], random) }),
  'channels.removeMember': (who, { channels, members, apps }, random) =>
    who.channels.removeMember({ channel_id: one(channels, random), member_id: one([...members, ...apps], random) }),

  'threads.create': (who, { threads, members, apps }, random) =>
    remember(threads, who.threads.create({ member_ids: [one(members, random), one([...members, ...apps], random)] })),
  'threads.addMember': (who, { threads, members, apps }, random) =>
    who.threads.addMember({ thread_id: one(threads, random), member_id: one([...members, ...apps], random) }),
  'threads.removeMember': (who, { threads, members, apps }, random) =>
    who.threads.removeMember({ thread_id: one(threads, random), member_id: one([...members, ...apps], random) }),
  'threads.leave': (who, { threads }, random) => who.threads.leave({ thread_id: one(threads, random) }),
  'messages.create': (who, records, random) => {
    const parent_id = random.below(2) ? one(records.messages, random) : ''
    const message = { thread_id: one(records.threads, random), content_markdown: text(records, random), parent_id }
    return remember(records.messages, who.messages.create(message))
  },
  'messages.createDirect': async (who, records, random) => {
    const message = { member_id: one(records.members, random), content_markdown: name(random) }
    const { id, thread_id } = await who.messages.createDirect(message)
    records.messages.push(id)
    records.threads.push(thread_id)
  },
  'messages.update': (who, records, random) =>
    who.messages.update({ id: one(records.messages, random), content_markdown: text(records, random) }),
  'messages.delete': (who, { messages }, random) => who.messages.delete({ id: one(messages, random) }),

  'reactions.addToPost': (who, { posts }, random) =>
    who.reactions.addToPost({ post_id: one(posts, random), emoji: random.pick(EMOJI) }),
  'reactions.removeFromPost': (who, { posts }, random) =>
    who.reactions.removeFromPost({ post_id: one(posts, random), emoji: random.pick(EMOJI) }),
  'reactions.addToComment': (who, { comments }, random) =>
    who.reactions.addToComment({ comment_id: one(comments, random), emoji: random.pick(EMOJI) }),
  'reactions.removeFromComment': (who, { comments }, random) =>
    who.reactions.removeFromComment({ comment_id: one(comments, random), emoji: random.pick(EMOJI) }),
  'reactions.addToMessage': (who, { messages }, random) =>
    who.reactions.addToMessage({ message_id: one(messages, random), emoji: random.pick(EMOJI) }),
  'reactions.removeFromMessage': (who, { messages }, random) =>
    who.reactions.removeFromMessage({ message_id: one(messages, random), emoji: random.pick(EMOJI) }),

  'reads.set': (who, records, random) => who.reads.set({ subject_id: one(subjectsOf(records), random) }),
  'reads.unset': (who, records, random) => who.reads.unset({ subject_id: one(subjectsOf(records), random) }),
  'reads.setAll': (who) => who.reads.setAll(),
  'follows.set': (who, records, random) =>
    who.follows.set({ subject_id: one(subjectsOf(records), random), level: random.pick(followLevels) }),
  'follows.reset': (who, records, random) => who.follows.reset({ subject_id: one(subjectsOf(records), random) }),
  'pins.set': (who, { posts }, random) => who.pins.set({ post_id: one(posts, random) }),
  'pins.unset': (who, { posts }, random) => who.pins.unset({ post_id: one(posts, random) }),
  'saved.set': (who, { posts }, random) => who.saved.set({ post_id: one(posts, random) }),
  'saved.unset': (who, { posts }, random) => who.saved.unset({ post_id: one(posts, random) }),
  'drafts.save': (who, records, random) =>
    who.drafts.save({ subject_id: one(subjectsOf(records), random), content_markdown: text(records, random) }),
  'drafts.delete': (who, records, random) => who.drafts.delete({ subject_id: one(subjectsOf(records), random) }),
  'inbox.update': async (who, _, random) => {
    const { data } = await who.inbox.list({ archived: random.below(3) === 0 })
    const id = one(
      data.map((entry) => entry.id),
      random,
    )
    return who.inbox.update({
      id,
      ...random.pick([{ read: true }, { read: false }, { archived: random.below(2) === 0 }]),
    })
  },
  'inbox.readAll': (who) => who.inbox.readAll(),

  'members.create': (who, { members }, random) => {
    const email = `${crypto.randomUUID()}@example.com`
    return remember(members, who.members.create({ email, display_name: name(random), role: random.pick(roles) }))
  },
  'members.update': (who, { members }, random) => {
    const changes = [
      { role: random.pick(roles) },
      { is_deactivated: random.below(3) === 0 },
      { display_name: name(random) },
    ]
    return who.members.update({ id: one(members, random), ...random.pick(changes) })
  },
  'apps.create': (who, { apps }, random) => remember(apps, who.apps.create({ name: name(random) })),
  'apps.delete': (who, { apps }, random) => who.apps.delete({ id: one(apps, random) }),
  'apps.createToken': (who, { apps, tokens }, random) =>
    remember(tokens, who.apps.createToken({ id: one(apps, random), scopes: ['read'] })),
  'tokens.createMine': (who, { tokens }) => remember(tokens, who.tokens.createMine({ scopes: ['read'] })),
  'tokens.delete': (who, { tokens }, random) => who.tokens.delete({ id: one(tokens, random) }),
}

export const randomWriteNames = Object.keys(randomWrites) as OperationName[]
