import Type, { type Static } from 'typebox'
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

export const Message = Shape('Message', {
  id: Id,
  content: Type.String({ description: 'HTML.' }),
  created_at: Timestamp,
  updated_at: Timestamp,
  parent_id: Nullable(Id),
  thread_id: Id,
  author: Author,
})
export type Message = Static<typeof Message>

const NewMessage = Body({ content_markdown: MarkdownOrFiles, parent_id: OptionalId, file_ids: FileIds })

export const messages = {
  list: operation({
    method: 'GET',
    path: '/v2/threads/:thread_id/messages',
    depends: 'caller',
    summary: 'List the messages of a thread.',
    description: 'Lists the newest messages first; send `direction=asc` for the oldest first.',
    access: 'read',
    params: Type.Object({ thread_id: Id }),
    query: listQuery(['created_at'], 'desc', {
      around: Type.Optional(
        Type.String({
          maxLength: 100,
          description: 'The id of a message: the page has it in its middle. Cannot be combined with `after`.',
        }),
      ),
    }),
    output: Page(Message),
    errors: ['not_found', 'invalid_cursor'],
  }),
  get: operation({
    method: 'GET',
    path: '/v2/messages/:id',
    depends: 'caller',
    summary: 'Get a message.',
    description: 'To get its Markdown source instead, send `Accept: text/markdown`.',
    access: 'read',
    params: Type.Object({ id: Id }),
    output: Message,
    errors: ['not_found'],
    markdown: true,
  }),
  create: operation({
    method: 'POST',
    path: '/v2/threads/:thread_id/messages',
    effect: 'adds',
    summary: 'Write a message in a thread.',
    description: 'You must take part in the thread.',
    access: 'write',
    params: Type.Object({ thread_id: Id }),
    body: NewMessage,
    output: Message,
    status: 201,
    errors: ['not_found', 'too_many_mentions'],
  }),
  createDirect: operation({
    method: 'POST',
    path: '/v2/members/:member_id/messages',
    summary: 'Send a direct message to a member.',
    description: 'The first message creates the thread between the two of you; `thread_id` says which one it is.',
    access: 'write',
    params: Type.Object({ member_id: Id }),
    body: NewMessage,
    output: Message,
    status: 201,
    errors: ['not_found', 'member_deactivated', 'too_many_mentions'],
  }),
  update: operation({
    method: 'PATCH',
    path: '/v2/messages/:id',
    summary: 'Change the text of a message.',
    description: 'Members can change their own messages, admins any message in their threads.',
    access: 'write',
    params: Type.Object({ id: Id }),
    body: Body({ content_markdown: MarkdownOrFiles, file_ids: FileIds }),
    output: Message,
    errors: ['not_found', 'too_many_mentions'],
  }),
  delete: operation({
    method: 'DELETE',
    path: '/v2/messages/:id',
    summary: 'Delete a message.',
    description: 'It is gone for good. Members can delete their own messages, admins any message in their threads.',
    access: 'write',
    params: Type.Object({ id: Id }),
    errors: ['not_found'],
  }),
}
