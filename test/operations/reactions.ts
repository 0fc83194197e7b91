import { expect } from 'bun:test'
import type { ReactionChange, ReactionSubject } from '../../src/contract/reactions'
import { type Cast, comment, memberAuthor, message, picture, post, someRecords } from './cast'
import type { Entries } from './entry'
import { read, readList, write } from './rules'

const EMOJI = ['👍', '🎉', '❤️'] as const
const [emoji] = EMOJI

const onPost = async (cast: Cast) => ({ post_id: (await post(cast)).id, emoji })
const onComment = async (cast: Cast) => ({ comment_id: (await comment(cast)).id, emoji })
const onMessage = async (cast: Cast) => ({ message_id: (await message(cast)).id, emoji })

/** The same with a reaction of the author. */
const reactedWith =
  <I>(create: (cast: Cast) => Promise<I>, react: (cast: Cast, input: I) => Promise<unknown>) =>
  async (cast: Cast): Promise<I> => {
    const input = await create(cast)
    await react(cast, input)
    return input
  }
const onReactedPost = reactedWith(onPost, ({ author }, input) => author.reactions.addToPost(input))
const onReactedComment = reactedWith(onComment, ({ author }, input) => author.reactions.addToComment(input))
const onReactedMessage = reactedWith(onMessage, ({ author }, input) => author.reactions.addToMessage(input))

interface Reacted {
  cast: Cast
  input: { post_id?: string; comment_id?: string; message_id?: string; emoji: string }
}

/** The data of the events. */
const change =
  (subject_type: ReactionSubject, count: number) =>
  async ({ cast, input }: Reacted): Promise<ReactionChange> => ({
    subject_type,
    subject_id: (input.post_id ?? input.comment_id ?? input.message_id)!,
    emoji: input.emoji,
    emoji_url: (await cast.author.emoji.list()).data.find(({ name }) => name === input.emoji)?.url ?? null,
    author: await memberAuthor(cast, cast.author.id),
    count,
  })

export const reactions: Entries<'reactions'> = {
  'reactions.list': {
    async input(cast) {
      const { post_id } = await onReactedPost(cast)
      return { ids: [post_id], shows: post_id }
    },
    rule: readList('channel'),
    check: ({ data: [record] }) => expect(record!.reactions[0]).toMatchObject({ emoji, count: 1 }),
    also: {
      'of messages': {
        async input(cast) {
          const { message_id } = await onReactedMessage(cast)
          return { ids: [message_id], shows: message_id }
        },
        rule: readList('thread'),
      },
    },
  },
  'reactions.listOfPost': { input: onReactedPost, rule: read('channel'), check: someRecords },
  'reactions.listOfComment': { input: onReactedComment, rule: read('channel'), check: someRecords },
  'reactions.listOfMessage': { input: onReactedMessage, rule: read('thread'), check: someRecords },
  'reactions.addToPost': {
    input: onPost,
    rule: write('channel'),
    events: { 'reaction.added': change('post', 1) },
    again: 'no event',
    also: {
      'a custom emoji': {
        async input(cast) {
          await cast.admin.emoji.set({ name: 'shipit', file: picture })
          return { ...(await onPost(cast)), emoji: 'shipit' }
        },
        rule: write('channel'),
        events: { 'reaction.added': change('post', 1) },
        again: 'no event',
      },
    },
    random: ({ one, posts, pick }) => ({ post_id: one(posts), emoji: pick(EMOJI) }),
  },
  'reactions.addToComment': {
    input: onComment,
    rule: write('channel'),
    events: { 'reaction.added': change('comment', 1) },
    again: 'no event',
    random: ({ one, comments, pick }) => ({ comment_id: one(comments), emoji: pick(EMOJI) }),
  },
  'reactions.addToMessage': {
    input: onMessage,
    rule: write('thread'),
    events: { 'reaction.added': change('message', 1) },
    again: 'no event',
    random: ({ one, messages, pick }) => ({ message_id: one(messages), emoji: pick(EMOJI) }),
  },
  'reactions.removeFromPost': {
    input: onReactedPost,
    rule: write('channel'),
    events: { 'reaction.removed': change('post', 0) },
    again: 'no event',
    random: ({ one, posts, pick }) => ({ post_id: one(posts), emoji: pick(EMOJI) }),
  },
  'reactions.removeFromComment': {
    input: onReactedComment,
    rule: write('channel'),
    events: { 'reaction.removed': change('comment', 0) },
    again: 'no event',
    random: ({ one, comments, pick }) => ({ comment_id: one(comments), emoji: pick(EMOJI) }),
  },
  'reactions.removeFromMessage': {
    input: onReactedMessage,
    rule: write('thread'),
    events: { 'reaction.removed': change('message', 0) },
    again: 'no event',
    random: ({ one, messages, pick }) => ({ message_id: one(messages), emoji: pick(EMOJI) }),
  },
}
