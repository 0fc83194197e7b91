import { canManage, seesPublic, type Viewer } from './permissions'

/** What a viewer may hear of: the channels and threads they see at this moment. */
export interface Sight {
  channels: ReadonlySet<number>
  /** Channels they would see, had they not been archived. */
  archivedChannels: ReadonlySet<number>
  threads: ReadonlySet<number>
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

/** Whether an event may change who sees what, or who may ask at all. */
export const changesSight = (type: string): boolean =>
  /^(channel\.|thread\.created|member\.(updated|deactivated|reactivated)|app\.deleted|token\.revoked)/.test(type)
