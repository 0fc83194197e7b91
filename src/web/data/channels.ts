import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ApiError } from '../../client/errors'
import type { Input } from '../../contract'
import { fold } from '../../contract/browser/fold'
import { naturalKey } from '../../contract/browser/natural-order'
import type { Channel } from '../../contract/channels'
import { notify, notifyProblem } from '../parts/notices'
import { keys } from './cache/keys'
import { placeRecord } from './cache/lists'
import { optimistic, useShown } from './cache/optimistic'
import { loadAll, usePages } from './cache/pages'
import { cache, parley } from './cache/parley'
import {
  type Change,
  type ChannelFilter,
  change,
  changesOf,
  findLoaded,
  isNamedBefore,
  markStale,
  patch,
  put,
  putOwn,
  update,
} from './cache/records'
import { markPeopleStale } from './channel-members'
import { useMe } from './me'

/** The channels the member is in, by name. The sidebar shows all of them, so they are loaded as a whole. */
export const useChannels = () =>
  useShown<Channel[]>({
    queryKey: keys.channels,
    queryFn: async () => sortByName(await loadAll(parley.channels.list({ ...BY_NAME, joined: true }))),
  })

const BY_NAME = { sort: 'name', direction: 'asc' } as const
const BY_ACTIVITY = { sort: 'last_activity_at', direction: 'desc' } as const
const BY_MATCH = { sort: 'best_match', direction: 'desc' } as const

/** As the events that follow will keep it, whatever the order of the server. */
const sortByName = (channels: Channel[]) =>
  channels
    .map((channel) => [naturalKey(fold(channel.name)), channel] as const)
    .sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
    .map(([, channel]) => channel)

/** Whether the member is in a channel; undefined until that is known. */
export const useIsJoined = (id: string): boolean | undefined => useChannels().data?.some((channel) => channel.id === id)

/** Guests see nothing but the channels they were added to, so they cannot write a post without one. */
export function useIsInNoChannel(): boolean {
  const { role } = useMe()
  return useChannels().data?.length === 0 && role === 'guest'
}

/** A channel that the member may see. Those they are not in are loaded one by one: there may be thousands. */
export function useChannel(id: string | undefined) {
  const joined = useChannels()
  const known = joined.data?.find((channel) => channel.id === id)
  const single = useShown<Channel>({
    queryKey: keys.channel(id ?? ''),
    queryFn: () => parley.channels.get({ id: id! }),
    enabled: id !== undefined && !known && !joined.isPending,
    placeholderData: () => findLoaded('channel', id!),
  })
  const isRefused = single.error instanceof ApiError && single.error.status === 404
  const channel = known ?? (isRefused ? undefined : single.data)
  const isArchived = channel !== undefined && channel.archived_at !== null
  return {
    channel: isArchived ? undefined : channel,
    /** Whether it does not exist, was archived, or is private and the member not in it. */
    isMissing: !known && (isRefused || isArchived),
  }
}

const toQuery = ({ tab, q, sort }: ChannelFilter) => ({
  sort,
  direction: sort === 'name' ? ('asc' as const) : ('desc' as const),
  ...(q && { q }),
  ...(tab === 'joined' && { joined: true }),
  ...(tab === 'archived' && { archived: true }),
})

/** The pages of channels where one browses them; read again each time, as no event tells when a comment makes one active. */
export const useChannelList = (filter: ChannelFilter, from?: string) =>
  usePages<Channel>(
    keys.channelList(filter),
    (after) => parley.channels.list({ ...toQuery(filter), ...(after && { after }) }),
    { keepPrevious: true, staleTime: 0, ...(from && { from }) },
  )

/** How many channels match on each tab; the archived ones are for admins only. */
export const useChannelCounts = (q: string | undefined, withArchived: boolean) =>
  useQuery({
    queryKey: [...keys.channelCounts, q, withArchived],
    queryFn: async () => {
      const count = async (filter: object) =>
        (await parley.channels.list({ ...(q && { q }), ...filter, limit: 1 })).total_count
      const [all, joined, archived] = await Promise.all([
        count({}),
        count({ joined: true }),
        withArchived ? count({ archived: true }) : 0,
      ])
      return { all, joined, archived }
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
  }).data

/** Channels to choose from: those the member is in, then those of the others that match a text best, or are active. */
export function useOfferedChannels(q = ''): Channel[] {
  const joined = useChannels().data ?? []
  const found = useQuery({
    queryKey: [...keys.offeredChannels, { q }],
    queryFn: async ({ signal }) => (await parley.channels.list(q ? { q, ...BY_MATCH } : BY_ACTIVITY, { signal })).data,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    gcTime: 60_000,
  })
  const ids = new Set(joined.map(({ id }) => id))
  return [...joined, ...sortByName((found.data ?? []).filter(({ id }) => !ids.has(id)))]
}

const defaultChannelsKey = [...keys.offeredChannels, 'default']

/** The channels that newcomers are in, for admins. */
export const useDefaultChannels = () =>
  useQuery({
    queryKey: defaultChannelsKey,
    queryFn: () => loadAll(parley.channels.list({ ...BY_NAME, default: true })),
    staleTime: 0,
  })

/** Archived channels with a text in their names, for admins. */
export const useArchivedMatches = (q: string, enabled: boolean): Channel[] =>
  useQuery({
    queryKey: [...keys.offeredChannels, 'archived', q],
    queryFn: async () => (await parley.channels.list({ q, archived: true, ...BY_MATCH })).data,
    enabled: enabled && q !== '',
  }).data ?? []

export async function createChannel(input: Input<'channels.create'>): Promise<Channel> {
  const channel = await parley.channels.create(input)
  putOwn('channel', channel)
  addJoined(channel)
  return channel
}

/** Renames and describes a channel. Throws what is wrong with either. */
export async function describeChannel(channel: Channel, changes: { name: string; description: string }) {
  put('channel', await parley.channels.update({ id: channel.id, ...changes }))
}

/** Makes a channel private or public: shown at once, undone if the request fails. */
export async function setChannelPrivate({ id, name }: Channel, is_private: boolean) {
  try {
    await optimistic(
      changesOf('channel', id, (channel) => ({
        ...channel,
        is_private,
        is_default: channel.is_default && !is_private,
      })),
      () => parley.channels.update({ id, private: is_private }),
      (channel) => put('channel', channel),
    )
    markPeopleStale(id)
  } catch (error) {
    notifyProblem(`Couldn't make ${name} ${is_private ? 'private' : 'public'}.`, error)
  }
}

/** Whether everyone is in a channel from the moment they join the workspace: shown at once, undone if the request fails. */
export async function setChannelDefault(id: string, is_default: boolean) {
  try {
    await optimistic(
      changesOf('channel', id, (channel) => ({ ...channel, is_default })),
      () => parley.channels.update({ id, default: is_default }),
      (channel) => put('channel', channel),
    )
    await cache.invalidateQueries({ queryKey: defaultChannelsKey })
  } catch (error) {
    notifyProblem("Couldn't change the default channels.", error)
  }
}

/** Archives a channel without confirmation, and offers Undo. */
export async function archiveChannel(channel: Channel) {
  const { id, name } = channel
  const archived_at = new Date().toISOString()
  try {
    await optimistic(
      changesOf('channel', id, (known) => ({ ...known, archived_at })),
      () => parley.channels.delete({ id }),
      () => put('channel', { ...channel, archived_at }),
    )
    notify(`${name} was archived`, { label: 'Undo', run: () => void unarchiveChannel(channel) })
  } catch (error) {
    notifyProblem(`Couldn't archive ${name}.`, error)
  }
}

export async function unarchiveChannel({ id, name }: Channel) {
  try {
    await optimistic(
      changesOf('channel', id, (channel) => ({ ...channel, archived_at: null })),
      () => parley.channels.update({ id, archived: false }),
      (channel) => {
        put('channel', channel)
        refreshLists(channel)
      },
    )
  } catch (error) {
    notifyProblem(`Couldn't unarchive ${name}.`, error)
  }
}

/** In the list of the channels that the member is in, as far as it is loaded. */
const adding = (channel: Channel): Change =>
  change<Channel[]>(keys.channels, (channels) =>
    channels.some(({ id }) => id === channel.id)
      ? channels
      : (placeRecord(channels, channel, {
          has: ({ archived_at }) => !archived_at,
          isBefore: isNamedBefore,
        }) as Channel[]),
  )

const markListsStale = () => {
  for (const key of [keys.channelLists, keys.channelCounts, keys.offeredChannels]) markStale(key)
}

/** The member is in a channel from now on. */
export function addJoined(channel: Channel) {
  const { key, apply } = adding(channel)
  update(key, apply)
  markListsStale()
}

/** They no longer are. */
export function removeJoined(id: string) {
  const channel = findLoaded('channel', id)
  // Its page may be open.
  if (channel && !channel.is_private) cache.setQueryData<Channel>(keys.channel(id), (known) => known ?? channel)
  update<Channel[]>(keys.channels, (channels) =>
    channels.some((each) => each.id === id) ? channels.filter((each) => each.id !== id) : channels,
  )
  markListsStale()
}

/** One was made, or what decides where it is listed has changed. Whether the member was in one that was archived is not known here. */
export function refreshLists({ id, archived_at }: Channel) {
  markListsStale()
  const joined = cache.getQueryData<Channel[]>(keys.channels)
  if (!archived_at && !joined?.some((known) => known.id === id)) markStale(keys.channels)
}

/** Joins a channel: shown at once, undone if the request fails. */
export async function joinChannel(channel: Channel) {
  const { id, name } = channel
  try {
    await optimistic(
      [adding(channel)],
      () => parley.channels.join({ channel_id: id }),
      () => addJoined(channel),
    )
    markPeopleStale(id)
  } catch (error) {
    notifyProblem(`Couldn't join ${name}.`, error)
  }
}

/** Leaves a channel. A public one can be joined again; a private one is no longer visible. */
export async function leaveChannel(channel: Channel) {
  const { id, name, is_private } = channel
  try {
    await parley.channels.leave({ channel_id: id })
    removeJoined(id)
    const undo = { label: 'Undo', run: () => void joinChannel(channel) }
    notify(`You left ${name}`, is_private ? undefined : undo)
  } catch (error) {
    notifyProblem(`Couldn't leave ${name}.`, error)
  }
  markPeopleStale(id)
}

/** Nobody could see a private channel without members. */
export const getLeaveDeniedReason = ({ is_private, members_count }: Channel) =>
  is_private && members_count === 1 ? 'You are the only member of this private channel. Archive it instead.' : undefined

/** Whether the role of this member may ever create channels, and why they may not now. */
export function useCreationOfChannels(): { isOffered: boolean; deniedReason?: string } {
  const { role, workspace } = useMe()
  const isDenied = role === 'member' && !workspace.members_create_channels
  return {
    isOffered: role === 'admin' || role === 'member',
    ...(isDenied && { deniedReason: 'Only admins create channels in this workspace. Ask one of them.' }),
  }
}

/** Whether this member may rename and describe a channel, and add and remove people: admins, and who created it while in it. */
export function useMayManage({ id, creator_id }: Channel): boolean {
  const { role, author } = useMe()
  const isJoined = useIsJoined(id)
  return role === 'admin' || (role === 'member' && creator_id === author.id && isJoined === true)
}

/** Removes a channel that the member can no longer see. */
export function loseChannel(id: string) {
  patch('channel', id, () => undefined)
  void cache.resetQueries({ queryKey: keys.channel(id) })
  markListsStale()
}
