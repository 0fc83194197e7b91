import Type, { type Static } from 'typebox'
import { operation } from './operation'
import { Author, Body, Id, listQuery, Nullable, Page, Shape, Timestamp } from './shapes'

export const Channel = Shape('Channel', {
  id: Id,
  name: Type.String(),
  description: Type.String({ description: 'What it is about, as plain text; empty where nobody said.' }),
  is_private: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
  archived_at: Nullable(Timestamp),
  last_activity_at: Nullable(Timestamp, 'Of the post that was active last; null where there are no posts.'),
  posts_count: Type.Integer({ minimum: 0 }),
  members_count: Type.Integer({ minimum: 0, description: 'Those who were added to it, or made it.' }),
  is_default: Type.Boolean({ description: 'Members and viewers are in it from the moment they join the workspace.' }),
  creator_id: Nullable(Id, 'The member or app that created it; null if that is not known.'),
})
export type Channel = Static<typeof Channel>

/** How many channels everyone can be in from the start: whoever becomes a member joins them one by one. */
export const MAX_DEFAULT_CHANNELS = 50

/** How many channels of a workspace are not archived: what shows all of them takes longer with each. */
export const MAX_CHANNELS = 5_000
/** How many channels a member who is no admin can create in a day. */
export const MAX_CREATED_A_DAY = 50

const Description = Type.String({ maxLength: 500 })
const Name = Type.String({ minLength: 1, maxLength: 80, pattern: '\\S' })

export const channels = {
  list: operation({
    method: 'GET',
    path: '/v2/channels',
    depends: 'content',
    perCaller: { guests: true, query: ['joined'] },
    summary: 'List the channels you may see.',
    description:
      'Lists all public channels and the private ones you are in. Guests see the channels they were added to. By `name`, numbers are sorted as numbers: `project-2` comes before `project-10`. With `sort=last_activity_at`, a channel without posts counts as active when it was created. With `sort=best_match`, those come first whose name is `q`, then those whose name begins with it or has it, each by activity.',
    access: 'read',
    query: listQuery(['created_at', 'name', 'last_activity_at', 'members_count', 'best_match'], 'asc', {
      name: Type.Optional(
        Type.String({ maxLength: 80, description: 'Only the channel of this name. Case and accents are ignored.' }),
      ),
      q: Type.Optional(
        Type.String({
          maxLength: 80,
          description: 'Only channels whose name or description contains this. Case and accents are ignored.',
        }),
      ),
      archived: Type.Optional(Type.Boolean({ description: 'The archived ones instead; for admins.' })),
      joined: Type.Optional(Type.Boolean({ description: 'Only those you are in, or only those you are not in.' })),
      default: Type.Optional(Type.Boolean({ description: 'Only the default channels, or only the others.' })),
    }),
    output: Page(Channel),
    errors: ['invalid_cursor', 'forbidden'],
  }),
  get: operation({
    method: 'GET',
    path: '/v2/channels/:id',
    depends: 'content',
    summary: 'Get a channel.',
    description: 'The record says how many posts and members the channel has.',
    access: 'read',
    params: Type.Object({ id: Id }),
    output: Channel,
    errors: ['not_found'],
  }),
  create: operation({
    method: 'POST',
    path: '/v2/channels',
    summary: 'Create a channel.',
    description:
      'You are in it from the start. No other channel may have the same name. Only those who were added see a private channel. Members can create public channels, unless the workspace has turned that off (`members_create_channels`); only admins create private and default channels. A member who is not an admin can create 50 a day.',
    access: 'write',
    body: Body({
      name: Name,
      description: Type.Optional(Description),
      private: Type.Optional(Type.Boolean()),
      default: Type.Optional(Type.Boolean()),
    }),
    output: Channel,
    status: 201,
    errors: ['name_taken', 'too_many_channels'],
  }),
  update: operation({
    method: 'PATCH',
    path: '/v2/channels/:id',
    summary: 'Rename or describe a channel, make it private, public or a default channel, archive it or bring it back.',
    description:
      'Fields that are left out stay as they are. The member who created a channel can rename and describe it, as long as they are in it; all else is for admins. If you make a channel private, you are in it from then on, and it is no default channel.',
    access: 'write',
    params: Type.Object({ id: Id }),
    body: Body({
      name: Type.Optional(Name),
      description: Type.Optional(Description),
      private: Type.Optional(Type.Boolean()),
      archived: Type.Optional(Type.Boolean()),
      default: Type.Optional(Type.Boolean()),
    }),
    output: Channel,
    errors: ['not_found', 'name_taken', 'too_many_channels'],
  }),
  delete: operation({
    method: 'DELETE',
    path: '/v2/channels/:id',
    summary: 'Archive a channel.',
    description: 'Nobody sees it or its posts until an admin brings it back with `PATCH { "archived": false }`.',
    access: 'admin',
    params: Type.Object({ id: Id }),
    errors: ['not_found'],
  }),
  members: operation({
    method: 'GET',
    path: '/v2/channels/:channel_id/members',
    depends: 'content',
    summary: 'List who is in a channel: members and apps.',
    description:
      'In a public channel, these are the members and apps that joined it or were added; everyone else can read it, too.',
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
      'If you are in it already, nothing changes. Publishing a post in a public channel joins it, too. An admin adds people to private channels, and guests to any.',
    access: 'read',
    tokenScope: 'write',
    params: Type.Object({ channel_id: Id }),
    errors: ['not_found'],
  }),
  leave: operation({
    method: 'DELETE',
    path: '/v2/channels/:channel_id/membership',
    summary: 'Leave a channel.',
    description: 'If you are not in it, nothing changes. The last member of a private channel cannot leave.',
    access: 'read',
    tokenScope: 'write',
    params: Type.Object({ channel_id: Id }),
    errors: ['not_found', 'last_member'],
  }),
  addMember: operation({
    method: 'PUT',
    path: '/v2/channels/:channel_id/members/:member_id',
    summary: 'Add a member or an app to a channel.',
    description:
      'Admins can do this, and the member who created the channel, as long as they are in it. If they are in it already, nothing changes. Private channels are seen only by those who were added; guests see no other channels at all.',
    access: 'write',
    params: Type.Object({ channel_id: Id, member_id: Id }),
    errors: ['not_found'],
  }),
  removeMember: operation({
    method: 'DELETE',
    path: '/v2/channels/:channel_id/members/:member_id',
    summary: 'Remove a member or an app from a channel.',
    description:
      'Admins can do this, and the member who created the channel, as long as they are in it. The last member of a private channel cannot be removed, because nobody could see it any more.',
    access: 'write',
    params: Type.Object({ channel_id: Id, member_id: Id }),
    errors: ['not_found', 'last_member'],
  }),
}
