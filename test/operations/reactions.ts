import { expect } from 'bun:test'
import type { ReactionChange, ReactionSubject } from '../../src/contract/reactions'
import type { Draw } from '../random-writes'
import { type Cast, comment, memberAuthor, message, picture, post, someRecords } from './cast'
import type { Entries } from './entry'
import { read, readList, write } from './rules'

const EMOJI = ['👍', '🎉', '❤️'] as const
const [emoji] = EMOJI

const onPost = async (cast: Cast) => ({ subject_id: (await post(cast)).id, emoji })
const onComment = async (cast: Cast) => ({ subject_id: (await comment(cast)).id, emoji })
const onMessage = async (cast: Cast) => ({ subject_id: (await message(cast)).id, emoji })

type Create = (cast: Cast) => Promise<{ subject_id: string; emoji: string }>

/** The same with a reaction of the author. */
const reacted =
  (create: Create): Create =>
  async (cast) => {
    const input = await create(cast)
    await cast.author.reactions.add(input)
    return input
  }

interface Reacted {
  cast: Cast
  input: { subject_id: string; emoji: string }
}

/** The data of the events. */
const change =
  (subject_type: ReactionSubject, count: number) =>
  async ({ cast, input }: Reacted): Promise<ReactionChange> => ({
    subject_type,
    subject_id: input.subject_id,
    emoji: input.emoji,
    emoji_url: (await cast.author.emoji.list()).data.find(({ name }) => name === input.emoji)?.url ?? null,
    author: await memberAuthor(cast, cast.author.id),
    count,
  })

/** Any record that can have reactions. */
const random = ({ one, posts, comments, messages, pick }: Draw) => ({
  subject_id: one(pick([posts, comments, messages])),
  emoji: pick(EMOJI),
})

const adding = (create: Create, where: 'channel' | 'thread', subject: ReactionSubject) => ({
  input: create,
  rule: write(where),
  events: { 'reaction.added': change(subject, 1) },
  again: 'no event' as const,
})

const removing = (create: Create, where: 'channel' | 'thread', subject: ReactionSubject) => ({
  input: reacted(create),
  rule: write(where),
  events: { 'reaction.removed': change(subject, 0) },
  again: 'no event' as const,
})

export const reactions: Entries<'reactions'> = {
  'reactions.list': {
    async input(cast) {
      const { subject_id } = await reacted(onPost)(cast)
      return { ids: [subject_id], shows: subject_id }
    },
    rule: readList('channel'),
    check: ({ data: [record] }) => expect(record!.reactions[0]).toMatchObject({ emoji, count: 1 }),
    also: {
      'of messages': {
        async input(cast) {
          const { subject_id } = await reacted(onMessage)(cast)
          return { ids: [subject_id], shows: subject_id }
        },
        rule: readList('thread'),
      },
    },
  },
  'reactions.listOfSubject': {
    input: reacted(onPost),
    rule: read('channel'),
    check: someRecords,
    also: {
      'of a comment': { input: reacted(onComment), rule: read('channel'), check: someRecords },
      'of a message': { input: reacted(onMessage), rule: read('thread'), check: someRecords },
    },
  },
  'reactions.add': {
    ...adding(onPost, 'channel', 'post'),
    also: {
      'to a comment': adding(onComment, 'channel', 'comment'),
      'to a message': adding(onMessage, 'thread', 'message'),
      'a custom emoji': adding(
        async (cast) => {
          await cast.admin.emoji.set({ name: 'shipit', file: picture })
          return { ...(await onPost(cast)), emoji: 'shipit' }
        },
        'channel',
        'post',
      ),
    },
    random,
  },
  'reactions.remove': {
    ...removing(onPost, 'channel', 'post'),
    also: {
      'from a comment': removing(onComment, 'channel', 'comment'),
      'from a message': removing(onMessage, 'thread', 'message'),
    },
    random,
  },
}
