import Type, { type Static } from 'typebox'
import { operation } from './operation'
import { Post } from './posts'
import { Author, Id, listQuery, Page, Shape, Timestamp } from './shapes'

/** How many pinned posts a channel can have. */
export const MAX_PINS = 50

export const Pin = Shape('Pin', { post: Post, pinned_at: Timestamp, pinned_by: Author })
export type Pin = Static<typeof Pin>

export const pins = {
  list: operation({
    method: 'GET',
    path: '/v2/channels/:channel_id/pins',
    depends: 'content',
    summary: 'List the pinned posts of a channel.',
    description: 'Lists the most recently pinned post first. Each post is in its current state.',
    access: 'read',
    params: Type.Object({ channel_id: Id }),
    query: listQuery(['pinned_at'], 'desc', {}),
    output: Page(Pin),
    errors: ['not_found', 'invalid_cursor'],
  }),
  set: operation({
    method: 'PUT',
    path: '/v2/posts/:post_id/pin',
    summary: 'Pin a post to its channel.',
    description: `Everyone sees the post at the top of the channel. If it is already pinned, nothing changes. A channel can have up to ${MAX_PINS} pinned posts.`,
    access: 'write',
    params: Type.Object({ post_id: Id }),
    errors: ['not_found', 'too_many_pins'],
  }),
  unset: operation({
    method: 'DELETE',
    path: '/v2/posts/:post_id/pin',
    summary: 'Unpin a post.',
    description: 'If it is not pinned, nothing changes.',
    access: 'write',
    params: Type.Object({ post_id: Id }),
    errors: ['not_found'],
  }),
}
