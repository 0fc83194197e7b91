import Type, { type Static } from 'typebox'
import { operation } from './operation'
import { Author, Choice, Id, Shape } from './shapes'

/** How far people are counted. */
export const MAX_AUDIENCE_COUNTED = 1_000
/** As many as a text can mention. */
export const MAX_MENTIONED = 50
/** How many people without access are named. */
export const MAX_WITHOUT_ACCESS = 20

const capped = (description: string) =>
  Type.Integer({
    minimum: 0,
    maximum: MAX_AUDIENCE_COUNTED,
    description: `${description} ${MAX_AUDIENCE_COUNTED.toLocaleString('en')} stands for that many or more.`,
  })

export const MentionedAudience = Shape('MentionedAudience', {
  id: Type.String({ description: 'As you sent it.' }),
  type: Choice(['member', 'app', 'group', 'channel', 'here'], {
    description: 'What is mentioned. `channel` is everyone in the channel, `here` is everyone there who is online.',
  }),
  name: Type.String({ description: 'What is shown after `@`.' }),
  is_allowed: Type.Boolean({
    description: 'Whether you may mention it here. If not, a text with it is refused, or shown as it was written.',
  }),
  reaches: capped(
    'How many people, or apps, can see the text, without you. It notifies them, unless they muted the place: nobody else is told who did.',
  ),
  without_access: Type.Array(Author, {
    maxItems: MAX_WITHOUT_ACCESS,
    description: `Those who cannot see the text, so that it does not notify them: the first ${MAX_WITHOUT_ACCESS}.`,
  }),
  without_access_count: capped('How many these are.'),
  can_add: Type.Boolean({
    description: 'Whether you may give them access: add them to the channel or thread.',
  }),
})
export type MentionedAudience = Static<typeof MentionedAudience>

export const Audience = Shape('Audience', {
  members_count: Type.Integer({
    minimum: 0,
    description: 'How many members and apps are in the channel, or take part in the thread.',
  }),
  is_public: Type.Boolean({ description: 'Whether everyone in the workspace but guests can read it, too.' }),
  followers_count: capped('How many others follow it or its channel, or take part in the thread.'),
  mentioned: Type.Array(MentionedAudience, { description: 'What you asked about, in the same order.' }),
})
export type Audience = Static<typeof Audience>

export const audience = {
  get: operation({
    method: 'GET',
    path: '/v2/audience',
    depends: 'nothing',
    summary: 'See who gets a text before you send it.',
    description:
      'For a post in a channel, a comment on a post or a message in a thread: who can read it, who follows it, and who of those it mentions cannot see it. Nothing in it depends on who has muted what.',
    access: 'read',
    query: Type.Object({
      subject_id: Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'The channel to post in, the post to comment on, or the thread to write in.',
      }),
      ids: Type.Optional(
        Type.Array(Id, {
          maxItems: MAX_MENTIONED,
          description:
            'What the text mentions: ids of members, apps and groups, `channel` and `here`, separated by commas, or repeated. What you cannot see is left out of the response.',
        }),
      ),
    }),
    output: Audience,
    errors: ['not_found'],
  }),
}
