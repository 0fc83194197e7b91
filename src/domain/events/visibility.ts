import type { EventType } from '../../contract/event-types'
import { timeOfId } from '../ids'
import { canManage, seesPublic, type Viewer } from '../permissions'
import { type Group, rowOf, typesWhere } from './table'

/** The channels and threads that a viewer can see at this moment, by key. */
export interface Visibility {
  channels: Set<number>
  /** Channels they could see if these were not archived. */
  archivedChannels: Set<number>
  threads: Set<number>
}

/** The keys of an event's recipients, as a text in which one key can be found: `,12,55,`. */
export const recipientList = (keys: readonly number[]): string => (keys.length > 0 ? `,${keys.join(',')},` : '')

/** What a text can mention besides members and apps: a group, by its key; everyone in its channel; or those of them who are online. */
export type NamedGroup = number | 'channel' | 'here'

/** These as a text, and back: `,channel,12,`. However many people they are, the text is short. */
export const groupList = (named: readonly NamedGroup[]): string => (named.length > 0 ? `,${named.join(',')},` : '')

export const groupsOf = (list: string): NamedGroup[] =>
  list === ''
    ? []
    : list
        .slice(1, -1)
        .split(',')
        .map((name) => (name === 'channel' || name === 'here' ? name : Number(name)))

export interface LocatedEvent {
  type: string
  /** 0 where it did not happen in a channel; likewise for threads. */
  channel_key: number
  thread_key: number
  /** See `recipientList`; empty where it is addressed to nobody. */
  recipients: string
  created_at: number
}

/** Whether a viewer is in a group. SQL says the same, in store/log/events.ts. */
const isIn: { [G in Group]: (viewer: Viewer, visibility: Visibility, event: LocatedEvent) => boolean } = {
  channel: (_, { channels }, { channel_key }) => channels.has(channel_key),
  archivedChannel: (_, { archivedChannels }, { channel_key }) => archivedChannels.has(channel_key),
  hiddenChannel: isHiddenFrom,
  thread: (_, { threads }, { thread_key }) => threads.has(thread_key),
  recipients: ({ author }, _, { recipients }) => recipients.includes(recipientList([author.key])),
  everyone: () => true,
  allButGuests: seesPublic,
  admins: canManage,
}

export const groups = Object.keys(isIn) as Group[]

/** The types of events that a group can see. */
export const eventTypesFor = (group: Group): EventType[] => typesWhere(({ audience }) => audience.includes(group))

/** Whether a viewer can see an event. Nobody can see a type that this version does not know. */
export const isEventVisible = (viewer: Viewer, visibility: Visibility, event: LocatedEvent): boolean =>
  rowOf(event.type)?.audience.some((group) => isIn[group](viewer, visibility, event)) ?? false

/**
 * The time from which a viewer could see public channels. One who joined after a channel became private must not learn that
 * it exists.
 */
export const joinedAt = ({ author }: Viewer): number => timeOfId(author.id)

/** Whether a viewer could see a channel while it was public, and cannot now. 0 is no channel. */
function isHiddenFrom(
  viewer: Viewer,
  { channels, archivedChannels }: Visibility,
  { channel_key, created_at }: LocatedEvent,
): boolean {
  if (channel_key === 0 || !seesPublic(viewer) || joinedAt(viewer) > created_at) return false
  return !channels.has(channel_key) && !archivedChannels.has(channel_key)
}

/** A type that this version does not know may change anything. */
const affectedBy = (type: string) => rowOf(type)?.affects ?? 'all'

/** Whether an event may change who can see what, or who may call at all. */
export const changesVisibility = (type: string): boolean => affectedBy(type) !== 'nobody'

interface Change extends LocatedEvent {
  actor_key: number
  data: string
}

/**
 * Updates a viewer's visibility from an event, so that a thousand streams need not query the database for each. Returns
 * false if the event does not say enough: then the caller must query. `tokenId` is the token the viewer called with.
 */
export function updateVisibility(visibility: Visibility, viewer: Viewer, tokenId: string, event: Change): boolean {
  switch (affectedBy(event.type)) {
    case 'nobody':
      return true
    case 'named':
      return !event.data.includes(viewer.author.id) && !event.data.includes(tokenId)
    case 'channel':
      return updateChannel(visibility, viewer, event)
    case 'all':
      return false
  }
}

function updateChannel({ channels, archivedChannels }: Visibility, viewer: Viewer, event: Change): boolean {
  const { is_private, archived_at } = JSON.parse(event.data) as { is_private: boolean; archived_at: string | null }
  const key = event.channel_key
  const isCreator = event.type === 'channel.created' && event.actor_key === viewer.author.key
  const isKnown = channels.has(key) || archivedChannels.has(key)
  // Only the database knows who is a member of a channel that may have become private.
  if (event.type === 'channel.updated' && is_private && isKnown) return false
  if (!isCreator && !isKnown && (is_private || !seesPublic(viewer))) return true

  channels.delete(key)
  archivedChannels.delete(key)
  ;(archived_at === null ? channels : archivedChannels).add(key)
  return true
}
