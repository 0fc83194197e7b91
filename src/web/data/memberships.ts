import { useQuery } from '@tanstack/react-query'
import type { Channel } from '../../contract/channels'
import type { EventOf } from '../../contract/events'
import type { Me } from '../../contract/me'
import { notify, notifyProblem } from '../parts/notices'
import { putChannel } from './channels'
import { meQuery } from './me'
import { loadAll } from './pages'
import { cache, parley } from './parley'

export const JOINED = ['joined-channels']

const joinedQuery = {
  queryKey: JOINED,
  queryFn: async () => (await loadAll(parley.channels.list({ joined: true }))).map(({ id }) => id),
}

/** The ids of the channels the member is in; undefined until they are known. */
export const useJoinedChannels = (): string[] | undefined => useQuery(joinedQuery).data

/** Whether the member is in a channel; undefined until that is known. */
export const useIsJoined = (id: string): boolean | undefined => useQuery(joinedQuery).data?.includes(id)

export const setJoined = (id: string, isJoined: boolean) =>
  cache.setQueryData<string[]>(
    JOINED,
    (ids) => ids && [...ids.filter((known) => known !== id), ...(isJoined ? [id] : [])],
  )

/** Joins a channel: shown at once, undone if the request fails. */
export async function joinChannel(channel: Channel) {
  setJoined(channel.id, true)
  putChannel({ ...channel, members_count: channel.members_count + 1 })
  try {
    await parley.channels.join({ channel_id: channel.id })
  } catch (error) {
    setJoined(channel.id, false)
    putChannel(channel)
    notifyProblem(`You did not join ${channel.name}.`, error)
  }
  await cache.invalidateQueries({ queryKey: ['channel-members', channel.id] })
}

/** Leaves a channel. A public one can be joined again; a private one is no longer visible. */
export async function leaveChannel(channel: Channel) {
  try {
    await parley.channels.leave({ channel_id: channel.id })
    setJoined(channel.id, false)
    const undo = {
      label: 'Undo',
      run: () => void joinChannel({ ...channel, members_count: channel.members_count - 1 }),
    }
    notify(`You left ${channel.name}`, channel.is_private ? undefined : undo)
  } catch (error) {
    notifyProblem(`You are still in ${channel.name}.`, error)
  }
  await Promise.all([
    cache.invalidateQueries({ queryKey: ['channels'] }),
    cache.invalidateQueries({ queryKey: ['channel-members', channel.id] }),
  ])
}

const isMe = (id: string | undefined) => cache.getQueryData<Me>(meQuery.queryKey)?.author.id === id

interface MembershipEvent {
  data: { channel: Channel; member: { id: string } }
}

export const onMembership =
  (isJoined: boolean) =>
  ({ data: { channel, member } }: MembershipEvent) => {
    if (isMe(member.id)) setJoined(channel.id, isJoined)
  }

/** The creator of a channel is in it. */
export function handleCreated({ actor, data }: EventOf<'channel.created'>) {
  if (isMe(actor?.id)) setJoined(data.id, true)
}
