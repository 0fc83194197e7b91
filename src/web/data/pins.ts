import { useQuery } from '@tanstack/react-query'
import type { EventOf } from '../../contract/events'
import type { Pin } from '../../contract/pins'
import type { Post } from '../../contract/posts'
import { notifyProblem } from '../parts/notices'
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
  if (!isPinned) dropPin(post.id)
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

export const dropPin = (postId: string) => changePins((pin) => (pin.post.id === postId ? undefined : pin))

export const putPinned = ({ data, is_redacted }: { data: Post; is_redacted: boolean }) => {
  if (!is_redacted) changePins((pin) => (pin.post.id === data.id ? { ...pin, post: data } : pin))
}

export function handlePinned({ data, type, timestamp }: EventOf<'post.pinned' | 'post.unpinned'>) {
  postStates.change(data.id, { pinned_at: type === 'post.pinned' ? timestamp : null })
  refreshPins(data)
}
