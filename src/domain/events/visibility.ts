import type { EventType } from '../../contract/event-types'
import { timeOfId } from '../ids'
import { canManage, seesPublic, type Viewer } from '../permissions'

/** The channels and threads that a viewer can see at this moment, by key. */
export interface Visibility {
  channels: Set<number>
  /** Channels they could see if these were not archived. */
  archivedChannels: Set<number>
  threads: Set<number>
}

/** Who can see an event. Whoever is in one of these groups can. */
export interface Audience {
  /** Those who can see the channel it happened in. */
  channel?: true
  /** Those who could see the channel it happened in before it was archived. */
  archivedChannel?: true
  /** Those who could see the channel it happened in while it was public, and cannot now. */
  hiddenChannel?: true
  /** Those who take part in the thread it happened in. */
  thread?: true
  /** Those it is addressed to. */
  recipients?: true
  /** Viewers this is true for, wherever it happened. */
  workspace?: (viewer: Viewer) => boolean
}

const inChannel: Audience = { channel: true }
const inThread: Audience = { thread: true }
const everyone: Audience = { workspace: () => true }
const allButGuests: Audience = { workspace: seesPublic }
/** Members whose own state it is about. */
const recipients: Audience = { recipients: true }
/** Admins, whose own tokens may still lack the scope. */
const admins: Audience = { workspace: canManage }
const adminsAndOwner: Audience = { workspace: canManage, recipients: true }

/** The audience of every type of event. SQL (`store/events.ts`) and memory (`isEventVisible`) both follow from it. */
const audiences: { [E in EventType]: Audience } = {
  'post.created': inChannel,
  'post.updated': inChannel,
  'post.deleted': inChannel,
  'post.resolved': inChannel,
  'post.unresolved': inChannel,
  'post.pinned': inChannel,
  'post.unpinned': inChannel,
  'comment.created': inChannel,
  'comment.updated': inChannel,
  'comment.deleted': inChannel,
  'thread.created': inThread,
  'thread.member_added': inThread,
  'thread.member_removed': inThread,
  'message.created': inThread,
  'message.updated': inThread,
  'message.deleted': inThread,
  'file.deleted': { channel: true, thread: true },
  'channel.created': inChannel,
  'channel.updated': inChannel,
  'channel.deleted': { channel: true, archivedChannel: true },
  'channel.member_added': inChannel,
  'channel.member_removed': inChannel,
  'access.lost': { recipients: true, hiddenChannel: true },
  'member.created': allButGuests,
  'member.updated': allButGuests,
  'member.deactivated': allButGuests,
  'member.reactivated': allButGuests,
  'profile.updated': allButGuests,
  'app.mentioned': { channel: true, thread: true },
  'app.created': admins,
  'app.deleted': admins,
  'token.created': admins,
  'token.revoked': admins,
  'session.created': admins,
  'session.ended': admins,
  'sign_in_link.created': admins,
  'sign_in_link.revoked': admins,
  'password.changed': admins,
  'password.removed': admins,
  'webhook.created': admins,
  'webhook.updated': admins,
  'webhook.deleted': admins,
  'hook.created': adminsAndOwner,
  'hook.updated': adminsAndOwner,
  'hook.deleted': adminsAndOwner,
  'reaction.added': { channel: true, thread: true },
  'reaction.removed': { channel: true, thread: true },
  'emoji.created': allButGuests,
  'emoji.deleted': allButGuests,
  'inbox.updated': recipients,
  'read.updated': recipients,
  'follow.updated': recipients,
  'draft.updated': recipients,
  'saved.updated': recipients,
  'workspace.created': admins,
  'workspace.updated': everyone,
  'workspace.seeded': everyone,
}

/** The types of events whose audience fits. */
export const eventTypesFor = (fits: (audience: Audience) => boolean | undefined): EventType[] =>
  (Object.keys(audiences) as EventType[]).filter((type) => fits(audiences[type]))

/** The keys of those an event is addressed to, as a text in which one key can be found: `,12,55,`. */
export const recipientList = (keys: readonly number[]): string => (keys.length > 0 ? `,${keys.join(',')},` : '')

export interface LocatedEvent {
  type: string
  /** 0 where it did not happen in a channel; likewise for threads. */
  channel_key: number
  thread_key: number
  /** See `recipientList`; empty where it is addressed to nobody. */
  recipients: string
  created_at: number
}

/** Whether a viewer can see an event. Nobody can see a type that this version does not know. */
export function isEventVisible(viewer: Viewer, visibility: Visibility, event: LocatedEvent): boolean {
  if (!Object.hasOwn(audiences, event.type)) return false
  const { channel, archivedChannel, hiddenChannel, thread, recipients, workspace } = audiences[event.type as EventType]
  return Boolean(
    (channel && visibility.channels.has(event.channel_key)) ||
      (archivedChannel && visibility.archivedChannels.has(event.channel_key)) ||
      (hiddenChannel && isHiddenFrom(viewer, visibility, event)) ||
      (thread && visibility.threads.has(event.thread_key)) ||
      (recipients && event.recipients.includes(recipientList([viewer.author.key]))) ||
      workspace?.(viewer),
  )
}

/**
 * The time from which a viewer could see public channels. Whoever joined after a channel became private must not hear that
 * there is one.
 */
export const joinedAt = ({ author }: Viewer): number => timeOfId(author.id)

/** Whether a viewer could see a channel while it was public, and cannot now. 0 is no channel. */
const isHiddenFrom = (
  viewer: Viewer,
  { channels, archivedChannels }: Visibility,
  { channel_key, created_at }: LocatedEvent,
): boolean =>
  channel_key !== 0 &&
  seesPublic(viewer) &&
  joinedAt(viewer) <= created_at &&
  !channels.has(channel_key) &&
  !archivedChannels.has(channel_key)
