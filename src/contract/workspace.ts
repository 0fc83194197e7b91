import Type, { type Static } from 'typebox'
import { operation, picture } from './operation'
import { Body, Choice, Id, Nullable, Shape, Timestamp } from './shapes'

/** Who may mention everyone in a channel, or everyone there who is online. */
export const channelMentions = ['members', 'admins'] as const
export type ChannelMentions = (typeof channelMentions)[number]
const ChannelMentions = Choice(channelMentions, {
  description:
    'Who may mention everyone in a channel, with `<@channel>` and `<@here>`: all members and apps, or only admins, and apps with the scope `admin`. Guests, viewers and incoming webhooks never can.',
})

export const Workspace = Shape('Workspace', {
  id: Id,
  slug: Type.String(),
  name: Type.String(),
  icon_url: Nullable(Type.String(), 'A square picture, 112 pixels wide; null where there is none.'),
  created_at: Timestamp,
  updated_at: Timestamp,
  is_set_up: Type.Boolean({ description: 'Whether an admin has finished or dismissed the checklist of the web app.' }),
  channel_mentions: ChannelMentions,
  members_create_channels: Type.Boolean({ description: 'Whether members can create channels, and not only admins.' }),
})
export type Workspace = Static<typeof Workspace>

export const workspace = {
  get: operation({
    method: 'GET',
    path: '/v2/workspace',
    depends: 'content',
    summary: 'Get the workspace the token belongs to.',
    description: 'A token belongs to one workspace, and sees nothing of any other.',
    access: 'read',
    output: Workspace,
    errors: [],
  }),
  update: operation({
    method: 'PATCH',
    path: '/v2/workspace',
    summary: 'Rename the workspace, or change another of its settings.',
    description: 'Fields that are left out stay as they are.',
    access: 'admin',
    body: Body({
      name: Type.Optional(Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' })),
      is_set_up: Type.Optional(Type.Boolean()),
      channel_mentions: Type.Optional(ChannelMentions),
      members_create_channels: Type.Optional(Type.Boolean()),
    }),
    output: Workspace,
    errors: [],
  }),
  setIcon: operation({
    method: 'PUT',
    path: '/v2/workspace/icon',
    summary: 'Set the icon of the workspace.',
    description:
      'Send the picture as the request body: PNG, JPEG, WebP or GIF, within the limit for files (`GET /v2/files/limits`) and with at most 64 million pixels. Parley keeps the square in the middle, without the metadata of the file.',
    access: 'admin',
    picture: picture(512),
    errors: ['storage_unavailable', 'storage_full'],
  }),
  deleteIcon: operation({
    method: 'DELETE',
    path: '/v2/workspace/icon',
    summary: 'Remove the icon of the workspace.',
    description: 'If there is none, nothing changes.',
    access: 'admin',
    errors: [],
  }),
}
