import Type, { type Static } from 'typebox'
import { Author } from './authors'
import { operation } from './operation'
import { Body, Id, listQuery, Nullable, Page, Shape, Timestamp } from './page'

export const Channel = Shape('Channel', {
  id: Id,
  name: Type.String(),
  description: Type.String({ description: 'What it is about, as plain text; empty where nobody said.' }),
  is_private: Type.Boolean(),
  created_at: Timestamp,
  archived_at: Nullable(Timestamp),
  last_activity_at: Nullable(Timestamp, 'Of the post that was active last; null where there are no posts.'),
  posts_count: Type.Integer({ minimum: 0 }),
  members_count: Type.Integer({ minimum: 0, description: 'Those who were added to it, or made it.' }),
})
export type Channel = Static<typeof Channel>

const Description = Type.String({ maxLength: 500 })
const Name = Type.String({ minLength: 1, maxLength: 80, pattern: '\\S' })

export const channels = {
  list: operation({
    method: 'GET',
    path: '/v2/channels',
    summary: 'List the channels you may see.',
    access: 'read',
    query: listQuery(['created_at', 'name'], 'asc', {
      name: Type.Optional(Type.String({ maxLength: 80, description: 'Only channels whose name contains this.' })),
      archived: Type.Optional(Type.Boolean({ description: 'The archived ones instead; for admins.' })),
      joined: Type.Optional(Type.Boolean({ description: 'Only those you are in, or only those you are not in.' })),
    }),
    output: Page(Channel),
    errors: ['invalid_cursor', 'forbidden'],
  }),
  get: operation({
    method: 'GET',
    path: '/v2/channels/:id',
    summary: 'Get a channel.',
    access: 'read',
    params: Type.Object({ id: Id }),
    output: Channel,
    errors: ['not_found'],
  }),
  create: operation({
    method: 'POST',
    path: '/v2/channels',
    summary: 'Make a channel. You are in it.',
    access: 'admin',
    body: Body({
      name: Name,
      description: Type.Optional(Description),
      private: Type.Optional(Type.Boolean()),
    }),
    output: Channel,
    status: 201,
    errors: ['name_taken'],
  }),
  update: operation({
    method: 'PATCH',
    path: '/v2/channels/:id',
    summary: 'Rename or describe a channel, make it private or public, archive it or bring it back.',
    description: 'Whoever makes it private is in it from then on.',
    access: 'admin',
    params: Type.Object({ id: Id }),
    body: Body({
      name: Type.Optional(Name),
      description: Type.Optional(Description),
      private: Type.Optional(Type.Boolean()),
      archived: Type.Optional(Type.Boolean()),
    }),
    output: Channel,
    errors: ['not_found', 'name_taken'],
  }),
  delete: operation({
    method: 'DELETE',
    path: '/v2/channels/:id',
    summary: 'Archive a channel.',
    description: 'Nobody sees it or its posts until an admin sends `PATCH { "archived": false }`.',
    access: 'admin',
    params: Type.Object({ id: Id }),
    errors: ['not_found'],
  }),
  members: operation({
    method: 'GET',
    path: '/v2/channels/:channel_id/members',
    summary: 'List who is in a channel: members and apps.',
    access: 'read',
    params: Type.Object({ channel_id: Id }),
    query: listQuery(['created_at'], 'asc', {}),
    output: Page(Author),
    errors: ['not_found', 'invalid_cursor'],
  }),
  join: operation({
    method: 'PUT',
    path: '/v2/channels/:channel_id/membership',
    summary: 'Join a public channel.',
    description:
      'If you are in it already, nothing changes. An admin adds people to private channels, and guests to any.',
    access: 'read',
    tokenScope: 'write',
    params: Type.Object({ channel_id: Id }),
    errors: ['not_found'],
  }),
  leave: operation({
    method: 'DELETE',
    path: '/v2/channels/:channel_id/membership',
    summary: 'Leave a channel.',
    description: 'If you are not in it, nothing changes. The last member of a private channel stays.',
    access: 'read',
    tokenScope: 'write',
    params: Type.Object({ channel_id: Id }),
    errors: ['not_found', 'last_member'],
  }),
  addMember: operation({
    method: 'PUT',
    path: '/v2/channels/:channel_id/members/:member_id',
    summary: 'Add a member or an app to a channel.',
    access: 'admin',
    params: Type.Object({ channel_id: Id, member_id: Id }),
    errors: ['not_found'],
  }),
  removeMember: operation({
    method: 'DELETE',
    path: '/v2/channels/:channel_id/members/:member_id',
    summary: 'Take a member or an app out of a channel.',
    description: 'The last member of a private channel stays: nobody could see it any more.',
    access: 'admin',
    params: Type.Object({ channel_id: Id, member_id: Id }),
    errors: ['not_found', 'last_member'],
  }),
}
