import Type, { type Static } from 'typebox'
import { operation } from './operation'
import { Id, Nullable, Shape, Timestamp } from './page'

export const Edit = Shape('Edit', {
  id: Id,
  edited_at: Nullable(Timestamp, 'When its title or text last changed; null if never.'),
  answer_deleted_at: Nullable(
    Timestamp,
    'When the comment that a post is resolved with was deleted; null if it was not, and for comments.',
  ),
})
export type Edit = Static<typeof Edit>

/** How many records one request can ask about: a post and the comments of a long page. */
export const MAX_EDIT_IDS = 100

export const edits = {
  list: operation({
    method: 'GET',
    path: '/v2/edits',
    summary: 'When posts and comments were last edited.',
    description:
      'Of the given records, those you may see that have been edited or lost their answer, in any order. Messages say it themselves, by `updated_at`.',
    access: 'read',
    query: Type.Object({
      ids: Type.Array(Id, {
        minItems: 1,
        maxItems: MAX_EDIT_IDS,
        description: 'Ids of posts and comments, separated by commas, or repeated.',
      }),
    }),
    output: Type.Object({ data: Type.Array(Edit) }, { additionalProperties: false }),
    errors: [],
  }),
}
