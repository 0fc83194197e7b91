import Type, { type Static } from 'typebox'
import { SubjectId } from './follows'
import { operation } from './operation'
import { Body, Id, Nullable, OptionalId, Shape } from './shapes'

/** A change of what you have read. */
export const ReadChange = Shape('ReadChange', {
  subject_id: Nullable(Id, 'The post, thread or channel; null for everything.'),
})
export type ReadChange = Static<typeof ReadChange>

export const reads = {
  set: operation({
    method: 'PUT',
    path: '/v2/reads/:subject_id',
    effect: 'personal',
    summary: 'Mark a post, a thread or a channel as read.',
    description:
      'Its inbox entry is marked as read, too. With `up_to_id`, later comments or messages stay unread, and so does what happened after the first of them; what happened before it, such as the resolution of the post, is read.',
    access: 'read',
    tokenScope: 'write',
    params: Type.Object({ subject_id: SubjectId }),
    body: Body({ up_to_id: OptionalId }),
    errors: ['not_found', 'forbidden'],
  }),
  unset: operation({
    method: 'DELETE',
    path: '/v2/reads/:subject_id',
    effect: 'personal',
    summary: 'Mark a post or a thread as unread.',
    description: 'With `from_id`, it is unread from that comment or message on; otherwise from its latest activity.',
    access: 'read',
    tokenScope: 'write',
    params: Type.Object({ subject_id: SubjectId }),
    query: Type.Object({
      from_id: Type.Optional(
        Type.String({ maxLength: 100, description: 'The first comment or message that is unread from now on.' }),
      ),
    }),
    errors: ['not_found', 'forbidden'],
  }),
  setAll: operation({
    method: 'PUT',
    path: '/v2/reads',
    effect: 'personal',
    summary: 'Mark everything as read: channels, threads and your inbox.',
    description: 'It applies to what there is at this moment; what comes later is unread again.',
    access: 'read',
    tokenScope: 'write',
    errors: ['forbidden'],
  }),
}
