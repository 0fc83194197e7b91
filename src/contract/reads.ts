import Type, { type Static } from 'typebox'
import { SubjectId } from './follows'
import { operation } from './operation'
import { Body, Id, Nullable, OptionalId, Shape } from './page'

/** What changed of what you have read. */
export const ReadChange = Shape('ReadChange', {
  subject_id: Nullable(Id, 'The post, thread or channel; null for everything.'),
})
export type ReadChange = Static<typeof ReadChange>

export const reads = {
  set: operation({
    method: 'PUT',
    path: '/v2/reads/:subject_id',
    summary: 'Mark a post, a thread or a channel as read.',
    description: 'Its entry in your inbox is read with it. Up to a comment or message: what came later stays unread.',
    access: 'read',
    tokenScope: 'write',
    params: Type.Object({ subject_id: SubjectId }),
    body: Body({ up_to_id: OptionalId }),
    errors: ['not_found', 'forbidden'],
  }),
  unset: operation({
    method: 'DELETE',
    path: '/v2/reads/:subject_id',
    summary: 'Mark a post or a thread as unread.',
    description: 'From a comment or message on, if you name one; else from its latest activity.',
    access: 'read',
    tokenScope: 'write',
    params: Type.Object({ subject_id: SubjectId }),
    query: Type.Object({ from_id: Type.Optional(Type.String({ maxLength: 100 })) }),
    errors: ['not_found', 'forbidden'],
  }),
  setAll: operation({
    method: 'PUT',
    path: '/v2/reads',
    summary: 'Mark everything as read: channels, threads and your inbox.',
    access: 'read',
    tokenScope: 'write',
    errors: ['forbidden'],
  }),
}
