import { useQuery } from '@tanstack/react-query'
import type { Channel } from '../../contract/channels'
import { notify, notifyProblem } from '../parts/notices'
import type { EventHandlers } from './event-handlers'
import { loadAll } from './load-all'
import { cache, parley } from './parley'

const CHANNELS = ['channels']
const ARCHIVED = ['archived-channels']
const BY_NAME = { sort: 'name', direction: 'asc' } as const

/** All visible channels, by name. */
export const useChannels = () => useQuery({ queryKey: CHANNELS, queryFn: () => loadAll(parley.channels.list, BY_NAME) })

export const useChannel = (id: string | undefined) => useChannels().data?.find((channel) => channel.id === id)

/** For admins only. */
export const useArchivedChannels = (enabled: boolean) =>
  useQuery({
    queryKey: ARCHIVED,
    queryFn: () => loadAll(parley.channels.list, { ...BY_NAME, archived: true }),
    enabled,
  })

const byName = (a: Channel, b: Channel) => a.name.localeCompare(b.name)

const putInto = (key: string[], channel: Channel) =>
  cache.setQueryData<Channel[]>(
    key,
    (channels) => channels && [...channels.filter(({ id }) => id !== channel.id), channel].sort(byName),
  )

const dropFrom = (key: string[], id: string) =>
  cache.setQueryData<Channel[]>(key, (channels) => channels?.filter((channel) => channel.id !== id))

/** Moves a channel into the list it belongs to: active or archived. */
export function putChannel(channel: Channel) {
  const [to, from] = channel.archived_at ? [ARCHIVED, CHANNELS] : [CHANNELS, ARCHIVED]
  dropFrom(from, channel.id)
  putInto(to, channel)
}

export async function createChannel(name: string, isPrivate: boolean): Promise<Channel> {
  const channel = await parley.channels.create({ name, private: isPrivate })
  putChannel(channel)
  return channel
}

/** Renames a channel. Throws what is wrong with the name. */
export async function renameChannel(channel: Channel, name: string) {
  putChannel(await parley.channels.update({ id: channel.id, name }))
}

/** Makes a channel private or public: shown at once, undone if the request fails. */
export async function setChannelPrivate(channel: Channel, isPrivate: boolean) {
  putChannel({ ...channel, is_private: isPrivate })
  try {
    putChannel(await parley.channels.update({ id: channel.id, private: isPrivate }))
    void refreshMembers(channel.id)
  } catch (error) {
    putChannel(channel)
    notifyProblem(`${channel.name} is still ${channel.is_private ? 'private' : 'public'}.`, error)
  }
}

/** Archives a channel without confirmation, and offers Undo. */
export async function archiveChannel(channel: Channel) {
  putChannel({ ...channel, archived_at: new Date().toISOString() })
  try {
    await parley.channels.delete({ id: channel.id })
    notify(`${channel.name} was archived`, { label: 'Undo', run: () => void unarchiveChannel(channel) })
  } catch (error) {
    putChannel(channel)
    notifyProblem(`${channel.name} was not archived.`, error)
  }
}

export async function unarchiveChannel(channel: Channel) {
  putChannel({ ...channel, archived_at: null })
  try {
    putChannel(await parley.channels.update({ id: channel.id, archived: false }))
  } catch (error) {
    putChannel(channel)
    notifyProblem(`${channel.name} was not unarchived.`, error)
  }
}

const refresh = () => cache.invalidateQueries({ queryKey: CHANNELS })
const refreshMembers = (id: string) => cache.invalidateQueries({ queryKey: ['channel-members', id] })

const addToPostsCount = (change: 1 | -1) => {
  return ({ data: { channel } }: { data: { channel: { id: string } } }) =>
    cache.setQueryData<Channel[]>(CHANNELS, (channels) =>
      channels?.map((known) =>
        known.id === channel.id ? { ...known, posts_count: Math.max(0, known.posts_count + change) } : known,
      ),
    )
}

export const channelEventHandlers: EventHandlers = {
  'channel.created': ({ data }) => putChannel(data),
  'channel.updated': ({ data }) => putChannel(data),
  'channel.deleted': ({ data }) => putChannel(data),
  'channel.member_added': ({ data }) => {
    putChannel(data.channel)
    void refreshMembers(data.channel.id)
  },
  // The channel may no longer be visible.
  'channel.member_removed': ({ data }) => {
    void refresh()
    void refreshMembers(data.channel.id)
  },
  'post.created': addToPostsCount(1),
  'post.deleted': addToPostsCount(-1),
  'workspace.seeded': () => void refresh(),
}
