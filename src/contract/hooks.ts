import Type, { type Static } from 'typebox'
import { operation, picture } from './operation'
import { Author, Body, Choice, Id, listQuery, Nullable, OptionalId, Page, Shape, Timestamp } from './shapes'

const hookTargets = ['channel', 'post', 'thread'] as const

const HookTarget = Shape(
  'HookTarget',
  {
    type: Choice(hookTargets, { description: 'What it writes into.' }),
    id: Id,
    title: Nullable(Type.String(), 'The name of the channel, or the title; null where you cannot see it.'),
    url: Type.String({ description: 'Its page in the web app.' }),
  },
  'Where an incoming webhook writes: posts into a channel, comments on a post, or messages into a thread.',
)

const fields = {
  id: Id,
  name: Type.String(),
  target: HookTarget,
  author: Author,
  owner: Author,
  problem: Nullable(Type.String(), 'Why it cannot post; null if it can.'),
  last_used_at: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
}
export const Hook = Shape(
  'Hook',
  fields,
  'An incoming webhook: an address that other systems post to. What it posts is by `author`, an app of its own.',
)
export type Hook = Static<typeof Hook>
export const NewHook = Shape(
  'NewHook',
  {
    ...fields,
    url: Type.String({ description: 'The address to post to. Whoever knows it can post. It is shown only this once.' }),
  },
  'An incoming webhook with its address.',
)
export type NewHook = Static<typeof NewHook>

export const HookPost = Shape(
  'HookPost',
  {
    type: Choice(['post', 'comment', 'message'], { description: 'What it is.' }),
    id: Id,
    url: Type.String({ description: 'Its page in the web app.' }),
  },
  'What an incoming webhook posted.',
)
export type HookPost = Static<typeof HookPost>

/** The maximum number of incoming webhooks of a member. */
export const MAX_HOOKS = 100

const Name = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S', description: 'Shown as the author.' })
const byId = Type.Object({ id: Id })

export const hooks = {
  list: operation({
    method: 'GET',
    path: '/v2/hooks',
    depends: 'nothing',
    summary: 'List incoming webhooks.',
    description: 'Admins see all of them, everyone else their own. Their addresses are not shown again.',
    access: 'read',
    query: listQuery(['created_at'], 'asc', {}),
    output: Page(Hook),
    errors: ['invalid_cursor'],
  }),
  get: operation({
    method: 'GET',
    path: '/v2/hooks/:id',
    depends: 'nothing',
    summary: 'Get an incoming webhook.',
    description: 'Only its owner and admins can do this.',
    access: 'read',
    params: byId,
    output: Hook,
    errors: ['not_found'],
  }),
  create: operation({
    method: 'POST',
    path: '/v2/hooks',
    summary: 'Create an incoming webhook: an address that other systems can post to.',
    description: `It writes into one channel, post or thread: send one of \`channel_id\`, \`post_id\` and \`thread_id\`. Admins and members can create one wherever they can write, also in a public channel that they are not in. You own it, and it works as long as you can write there. You can have up to ${MAX_HOOKS}.`,
    access: 'write',
    body: Body({ name: Name, channel_id: OptionalId, post_id: OptionalId, thread_id: OptionalId }),
    output: NewHook,
    status: 201,
    errors: ['too_many_hooks'],
    secret: true,
  }),
  update: operation({
    method: 'PATCH',
    path: '/v2/hooks/:id',
    summary: 'Rename an incoming webhook.',
    description: 'What it posted shows the new name too. Only its owner and admins can do this.',
    access: 'write',
    params: byId,
    body: Body({ name: Type.Optional(Name) }),
    output: Hook,
    errors: ['not_found'],
  }),
  delete: operation({
    method: 'DELETE',
    path: '/v2/hooks/:id',
    summary: 'Delete an incoming webhook.',
    description:
      'Only its owner and admins can do this. Its address stops working at once. What it posted stays, under its name.',
    access: 'write',
    params: byId,
    errors: ['not_found'],
  }),
  setAvatar: operation({
    method: 'PUT',
    path: '/v2/hooks/:id/avatar',
    summary: 'Give an incoming webhook a picture.',
    description:
      'The request body is the picture: PNG, JPEG, WebP or GIF, within the limit for files (`GET /v2/files/limits`) and with at most 64 million pixels. Only its owner and admins can do this.',
    access: 'write',
    params: byId,
    picture: picture(512),
    errors: ['not_found', 'storage_unavailable', 'storage_full'],
  }),
  deleteAvatar: operation({
    method: 'DELETE',
    path: '/v2/hooks/:id/avatar',
    summary: 'Remove the picture of an incoming webhook.',
    description: 'Its initials are shown instead. Only its owner and admins can do this.',
    access: 'write',
    params: byId,
    errors: ['not_found'],
  }),
  rotateSecret: operation({
    method: 'POST',
    path: '/v2/hooks/:id/secret',
    summary: 'Give an incoming webhook a new address.',
    description: 'The old address stops working at once. Only its owner can do this.',
    access: 'write',
    params: byId,
    output: NewHook,
    status: 201,
    errors: ['not_found'],
    secret: true,
  }),
  test: operation({
    method: 'POST',
    path: '/v2/hooks/:id/test',
    summary: 'Post a test message through an incoming webhook.',
    description: 'Only its owner can do this.',
    access: 'write',
    params: byId,
    output: HookPost,
    status: 201,
    errors: ['not_found'],
  }),
}
