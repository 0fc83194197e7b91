import Type, { type Static } from 'typebox'
import { operation } from './operation'
import { Author, AvatarUrls, Body, Id, listQuery, Nullable, Page, Shape, TextOrNull, Timestamp } from './shapes'

export const Thread = Shape('Thread', {
  id: Id,
  title: Type.String({ description: 'As it was given, or else the names of those who took part when it was started.' }),
  url: Type.String({ description: 'Its page in the web app.' }),
  is_direct: Type.Boolean({ description: 'Between two, made by the first direct message.' }),
  group: Type.Boolean({ description: 'The opposite of `is_direct`.' }),
  created_at: Timestamp,
  updated_at: Timestamp,
  last_activity_at: Timestamp,
  last_message_at: Nullable(Timestamp, 'When a message was last written; null if none ever was.'),
  messages_count: Type.Integer({ minimum: 0 }),
  avatar_urls: AvatarUrls,
  author: Author,
  creator: Author,
  members: Type.Array(Author, { description: 'Members and apps who take part.' }),
  members_count: Type.Integer({ minimum: 0 }),
})
export type Thread = Static<typeof Thread>

/** Members and apps of a thread, the one who started it included. Its record lists all of them. */
export const MAX_THREAD_MEMBERS = 101

export const threads = {
  list: operation({
    method: 'GET',
    path: '/v2/threads',
    depends: 'caller',
    summary: 'List the threads you take part in.',
    description:
      'Lists the latest activity first. Nobody sees a thread that they do not take part in, not even admins.',
    access: 'read',
    query: listQuery(['last_activity_at'], 'desc', {}),
    output: Page(Thread),
    errors: ['invalid_cursor'],
  }),
  get: operation({
    method: 'GET',
    path: '/v2/threads/:id',
    depends: 'caller',
    summary: 'Get a thread.',
    description: 'The record says who takes part.',
    access: 'read',
    params: Type.Object({ id: Id }),
    output: Thread,
    errors: ['not_found'],
  }),
  create: operation({
    method: 'POST',
    path: '/v2/threads',
    summary: 'Start a thread.',
    description:
      'You take part in it, and only those who take part see it. For a conversation with one member, send a direct message instead.',
    access: 'write',
    body: Body({
      title: Type.Optional(
        TextOrNull({ maxLength: 300, description: 'Left out, null or empty: the names of those who take part.' }),
      ),
      member_ids: Type.Array(Id, { maxItems: MAX_THREAD_MEMBERS - 1, description: 'Members and apps.' }),
    }),
    output: Thread,
    status: 201,
    errors: [],
  }),
  addMember: operation({
    method: 'PUT',
    path: '/v2/threads/:thread_id/members/:member_id',
    summary: 'Add a member or an app to a thread you take part in.',
    description:
      'They can read all of its messages, also earlier ones. If they take part already, nothing changes. Nobody can be added to a direct message: start a thread instead.',
    access: 'write',
    params: Type.Object({ thread_id: Id, member_id: Id }),
    errors: ['not_found', 'direct_thread', 'member_deactivated', 'too_many_members'],
  }),
  removeMember: operation({
    method: 'DELETE',
    path: '/v2/threads/:thread_id/members/:member_id',
    summary: 'Remove a member or an app from a thread you take part in.',
    description:
      'Only the person who started the thread and admins who take part in it can remove others. You can always remove yourself.',
    access: 'write',
    params: Type.Object({ thread_id: Id, member_id: Id }),
    errors: ['not_found', 'direct_thread', 'last_member'],
  }),
  leave: operation({
    method: 'DELETE',
    path: '/v2/threads/:thread_id/membership',
    summary: 'Leave a thread.',
    description: 'You can no longer read it, unless someone adds you again. The last one in it cannot leave.',
    access: 'read',
    tokenScope: 'write',
    params: Type.Object({ thread_id: Id }),
    errors: ['not_found', 'direct_thread', 'last_member'],
  }),
}
