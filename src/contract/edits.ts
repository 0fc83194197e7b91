import Type, { type Static } from 'typebox'
import { operation } from './operation'
import { Id, Nullable, RecordIds, Shape, Timestamp } from './shapes'

export const Edit = Shape('Edit', {
  id: Id,
  edited_at: Nullable(Timestamp, 'When its title or text last changed; null if never.'),
  answer_deleted_at: Nullable(
    Timestamp,
    'When the comment that a post is resolved with was deleted; null if it was not, and for comments.',
  ),
  via: Nullable(Type.String(), 'The program, such as an agent, that wrote it for its author; null if none did.'),
  resolved_via: Nullable(Type.String(), 'The program that resolved the post for whoever resolved it.'),
})
export type Edit = Static<typeof Edit>

export const edits = {
  list: operation({
    method: 'GET',
    path: '/v2/edits',
    depends: 'caller',
    summary: 'Get when posts and comments were edited, and what wrote them.',
    description:
      'Lists only the given records that you may see and that were edited, or written by a program, in any order. For messages, `updated_at` says when they were edited.',
    access: 'read',
    query: Type.Object({ ids: RecordIds }),
    output: Type.Object({ data: Type.Array(Edit) }, { additionalProperties: false }),
    errors: [],
  }),
}
