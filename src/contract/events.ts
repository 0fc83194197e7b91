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
import { Hook } from './hooks'
import { InboxChange } from './inbox'
import { Member, Profile } from './members'
import { Message } from './messages'
import { operation } from './operation'
import { Post } from './posts'
import { ReactionChange } from './reactions'
import { ReadChange } from './reads'
import { SavedChange } from './saved'
import { AccountNote, SessionNote } from './sessions'
import { Author, Choice, Id, LostAccess, Nullable, Shape, Timestamp } from './shapes'
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

/** All events, and their data: the record as of that change. */
export const eventData = {
  'post.created': Post,
  'post.updated': Post,
  'post.deleted': Post,
  'post.resolved': Post,
  'post.unresolved': Post,
  'post.pinned': Post,
  'post.unpinned': Post,
  'comment.created': Comment,
  'comment.updated': Comment,
  'comment.deleted': Comment,
  'thread.created': Thread,
  'thread.member_added': ThreadMembership,
  'thread.member_removed': ThreadMembership,
  'message.created': Message,
  'message.updated': Message,
  'message.deleted': Message,
  'file.deleted': DeletedFile,
  'channel.created': Channel,
  'channel.updated': Channel,
  'channel.deleted': Channel,
  'channel.member_added': Membership,
  'channel.member_removed': Membership,
  'access.lost': LostAccess,
  'member.created': Member,
  'member.updated': Member,
  'member.deactivated': Member,
  'member.reactivated': Member,
  'profile.updated': Profile,
  'app.mentioned': Mention,
  'app.created': App,
  'app.deleted': App,
  'token.created': Token,
  'token.revoked': Token,
  'session.created': SessionNote,
  'session.ended': SessionNote,
  'sign_in_link.created': SignInLinkNote,
  'sign_in_link.revoked': SignInLinkNote,
  'password.changed': AccountNote,
  'password.removed': AccountNote,
  'webhook.created': Webhook,
  'webhook.updated': Webhook,
  'webhook.deleted': Webhook,
  'hook.created': Hook,
  'hook.updated': Hook,
  'hook.deleted': Hook,
  'reaction.added': ReactionChange,
  'reaction.removed': ReactionChange,
  'emoji.created': CustomEmoji,
  'emoji.deleted': CustomEmoji,
  'inbox.updated': InboxChange,
  'read.updated': ReadChange,
  'follow.updated': Follow,
  'draft.updated': DraftChange,
  'saved.updated': SavedChange,
  'workspace.created': WorkspaceReference,
  'workspace.updated': Workspace,
  'workspace.seeded': SeededContent,
} as const satisfies Record<EventType, TSchema>

export type EventData<T extends EventType> = Static<(typeof eventData)[T]>

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
    anyOf: [...new Set(Object.values(eventData))],
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
    volatile: true,
  }),
}
