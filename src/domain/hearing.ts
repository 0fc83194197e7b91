import { canManage, seesPublic, type Viewer } from './permissions'

/** What a viewer may hear of: the channels and threads they see at this moment. */
export interface Sight {
  channels: Set<number>
  /** Channels they would see, had they not been archived. */
  archivedChannels: Set<number>
  threads: Set<number>
}

interface Heard {
  type: string
  channel_key: number
  thread_key: number
}

/** Whether an event is about something this viewer may see. One rule with `isVisible` in store/events.ts. */
export function canHear(viewer: Viewer, sight: Sight, { type, channel_key, thread_key }: Heard): boolean {
  if (channel_key !== 0)
    return sight.channels.has(channel_key) || (type === 'channel.deleted' && sight.archivedChannels.has(channel_key))
  if (thread_key !== 0) return sight.threads.has(thread_key)
  return canManage(viewer) || (seesPublic(viewer) && type.startsWith('member.'))
}

/** Events that may change who sees what, or who may ask at all. */
export const changesSight = (type: string): boolean => ofChannels.test(type) || ofThoseNamed.test(type)

const ofChannels = /^(channel\.(created|updated|deleted)|workspace\.seeded)$/
const ofThoseNamed =
  /^(channel\.member_(added|removed)|thread\.created|member\.(updated|deactivated|reactivated)|app\.deleted|token\.revoked|session\.ended)$/

interface Change extends Heard {
  actor_key: number
  data: string
}

/**
 * Changes what a viewer sees by what an event says, so that a thousand readers need not look it up all at once. False
 * where the event does not say enough: then it must be looked up. `tokenId` is the token by which they came.
 */
export function adaptSight(sight: Sight, viewer: Viewer, tokenId: string, event: Change): boolean {
  if (ofThoseNamed.test(event.type)) return !event.data.includes(viewer.author.id) && !event.data.includes(tokenId)
  if (event.type === 'workspace.seeded') return false
  if (!ofChannels.test(event.type)) return true

  const { is_private, archived_at } = JSON.parse(event.data) as { is_private: boolean; archived_at: string | null }
  const key = event.channel_key
  const isTheirs = event.type === 'channel.created' && event.actor_key === viewer.author.key
  const isKnown = sight.channels.has(key) || sight.archivedChannels.has(key)
  // Who stays in a channel that is private now is known to nobody but the database.
  if (event.type === 'channel.updated' && is_private && isKnown) return false
  if (!isTheirs && !isKnown && (is_private || !seesPublic(viewer))) return true
  sight.channels.delete(key)
  sight.archivedChannels.delete(key)
  ;(archived_at === null ? sight.channels : sight.archivedChannels).add(key)
  return true
}
