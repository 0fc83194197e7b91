import Type, { type Static } from 'typebox'
import { operation } from './operation'
import { ChannelReference } from './posts'
import { Author, Body, Choice, Id, listQuery, Nullable, Page, Shape, Timestamp } from './shapes'
import { MAX_UNREAD_COUNT } from './unread'

/** Entries are counted up to here. */
export const MAX_ENTRIES_COUNTED = 1_000

export const inboxReasons = [
  ...(['mention', 'reply', 'comment', 'post', 'resolved', 'reopened', 'message', 'added'] as const),
  ...(['reminder', 'reaction'] as const),
] as const
export type InboxReason = (typeof inboxReasons)[number]
export const InboxReason = Choice(inboxReasons, {
  description:
    'Why it moved up last: you were mentioned; someone replied to your comment, or commented on what you follow; posted in a channel you follow; resolved or reopened a post you follow; sent a message; added you to a channel or thread; you asked to be reminded of it; or someone reacted to what you wrote, which does not make the entry unread.',
})

export const InboxSubject = Shape('InboxSubject', {
  type: Choice(['post', 'thread', 'channel']),
  id: Id,
  title: Type.String(),
  url: Type.String({ description: 'Its page in the web app.' }),
  channel: Nullable(ChannelReference, 'The channel of a post, or the channel itself; null for a thread.'),
})
export type InboxSubject = Static<typeof InboxSubject>

export const InboxEntry = Shape('InboxEntry', {
  id: Id,
  subject: InboxSubject,
  reason: InboxReason,
  actor: Nullable(Author, 'Who did it; null for reminders, and for whoever operates the server.'),
  item_id: Nullable(Id, 'The comment or message it is about, if it is about one that still exists.'),
  excerpt: Type.String({
    description:
      'The beginning of what was written, on one line and as plain text, in which “ · ” separates items of lists, lines of code and cells of tables; empty if there is nothing.',
  }),
  new_count: Type.Integer({
    minimum: 0,
    maximum: MAX_UNREAD_COUNT,
    description: `New comments or messages since you read it; ${MAX_UNREAD_COUNT} stands for that many or more.`,
  }),
  last_activity_at: Timestamp,
  read_at: Nullable(Timestamp),
  archived_at: Nullable(Timestamp, 'New activity brings it back into the inbox.'),
})
export type InboxEntry = Static<typeof InboxEntry>

/** What changed in your inbox. */
export const InboxChange = Shape('InboxChange', {
  subject_id: Nullable(Id, 'The post, thread or channel whose entry is new or has changed; null for all of them.'),
})
export type InboxChange = Static<typeof InboxChange>

const entries = Page(InboxEntry).properties

export const InboxPage = Shape('InboxPage', {
  ...entries,
  total_count: Type.Integer({
    minimum: 0,
    maximum: MAX_ENTRIES_COUNTED,
    description: `All entries that match the filters; at most ${MAX_ENTRIES_COUNTED.toLocaleString('en')}.`,
  }),
  total_is_capped: Type.Boolean({
    description: `There are more than ${MAX_ENTRIES_COUNTED.toLocaleString('en')} entries.`,
  }),
})

export const inbox = {
  list: operation({
    method: 'GET',
    path: '/v2/inbox',
    depends: 'personal',
    summary: 'List your inbox.',
    description:
      'Lists one entry for each post, thread or channel, the latest activity first. What you may no longer see is not listed.',
    access: 'read',
    query: listQuery(['last_activity_at'], 'desc', {
      unread: Type.Optional(
        Type.Boolean({ description: '`true` for unread entries only, `false` for read ones only.' }),
      ),
      archived: Type.Optional(Type.Boolean({ description: '`true` for the archived entries instead of the others.' })),
      reason: Type.Optional(
        Type.Array(InboxReason, { description: 'Only these reasons, separated by commas, or repeated.' }),
      ),
    }),
    output: InboxPage,
    errors: ['invalid_cursor', 'forbidden'],
  }),
  update: operation({
    method: 'PATCH',
    path: '/v2/inbox/:id',
    effect: 'personal',
    summary: 'Mark an entry as read or unread, archive it or bring it back.',
    description: 'Reading an entry also reads its post or thread.',
    access: 'read',
    tokenScope: 'write',
    params: Type.Object({ id: Id }),
    body: Body({ read: Type.Optional(Type.Boolean()), archived: Type.Optional(Type.Boolean()) }),
    output: InboxEntry,
    errors: ['not_found', 'forbidden'],
  }),
  readAll: operation({
    method: 'PUT',
    path: '/v2/inbox/read',
    effect: 'personal',
    summary: 'Mark all entries of your inbox as read.',
    description: 'The posts and threads they are about are marked as read, too.',
    access: 'read',
    tokenScope: 'write',
    errors: ['forbidden'],
  }),
}
