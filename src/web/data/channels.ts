import { useQuery } from '@tanstack/react-query'
import type { Input } from '../../contract'
import type { Channel } from '../../contract/channels'
import type { Post } from '../../contract/posts'
import { notify, notifyProblem } from '../parts/notices'
import { loadAll } from './pages'
import { cache, parley } from './parley'

const CHANNELS = ['channels']
const ARCHIVED = ['archived-channels']
const BY_NAME = { sort: 'name', direction: 'asc' } as const

const channelsQuery = { queryKey: CHANNELS, queryFn: () => loadAll(parley.channels.list(BY_NAME)) }

/** All visible channels, by name. */
export const useChannels = () => useQuery(channelsQuery)

/** The same, read again: no event tells when a comment makes a channel active. */
export const useActiveChannels = () => useQuery({ ...channelsQuery, refetchOnMount: 'always' })

export const useChannel = (id: string | undefined) => useChannels().data?.find((channel) => channel.id === id)

/** For admins only. */
export const useArchivedChannels = (enabled: boolean) =>
  useQuery({
    queryKey: ARCHIVED,
    queryFn: () => loadAll(parley.channels.list({ ...BY_NAME, archived: true })),
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

export async function createChannel(input: Input<'channels.create'>): Promise<Channel> {
  const channel = await parley.channels.create(input)
  putChannel(channel)
  return channel
}

/** Renames and describes a channel. Throws what is wrong with either. */
export async function describeChannel(channel: Channel, changes: { name: string; description: string }) {
  putChannel(await parley.channels.update({ id: channel.id, ...changes }))
}

/** Makes a channel private or public: shown at once, undone if the request fails. */
export async function setChannelPrivate(channel: Channel, isPrivate: boolean) {
  putChannel({ ...channel, is_private: isPrivate })
  try {
    putChannel(await parley.channels.update({ id: channel.id, private: isPrivate }))
    void refreshMembers(channel.id)
  } catch (error) {
    putChannel(channel)
    notifyProblem(`Couldn't make ${channel.name} ${channel.is_private ? 'public' : 'private'}.`, error)
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
    notifyProblem(`Couldn't archive ${channel.name}.`, error)
  }
}

export async function unarchiveChannel(channel: Channel) {
  putChannel({ ...channel, archived_at: null })
  try {
    putChannel(await parley.channels.update({ id: channel.id, archived: false }))
  } catch (error) {
    putChannel(channel)
    notifyProblem(`Couldn't unarchive ${channel.name}.`, error)
  }
}

export const refresh = () => cache.invalidateQueries({ queryKey: CHANNELS })
export const refreshMembers = (id: string) => cache.invalidateQueries({ queryKey: ['channel-members', id] })

const changeChannel = (id: string, change: (channel: Channel) => Channel) =>
  cache.setQueryData<Channel[]>(CHANNELS, (channels) =>
    channels?.map((known) => (known.id === id ? change(known) : known)),
  )

export const countPost = ({ data: { channel, last_activity_at } }: { data: Post }) =>
  changeChannel(channel.id, (known) => ({ ...known, posts_count: known.posts_count + 1, last_activity_at }))

export const discountPost = ({ data: { channel } }: { data: Post }) =>
  changeChannel(channel.id, (known) => ({ ...known, posts_count: Math.max(0, known.posts_count - 1) }))

/** Removes a channel that the member can no longer see. */
export function dropChannel(id: string) {
  dropFrom(CHANNELS, id)
  dropFrom(ARCHIVED, id)
}
