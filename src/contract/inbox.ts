import Type, { type Static } from 'typebox'
import { GroupReference } from './groups'
import { operation } from './operation'
import { ChannelReference } from './posts'
import { Author, Body, Choice, Id, listQuery, Nullable, Page, Shape, Timestamp } from './shapes'
import { MAX_UNREAD_COUNT } from './unread'

/** Entries are counted up to here. */
export const MAX_ENTRIES_COUNTED = 1_000

/** What an entry is about. A subject has at most one entry of each kind, and one for each record that was reacted to. */
export const inboxAbouts = ['activity', 'mention', 'resolution', 'reaction', 'added', 'reminder'] as const
export type InboxAbout = (typeof inboxAbouts)[number]
export const InboxAbout = Choice(inboxAbouts, {
  description:
    'What the entry is about: `activity` in what you follow (posts, comments and messages), a `mention` of you, or of a group or channel you are in, a `resolution` of a post, or its reopening, a `reaction` to what you wrote, that someone `added` you to a channel or thread, or a `reminder` you asked for. Each has an entry of its own.',
})

/** What happened, and what an entry with this reason is about. */
export const aboutOf = {
  mention: 'mention',
  group_mention: 'mention',
  channel_mention: 'mention',
  here_mention: 'mention',
  reply: 'activity',
  comment: 'activity',
  post: 'activity',
  resolved: 'resolution',
  reopened: 'resolution',
  thread: 'activity',
  message: 'activity',
  added: 'added',
  reminder: 'reminder',
  reaction: 'reaction',
} as const satisfies Record<string, InboxAbout>
export type InboxReason = keyof typeof aboutOf
export const inboxReasons = Object.keys(aboutOf) as [InboxReason, ...InboxReason[]]
export const InboxReason = Choice(inboxReasons, {
  description:
    'What happened last: you were mentioned, or a group you are in, a channel you are in, or those online there; someone replied to your comment, or commented on what you follow; posted in a channel you follow; resolved or reopened a post you follow; started a thread with you; sent a message; added you to a channel or thread; you asked to be reminded of it; or someone reacted to what you wrote, which does not make the entry unread.',
})

export const InboxSubject = Shape('InboxSubject', {
  type: Choice(['post', 'thread', 'channel']),
  id: Id,
  title: Type.String(),
  url: Type.String({ description: 'Its page in the web app.' }),
  channel: Nullable(ChannelReference, 'The channel of a post, or the channel itself; null for a thread.'),
  is_own: Type.Boolean({ description: 'You wrote it: it is your post.' }),
})
export type InboxSubject = Static<typeof InboxSubject>

export const InboxEntry = Shape('InboxEntry', {
  id: Id,
  about: InboxAbout,
  reason: InboxReason,
  subject: InboxSubject,
  actor: Nullable(
    Author,
    'Who did it last; of reactions, who reacted last. Null for reminders, and for whoever operates the server.',
  ),
  others_count: Type.Integer({
    minimum: 0,
    maximum: MAX_UNREAD_COUNT,
    description: `How many others did so: who reacted, too, or wrote new comments or messages; ${MAX_UNREAD_COUNT} stands for that many or more.`,
  }),
  group: Nullable(GroupReference, 'Of a mention of a group: which one, if it still exists.'),
  emoji: Nullable(Type.String(), 'Of a reaction: the emoji, or the name of a custom emoji.'),
  emoji_url: Nullable(Type.String(), 'Of a reaction with a custom emoji: the URL of its picture.'),
  item_id: Nullable(
    Id,
    'The comment or message it is about, if it is about one that still exists; of a resolution, the comment that answers the post.',
  ),
  item_is_own: Type.Boolean({ description: 'You wrote that comment or message.' }),
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
  is_unread: Type.Boolean(),
  archived_at: Nullable(Timestamp, 'New activity brings it back into the inbox.'),
})
export type InboxEntry = Static<typeof InboxEntry>

/** What changed in your inbox. */
export const InboxChange = Shape('InboxChange', {
  subject_id: Nullable(Id, 'The post, thread or channel whose entries are new or have changed; null for all of them.'),
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
      'Lists the latest activity first. A post, thread or channel has one entry for each thing that an entry can be about. What you may no longer see is not listed.',
    access: 'read',
    query: listQuery(['last_activity_at'], 'desc', {
      unread: Type.Optional(
        Type.Boolean({ description: '`true` for unread entries only, `false` for read ones only.' }),
      ),
      archived: Type.Optional(Type.Boolean({ description: '`true` for the archived entries instead of the others.' })),
      about: Type.Optional(
        Type.Array(InboxAbout, { description: 'Only entries about these, separated by commas, or repeated.' }),
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
    description:
      'Reading an entry also reads its post or thread, and with it all entries about that. An entry about a reaction or a channel is read by itself.',
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
    description:
      'Also archived ones. The posts and threads that the latest 500 unread ones are about are marked as read, too.',
    access: 'read',
    tokenScope: 'write',
    errors: ['forbidden'],
  }),
}
