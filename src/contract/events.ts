import Type, { type Static, type TSchema } from 'typebox'
import { App } from './apps'
import { PAGE_SIZE } from './browser/constants'
import { Channel } from './channels'
import { Comment } from './comments'
import { DraftChange } from './drafts'
import { CustomEmoji } from './emoji'
import { type EventType, eventTypes } from './event-types'
import { DeletedFile } from './files'
import { Follow } from './follows'
import { Group, GroupMembership } from './groups'
import { Hook } from './hooks'
import { InboxChange } from './inbox'
import { InviteLinkNote } from './invite-links'
import { Member, Profile } from './members'
import { Message } from './messages'
import { operation } from './operation'
import { Post } from './posts'
import { ReactionChange } from './reactions'
import { ReadChange } from './reads'
import { SavedChange } from './saved'
import { AccountNote, SessionNote } from './sessions'
import { Author, Choice, Id, LostAccess, Nullable, Shape, Timestamp } from './shapes'
import { SidebarChange } from './sidebar'
import { SignInLinkNote } from './sign-in-links'
import { Thread } from './threads'
import { Token } from './tokens'
import { Webhook } from './webhooks'
import { Workspace } from './workspace'

const Membership = Shape(
  'ChannelMembership',
  { channel: Channel, member: Author },
  'Who came into, or left, a channel.',
)
const ThreadMembership = Shape(
  'ThreadMembership',
  { thread: Thread, member: Author },
  'Who was added to a thread, or removed from it, and the thread as it is since then.',
)
const Mention = Shape(
  'Mention',
  {
    app: Author,
    subject_type: Choice(['post', 'comment', 'message']),
    subject: Type.Union([Post, Comment, Message]),
  },
  'Where an app was mentioned: `<@app_…>` in a post, a comment or a message it may see.',
)
const SeededContent = Type.Record(Type.String(), Type.Integer(), {
  title: 'SeededContent',
  description: 'How many of each were made.',
})
const WorkspaceReference = Shape('WorkspaceReference', { id: Id, name: Type.String() })

/** Every event: its data, which is the record as of that change, and what it says. */
export const eventDefinitions = {
  'post.created': { data: Post, description: 'A post was published.' },
  'post.updated': { data: Post, description: 'The title or the text of a post was changed.' },
  'post.deleted': { data: Post, description: 'A post was deleted, and its comments with it.' },
  'post.resolved': { data: Post, description: 'A post was resolved, or got another resolution.' },
  'post.unresolved': { data: Post, description: 'A post was reopened: its resolution was removed.' },
  'post.pinned': { data: Post, description: 'A post was pinned to its channel.' },
  'post.unpinned': { data: Post, description: 'A post was unpinned.' },
  'comment.created': { data: Comment, description: 'Someone commented on a post, or replied to a comment.' },
  'comment.updated': { data: Comment, description: 'The text of a comment was changed.' },
  'comment.deleted': { data: Comment, description: 'A comment was deleted.' },
  'thread.created': { data: Thread, description: 'A thread was started.' },
  'thread.member_added': { data: ThreadMembership, description: 'Someone was added to a thread.' },
  'thread.member_removed': { data: ThreadMembership, description: 'Someone left a thread, or was removed from it.' },
  'message.created': { data: Message, description: 'A message was written in a thread.' },
  'message.updated': { data: Message, description: 'The text of a message was changed.' },
  'message.deleted': { data: Message, description: 'A message was deleted.' },
  'file.deleted': {
    data: DeletedFile,
    description: 'A file was deleted. There is one event for each channel and thread that listed it, at most 20.',
  },
  'channel.created': { data: Channel, description: 'A channel was created.' },
  'channel.updated': {
    data: Channel,
    description: 'A channel was renamed, described, made private or public, or brought back from the archive.',
  },
  'channel.deleted': { data: Channel, description: 'A channel was archived: nobody can see it or its posts.' },
  'channel.member_added': { data: Membership, description: 'A member or an app joined a channel, or was added to it.' },
  'channel.member_removed': {
    data: Membership,
    description: 'A member or an app left a channel, or was removed from it.',
  },
  'access.lost': {
    data: LostAccess,
    description:
      'You can no longer see a channel, a thread, or the public channels of the workspace. Delete your copy of it.',
  },
  'member.created': { data: Member, description: 'A member was invited.' },
  'member.updated': { data: Member, description: 'The name, e-mail address, picture or role of a member was changed.' },
  'member.deactivated': {
    data: Member,
    description: 'A member was deactivated: their sessions and tokens have ended.',
  },
  'member.reactivated': { data: Member, description: 'A member was reactivated.' },
  'profile.updated': { data: Profile, description: 'A member changed their job title or time zone.' },
  'group.created': { data: Group, description: 'A group of people was created.' },
  'group.updated': { data: Group, description: 'A group was renamed or described.' },
  'group.deleted': { data: Group, description: 'A group was deleted.' },
  'group.member_added': { data: GroupMembership, description: 'Someone was added to a group.' },
  'group.member_removed': { data: GroupMembership, description: 'Someone was removed from a group.' },
  'app.mentioned': { data: Mention, description: 'An app was mentioned in a post, a comment or a message.' },
  'app.created': { data: App, description: 'An app was created.' },
  'app.deleted': { data: App, description: 'An app was removed, and its tokens were revoked.' },
  'token.created': { data: Token, description: 'An access token was created.' },
  'token.revoked': { data: Token, description: 'An access token was revoked.' },
  'session.created': { data: SessionNote, description: 'A member signed in with a browser.' },
  'session.ended': { data: SessionNote, description: 'A member signed out, or was signed out.' },
  'sign_in_link.created': { data: SignInLinkNote, description: 'A sign-in link was created for a member.' },
  'sign_in_link.revoked': { data: SignInLinkNote, description: 'A sign-in link was revoked, or replaced by another.' },
  'invite_link.created': { data: InviteLinkNote, description: 'An invite link was created.' },
  'invite_link.updated': { data: InviteLinkNote, description: 'An invite link was changed, or someone joined by it.' },
  'invite_link.revoked': {
    data: InviteLinkNote,
    description: 'An invite link was revoked, or whoever created it is no admin any more.',
  },
  'password.changed': { data: AccountNote, description: 'A member chose a password.' },
  'password.removed': { data: AccountNote, description: 'A member removed their password.' },
  'webhook.created': { data: Webhook, description: 'A webhook was created.' },
  'webhook.updated': { data: Webhook, description: 'A webhook was changed, enabled or disabled.' },
  'webhook.deleted': { data: Webhook, description: 'A webhook was removed.' },
  'hook.created': { data: Hook, description: 'An incoming webhook was created.' },
  'hook.updated': { data: Hook, description: 'An incoming webhook was renamed, or got another picture or address.' },
  'hook.deleted': { data: Hook, description: 'An incoming webhook was deleted.' },
  'reaction.added': { data: ReactionChange, description: 'Someone reacted to a post, a comment or a message.' },
  'reaction.removed': { data: ReactionChange, description: 'Someone removed a reaction.' },
  'emoji.created': { data: CustomEmoji, description: 'A custom emoji was added, or its picture was replaced.' },
  'emoji.deleted': { data: CustomEmoji, description: 'A custom emoji was deleted.' },
  'inbox.updated': { data: InboxChange, description: 'Your inbox changed.' },
  'read.updated': { data: ReadChange, description: 'You read something, or marked it as unread.' },
  'follow.updated': { data: Follow, description: 'You followed, unfollowed or muted something.' },
  'draft.updated': { data: DraftChange, description: 'One of your drafts was created, changed or deleted.' },
  'saved.updated': {
    data: SavedChange,
    description:
      'You saved a post, removed it from your saved posts, or changed its reminder; or its reminder was due.',
  },
  'sidebar.updated': {
    data: SidebarChange,
    description: 'You moved a channel: your favorites or the order of your channels changed.',
  },
  'workspace.created': { data: WorkspaceReference, description: 'The workspace was created.' },
  'workspace.updated': {
    data: Workspace,
    description: 'The name, icon or another setting of the workspace was changed.',
  },
  'workspace.seeded': { data: SeededContent, description: 'Sample data was added to the workspace.' },
} as const satisfies Record<EventType, { data: TSchema; description: string }>

/** What is sent to a webhook as a test. It is in no log. */
export const webhookPing = {
  data: Webhook,
  description: 'A test that you asked for with `POST /v2/webhooks/{id}/ping`.',
}

export type EventData<T extends EventType> = Static<(typeof eventDefinitions)[T]['data']>

/** An event of one type, or of several: `type` tells the shape of `data`. */
export type EventOf<T extends EventType> = {
  [K in T]: Omit<Static<typeof AnyEvent>, 'type' | 'data'> & { type: K; data: EventData<K> }
}[T]
export type Event = EventOf<EventType>

const AnyEvent = Shape('Event', {
  id: Type.String({
    description: 'Grows with every event of the workspace; use it to continue from here, and to detect duplicates.',
  }),
  type: Choice(eventTypes),
  timestamp: Timestamp,
  workspace_id: Id,
  actor: Nullable(Author, 'Who did it; null for whoever operates the server.'),
  via: Nullable(
    Shape('Via', { name: Type.String() }),
    'The program that the actor used, such as an agent; null where they used the web app or called the API.',
  ),
  is_redacted: Type.Boolean({
    description: 'The post, comment or message it is about has been deleted: `data` no longer holds its content.',
  }),
  data: Type.Unsafe<EventData<EventType>>({
    anyOf: [...new Set(Object.values(eventDefinitions).map(({ data }) => data))],
    description: 'The record as of this change. Its shape follows from the type: see the documentation of events.',
  }),
})

/** An entry of the event log of a workspace. */
export const Event = Type.Unsafe<Event>(AnyEvent)

/** The longest time that a long poll can wait for events. */
export const MAX_WAIT_SECONDS = 30

export const events = {
  list: operation({
    method: 'GET',
    path: '/v2/events',
    depends: 'nothing',
    summary: 'Read the log of the workspace, or follow it live.',
    description:
      'Lists the events that you may see at this moment, oldest first. With `Accept: text/event-stream`, the response is a live stream of server-sent events, which continues after `Last-Event-ID`.',
    access: 'read',
    query: Type.Object({
      after: Type.Optional(
        Type.String({
          description:
            'The id of the last event you have, or `now` for the end of the log: `next_cursor` is then where new events begin. Left out: from the oldest event.',
        }),
      ),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: PAGE_SIZE, default: PAGE_SIZE, description: 'Events per page.' }),
      ),
      types: Type.Optional(
        Type.Array(Choice(eventTypes), { description: 'Only these types, separated by commas, or repeated.' }),
      ),
      wait: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: MAX_WAIT_SECONDS,
          description: 'Seconds to wait for something to happen when there is nothing yet.',
        }),
      ),
    }),
    output: Type.Object(
      {
        data: Type.Array(Event),
        next_cursor: Type.String({ description: 'Send it as `after` to go on from here; never null.' }),
        has_more: Type.Boolean({ description: 'Whether there is more to read at once.' }),
      },
      { additionalProperties: false },
    ),
    errors: ['event_gone', 'history_changed', 'too_many_streams'],
  }),
}
