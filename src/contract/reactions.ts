import Type, { type Static } from 'typebox'
import { MAX_REACTION_NAMES } from './browser/constants'
import { operation } from './operation'
import { Author, Body, Choice, listQuery, Nullable, Page, RecordIds, Shape, Timestamp } from './shapes'

/** How many different emoji a record can have. */
export const MAX_REACTION_EMOJI = 20

export const reactionSubjects = ['post', 'comment', 'message'] as const
export type ReactionSubject = (typeof reactionSubjects)[number]

const EmojiText = Type.String({ description: 'An emoji, as in `👍`, or the name of a custom emoji.' })
const PictureUrl = Nullable(
  Type.String(),
  'The URL of the picture of a custom emoji. It is null for all other emoji, and if the custom emoji was deleted.',
)

export const Reaction = Shape('Reaction', { emoji: EmojiText, author: Author, created_at: Timestamp })
export type Reaction = Static<typeof Reaction>

export const EmojiCount = Shape('EmojiCount', {
  emoji: EmojiText,
  count: Type.Integer({ minimum: 1, description: 'How many people reacted with it.' }),
  has_reacted: Type.Boolean({ description: 'Whether you reacted with it.' }),
  names: Type.Array(Type.String(), {
    description: `The names of the first ${MAX_REACTION_NAMES} people who reacted with it.`,
  }),
  url: PictureUrl,
})
export type EmojiCount = Static<typeof EmojiCount>

export const RecordReactions = Shape('RecordReactions', {
  subject_id: Type.String({ description: 'The id of the post, comment or message.' }),
  reactions: Type.Array(EmojiCount, {
    description: 'One entry for each emoji, in the order in which they were first used.',
  }),
})
export type RecordReactions = Static<typeof RecordReactions>

export const ReactionChange = Shape(
  'ReactionChange',
  {
    subject_type: Choice(reactionSubjects, { description: 'What was reacted to.' }),
    subject_id: Type.String({ description: 'The id of the post, comment or message.' }),
    emoji: EmojiText,
    emoji_url: PictureUrl,
    count: Type.Integer({
      minimum: 0,
      description: 'How many people have reacted with this emoji, including this change.',
    }),
    author: Author,
  },
  'A reaction that was added or removed.',
)
export type ReactionChange = Static<typeof ReactionChange>

const emoji = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'One emoji, as in `👍`, or the name of a custom emoji, as in `party-parrot`.',
})

const bySubject = Type.Object({
  subject_id: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'A post (`post_…`), a comment (`cmt_…`) or a message (`msg_…`).',
  }),
})

export const reactions = {
  list: operation({
    method: 'GET',
    path: '/v2/reactions',
    depends: 'caller',
    summary: 'Get the reactions to posts, comments and messages.',
    description:
      'Counts the reactions to up to 100 posts, comments and messages. Those without reactions, and those that you may not see, are left out. The order is not defined.',
    access: 'read',
    query: Type.Object({ ids: RecordIds }),
    output: Type.Object({ data: Type.Array(RecordReactions) }, { additionalProperties: false }),
    errors: [],
  }),
  listOfSubject: operation({
    method: 'GET',
    path: '/v2/reactions/:subject_id',
    depends: 'caller',
    summary: 'List who reacted to a post, comment or message.',
    description: 'Lists who reacted with which emoji, oldest first.',
    access: 'read',
    params: bySubject,
    query: listQuery(['created_at'], 'asc', {
      emoji: Type.Optional(Type.String({ maxLength: 100, description: 'Only reactions with this emoji.' })),
    }),
    output: Page(Reaction),
    errors: ['not_found', 'invalid_cursor'],
  }),
  add: operation({
    method: 'PUT',
    path: '/v2/reactions/:subject_id',
    effect: 'adds',
    summary: 'React to a post, comment or message.',
    description: `If you have already reacted with this emoji, nothing changes. A post, comment or message can have up to ${MAX_REACTION_EMOJI} different emoji.`,
    access: 'write',
    params: bySubject,
    body: Body({ emoji }),
    errors: ['not_found', 'too_many_reactions'],
  }),
  remove: operation({
    method: 'DELETE',
    path: '/v2/reactions/:subject_id',
    effect: 'adds',
    summary: 'Remove your reaction to a post, comment or message.',
    description: 'If you have not reacted with this emoji, nothing changes.',
    access: 'write',
    params: bySubject,
    query: Type.Object({ emoji }),
    errors: ['not_found'],
  }),
}
