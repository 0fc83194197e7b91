import Type, { type Static } from 'typebox'
import { ChecklistChange, ChecklistItem } from './markdown'
import { operation } from './operation'
import {
  Author,
  Body,
  FileIds,
  Id,
  listQuery,
  MarkdownOrFiles,
  Nullable,
  OptionalId,
  Page,
  Shape,
  Timestamp,
} from './shapes'

export const Comment = Shape('Comment', {
  id: Id,
  content: Type.String({ description: 'HTML; empty once deleted, as long as replies keep its place.' }),
  created_at: Timestamp,
  replies_count: Type.Integer({ minimum: 0 }),
  parent_id: Nullable(Id),
  subject_id: Id,
  subject_type: Type.String({ description: '`post`.' }),
  author: Author,
})
export type Comment = Static<typeof Comment>

export const comments = {
  list: operation({
    method: 'GET',
    path: '/v2/posts/:post_id/comments',
    depends: 'content',
    summary: 'List the comments of a post.',
    description:
      'Lists comments and replies together, oldest first. With `parent_id` you get the replies to one comment, or the top level only.',
    access: 'read',
    params: Type.Object({ post_id: Id }),
    query: listQuery(['created_at'], 'asc', {
      parent_id: Type.Optional(
        Type.String({ description: "A comment's id for its replies, or `root` for the top level. Left out: all." }),
      ),
    }),
    output: Page(Comment),
    errors: ['not_found', 'invalid_cursor'],
  }),
  get: operation({
    method: 'GET',
    path: '/v2/comments/:id',
    depends: 'content',
    summary: 'Get a comment.',
    description: 'To get its Markdown source instead, send `Accept: text/markdown`.',
    access: 'read',
    params: Type.Object({ id: Id }),
    output: Comment,
    errors: ['not_found'],
    markdown: true,
  }),
  create: operation({
    method: 'POST',
    path: '/v2/posts/:post_id/comments',
    effect: 'adds',
    summary: 'Comment on a post, or reply to a comment.',
    description: 'Replies go one level deep: a reply to a reply is refused.',
    access: 'write',
    params: Type.Object({ post_id: Id }),
    body: Body({ content_markdown: MarkdownOrFiles, parent_id: OptionalId, file_ids: FileIds }),
    output: Comment,
    status: 201,
    errors: ['not_found', 'too_many_mentions'],
  }),
  update: operation({
    method: 'PATCH',
    path: '/v2/comments/:id',
    summary: 'Change the text of a comment.',
    description: 'Members can change their own comments, admins any comment.',
    access: 'write',
    params: Type.Object({ id: Id }),
    body: Body({ content_markdown: MarkdownOrFiles, file_ids: FileIds }),
    output: Comment,
    errors: ['not_found', 'too_many_mentions'],
  }),
  delete: operation({
    method: 'DELETE',
    path: '/v2/comments/:id',
    summary: 'Delete a comment.',
    description:
      'A comment with replies keeps its place, without content, until its last reply is deleted. Members can delete their own comments, admins any comment.',
    access: 'write',
    params: Type.Object({ id: Id }),
    errors: ['not_found'],
  }),
  check: operation({
    method: 'PUT',
    path: '/v2/comments/:comment_id/checklist/:item',
    summary: 'Check or uncheck an item of a checklist in a comment.',
    description:
      'Changes only this check box in the Markdown. The comment does not count as edited. Members can do this in their own comments, admins in any comment.',
    access: 'write',
    params: Type.Object({ comment_id: Id, item: ChecklistItem }),
    body: ChecklistChange,
    output: Comment,
    errors: ['not_found', 'checklist_changed'],
  }),
}
