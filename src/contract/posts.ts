import Type, { type Static } from 'typebox'
import { Comment } from './comments'
import { ChecklistChange, ChecklistItem } from './markdown'
import { operation } from './operation'
import {
  Author,
  Body,
  FileIds,
  Id,
  listQuery,
  MAX_TEXT_LENGTH,
  Nullable,
  OptionalId,
  Page,
  Shape,
  TextOrNull,
  Timestamp,
} from './shapes'

export const Resolution = Shape('Resolution', {
  resolved_at: Timestamp,
  resolved_html: Nullable(Type.String({ description: 'The note it was resolved with, as HTML.' })),
  resolved_by: Author,
  resolved_comment: Nullable(Comment),
})
export type Resolution = Static<typeof Resolution>

export const ChannelReference = Shape('ChannelReference', { id: Id, name: Type.String() })

export const Post = Shape('Post', {
  id: Id,
  title: Type.String(),
  created_at: Timestamp,
  last_activity_at: Timestamp,
  url: Type.String({ description: 'Its page in the web app.' }),
  content: Type.String({ description: 'HTML.' }),
  comments_count: Type.Integer({ minimum: 0, description: 'Replies included.' }),
  channel: ChannelReference,
  author: Author,
  resolution: Nullable(Resolution),
})
export type Post = Static<typeof Post>

const Title = TextOrNull({
  maxLength: 300,
  description: 'Left out, null or empty: taken from the first line of the text.',
})
const Text = TextOrNull({
  maxLength: MAX_TEXT_LENGTH,
  description: 'Markdown (GFM). May be left out, null or empty in a post with a title or files.',
})

export const posts = {
  list: operation({
    method: 'GET',
    path: '/v2/posts',
    depends: 'content',
    perCaller: { query: ['author_id'] },
    summary: 'List posts.',
    description:
      'Lists the posts of all channels you may see, newest first. Filters narrow it down; `sort=last_activity_at` puts what was active last on top.',
    access: 'read',
    query: listQuery(['published_at', 'last_activity_at'], 'desc', {
      channel_id: Type.Optional(Type.String({ description: 'Only posts from this channel.' })),
      author_id: Type.Optional(Type.String({ description: 'Only posts by this member or app.' })),
      resolved: Type.Optional(
        Type.Boolean({ description: '`true` for resolved posts only, `false` for open ones only.' }),
      ),
    }),
    output: Page(Post),
    errors: ['not_found', 'invalid_cursor'],
  }),
  get: operation({
    method: 'GET',
    path: '/v2/posts/:id',
    depends: 'content',
    summary: 'Get a post.',
    description: 'To get its Markdown source instead, send `Accept: text/markdown`.',
    access: 'read',
    params: Type.Object({ id: Id }),
    output: Post,
    errors: ['not_found'],
    markdown: true,
  }),
  create: operation({
    method: 'POST',
    path: '/v2/posts',
    effect: 'adds',
    summary: 'Publish a post into a channel.',
    description: 'Everyone who may see the channel can read it. You are its author.',
    access: 'write',
    body: Body({
      channel_id: Id,
      content_markdown: Type.Optional(Text),
      title: Type.Optional(Title),
      file_ids: FileIds,
    }),
    output: Post,
    status: 201,
    errors: ['not_found', 'too_many_mentions'],
  }),
  update: operation({
    method: 'PATCH',
    path: '/v2/posts/:id',
    summary: 'Change the title or the text of a post.',
    description: 'Fields that are left out stay as they are. Members can change their own posts, admins any post.',
    access: 'write',
    params: Type.Object({ id: Id }),
    body: Body({ content_markdown: Type.Optional(Text), title: Type.Optional(Title), file_ids: FileIds }),
    output: Post,
    errors: ['not_found', 'too_many_mentions'],
  }),
  delete: operation({
    method: 'DELETE',
    path: '/v2/posts/:id',
    summary: 'Delete a post and its comments.',
    description:
      'The content is gone for good, also from the event log. Members can delete their own posts, admins any post.',
    access: 'write',
    params: Type.Object({ id: Id }),
    errors: ['not_found'],
  }),
  resolve: operation({
    method: 'POST',
    path: '/v2/posts/:post_id/resolution',
    summary: 'Resolve a post: with a note, with a comment that answers it, or with neither.',
    description: 'A post that is already resolved gets the new resolution, unless `if_open` is true.',
    access: 'write',
    params: Type.Object({ post_id: Id }),
    body: Body({
      content_markdown: Type.Optional(Type.String({ maxLength: MAX_TEXT_LENGTH, emptyIsAbsent: true })),
      comment_id: OptionalId,
      if_open: Type.Optional(
        Type.Boolean({ description: 'Only if the post is open: never replaces a resolution.', default: false }),
      ),
    }),
    output: Post,
    status: 201,
    errors: ['not_found', 'already_resolved', 'too_many_mentions'],
  }),
  getResolution: operation({
    method: 'GET',
    path: '/v2/posts/:post_id/resolution',
    depends: 'content',
    summary: 'Get the resolution of a post.',
    description:
      'To get the Markdown of the note instead, send `Accept: text/markdown`; it is empty if there is no note.',
    access: 'read',
    params: Type.Object({ post_id: Id }),
    output: Resolution,
    errors: ['not_found'],
    markdown: true,
  }),
  unresolve: operation({
    method: 'DELETE',
    path: '/v2/posts/:post_id/resolution',
    summary: 'Remove the resolution of a post.',
    description: 'Reopens the post. If it is not resolved, nothing changes.',
    access: 'write',
    params: Type.Object({ post_id: Id }),
    output: Post,
    errors: ['not_found'],
  }),
  check: operation({
    method: 'PUT',
    path: '/v2/posts/:post_id/checklist/:item',
    summary: 'Check or uncheck an item of a checklist in a post.',
    description:
      'Changes only this check box in the Markdown. The post does not count as edited. Members can do this in their own posts, admins in any post.',
    access: 'write',
    params: Type.Object({ post_id: Id, item: ChecklistItem }),
    body: ChecklistChange,
    output: Post,
    errors: ['not_found', 'checklist_changed'],
  }),
}
