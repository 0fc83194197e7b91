import { useQuery } from '@tanstack/react-query'
import type { Pin } from '../../contract/pins'
import type { Post } from '../../contract/posts'
import { notifyProblem } from '../parts/notices'
import type { EventHandlers } from './event-handlers'
import { cache, parley } from './parley'
import { postStates } from './states'

const PINS = ['pins']
const pinsKey = (channelId: string) => [...PINS, channelId]

/** The pinned posts of a channel, most recently pinned first. All fit on one page. */
export const usePins = (channelId: string | undefined) =>
  useQuery({
    queryKey: pinsKey(channelId ?? ''),
    queryFn: async () => (await parley.pins.list({ channel_id: channelId! })).data,
    enabled: channelId !== undefined,
  })

/** Pins or unpins a post. The change is shown at once, and undone if the request fails. */
export async function setPinned(post: Post, isPinned: boolean) {
  const before = postStates.get(post.id)?.pinned_at ?? null
  postStates.change(post.id, { pinned_at: isPinned ? new Date().toISOString() : null })
  if (!isPinned) changePins((pin) => (pin.post.id === post.id ? undefined : pin))
  try {
    await (isPinned ? parley.pins.set : parley.pins.unset)({ post_id: post.id })
  } catch (error) {
    postStates.change(post.id, { pinned_at: before })
    notifyProblem(`Couldn't ${isPinned ? 'pin' : 'unpin'} the post.`, error)
  }
  refreshPins(post)
}

const refreshPins = ({ channel }: Post) => void cache.invalidateQueries({ queryKey: pinsKey(channel.id) })

const changePins = (change: (pin: Pin) => Pin | undefined) =>
  cache.setQueriesData<Pin[]>({ queryKey: PINS }, (pins) => pins?.flatMap((pin) => change(pin) ?? []))

const putPinned = ({ data, is_redacted }: { data: Post; is_redacted: boolean }) => {
  if (!is_redacted) changePins((pin) => (pin.post.id === data.id ? { ...pin, post: data } : pin))
}

export const pinEventHandlers: EventHandlers = {
  'post.pinned': ({ data, timestamp }) => {
    postStates.change(data.id, { pinned_at: timestamp })
    refreshPins(data)
  },
  'post.unpinned': ({ data }) => {
    postStates.change(data.id, { pinned_at: null })
    refreshPins(data)
  },
  'post.updated': putPinned,
  'post.resolved': putPinned,
  'post.unresolved': putPinned,
  'post.deleted': ({ data }) => void changePins((pin) => (pin.post.id === data.id ? undefined : pin)),
}
