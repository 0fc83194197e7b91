import Type, { type Static } from 'typebox'
import { Author } from './authors'
import { operation } from './operation'
import { Body, Id, listQuery, Page, Shape, Timestamp } from './page'

export const Thread = Shape('Thread', {
  id: Id,
  title: Type.String({ description: 'As given, or else the names of those who take part.' }),
  url: Type.String({ description: 'Its page in the web app.' }),
  is_direct: Type.Boolean({ description: 'Between two, made by the first direct message.' }),
  created_at: Timestamp,
  last_activity_at: Timestamp,
  messages_count: Type.Integer({ minimum: 0 }),
  author: Author,
  members: Type.Array(Author, { description: 'Members and apps who take part.' }),
})
export type Thread = Static<typeof Thread>

export const threads = {
  list: operation({
    method: 'GET',
    path: '/v2/threads',
    summary: 'List the threads you take part in.',
    access: 'read',
    query: listQuery(['last_activity_at'], 'desc', {}),
    output: Page(Thread),
    errors: ['invalid_cursor'],
  }),
  get: operation({
    method: 'GET',
    path: '/v2/threads/:id',
    summary: 'Get a thread.',
    access: 'read',
    params: Type.Object({ id: Id }),
    output: Thread,
    errors: ['not_found'],
  }),
  create: operation({
    method: 'POST',
    path: '/v2/threads',
    summary: 'Start a thread. You take part in it.',
    access: 'write',
    body: Body({
      title: Type.Optional(Type.String({ maxLength: 200 })),
      member_ids: Type.Array(Id, { maxItems: 100, description: 'Members and apps.' }),
    }),
    output: Thread,
    status: 201,
    errors: [],
  }),
}
