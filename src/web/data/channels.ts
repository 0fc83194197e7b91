import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Input } from '../../contract'
import type { Channel } from '../../contract/channels'
import type { Author } from '../../contract/shapes'
import { notify, notifyProblem } from '../parts/notices'
import { keys } from './cache/keys'
import { mapRecords, type Pages } from './cache/lists'
import { optimistic, useShown } from './cache/optimistic'
import { loadAll, usePages } from './cache/pages'
import { parley } from './cache/parley'
import { change, changesOf, markStale, patch, put, update } from './cache/records'

const BY_NAME = { sort: 'name', direction: 'asc' } as const

const channelsQuery = { queryKey: keys.channels, queryFn: () => loadAll(parley.channels.list(BY_NAME)) }

/** All visible channels, by name. */
export const useChannels = () => useShown<Channel[]>(channelsQuery)

/** The same, read again: no event tells when a comment makes a channel active. */
export const useActiveChannels = () => useShown<Channel[]>({ ...channelsQuery, refetchOnMount: 'always' })

export const useChannel = (id: string | undefined) => useChannels().data?.find((channel) => channel.id === id)

/** For admins only. */
export const useArchivedChannels = (enabled: boolean) =>
  useShown<Channel[]>({
    queryKey: keys.archivedChannels,
    queryFn: () => loadAll(parley.channels.list({ ...BY_NAME, archived: true })),
    enabled,
  })

export async function createChannel(input: Input<'channels.create'>): Promise<Channel> {
  const channel = await parley.channels.create(input)
  put('channel', channel)
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
      changesOf('channel', id, (channel) => ({ ...channel, is_private })),
      () => parley.channels.update({ id, private: is_private }),
      (channel) => put('channel', channel),
    )
    markStale(keys.channelMembers(id))
  } catch (error) {
    notifyProblem(`Couldn't make ${name} ${is_private ? 'private' : 'public'}.`, error)
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
      (channel) => put('channel', channel),
    )
  } catch (error) {
    notifyProblem(`Couldn't unarchive ${name}.`, error)
  }
}

/** A member of a channel; pending until the server confirms. */
export type ChannelMember = Author & { isPending?: boolean }

/** The members of a channel, most recently added first. */
export const useChannelMembers = (id: string) =>
  usePages<ChannelMember>(keys.channelMembers(id), (after) =>
    parley.channels.members({ channel_id: id, direction: 'desc', ...(after && { after }) }),
  )

const changeMembers = (channelId: string, edit: (members: Pages<ChannelMember>) => Pages<ChannelMember>) =>
  change<Pages<ChannelMember>>(keys.channelMembers(channelId), edit)

/** Adds someone to a channel. Where they are in the list is not known before it is loaded again. */
export async function addToChannel({ id }: Channel, who: Author) {
  const addFirst = (pages: Pages<ChannelMember>) => {
    const [first, ...rest] = pages.pages
    if (!first || first.data.some((member) => member.id === who.id)) return pages
    return { ...pages, pages: [{ ...first, data: [{ ...who, isPending: true }, ...first.data] }, ...rest] }
  }
  try {
    await optimistic(
      [changeMembers(id, addFirst)],
      () => parley.channels.addMember({ channel_id: id, member_id: who.id }),
      () => {},
    )
    put('channel', await parley.channels.get({ id }))
  } catch (error) {
    notifyProblem(`Couldn't add ${who.name}.`, error)
  }
  markStale(keys.channelMembers(id))
}

export async function removeFromChannel({ id }: Channel, who: Author) {
  const edit = (change: (member: ChannelMember) => ChannelMember | undefined) => (pages: Pages<ChannelMember>) =>
    mapRecords(pages, (member) => (member.id === who.id ? change(member) : member)) as Pages<ChannelMember>
  try {
    await optimistic(
      [
        changeMembers(
          id,
          edit((member) => ({ ...member, isPending: true })),
        ),
      ],
      () => parley.channels.removeMember({ channel_id: id, member_id: who.id }),
      () =>
        update<Pages<ChannelMember>>(
          keys.channelMembers(id),
          edit(() => undefined),
        ),
    )
    // A private channel is no longer visible to someone who left it.
    markStale(keys.channels)
  } catch (error) {
    notifyProblem(`Couldn't remove ${who.name}.`, error)
  }
}

const MAX_RESULTS = 8

/** Finds members and apps by part of their name or e-mail address. */
export const usePeopleSearch = (q: string, enabled: boolean) =>
  useQuery({
    queryKey: ['people-search', q],
    queryFn: () => findPeople(q),
    enabled,
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  })

async function findPeople(q: string): Promise<(Author & { note: string })[]> {
  const [members, apps] = await Promise.all([
    parley.members.list({ ...(q && { q }), limit: MAX_RESULTS }),
    parley.apps.list({ ...(q && { q }), limit: MAX_RESULTS }),
  ])
  const found = members.data
    .filter(({ is_deactivated }) => !is_deactivated)
    .map(({ id, user }) => ({
      id,
      type: 'member' as const,
      name: user.display_name,
      avatar_urls: user.avatar_urls,
      note: user.email,
    }))
  const named = apps.data.map(({ id, name, avatar_urls }) => ({
    id,
    type: 'app' as const,
    name,
    avatar_urls,
    note: 'App',
  }))
  return [...found, ...named]
}

const joinedQuery = {
  queryKey: keys.joined,
  queryFn: async () => (await loadAll(parley.channels.list({ joined: true }))).map(({ id }) => id),
}

/** The ids of the channels the member is in; undefined until they are known. */
export const useJoinedChannels = (): string[] | undefined => useShown<string[]>(joinedQuery).data

/** Whether the member is in a channel; undefined until that is known. */
export const useIsJoined = (id: string): boolean | undefined => useJoinedChannels()?.includes(id)

const withJoined = (id: string, isJoined: boolean) => (ids: string[]) =>
  ids.includes(id) === isJoined ? ids : [...ids.filter((known) => known !== id), ...(isJoined ? [id] : [])]

export const setJoined = (id: string, isJoined: boolean) => update(keys.joined, withJoined(id, isJoined))

/** Joins a channel: shown at once, undone if the request fails. */
export async function joinChannel({ id, name }: Channel) {
  try {
    await optimistic([change(keys.joined, withJoined(id, true))], () => parley.channels.join({ channel_id: id }))
    markStale(keys.channelMembers(id))
  } catch (error) {
    notifyProblem(`Couldn't join ${name}.`, error)
  }
}

/** Leaves a channel. A public one can be joined again; a private one is no longer visible. */
export async function leaveChannel(channel: Channel) {
  const { id, name, is_private } = channel
  try {
    await parley.channels.leave({ channel_id: id })
    setJoined(id, false)
    const undo = { label: 'Undo', run: () => void joinChannel(channel) }
    notify(`You left ${name}`, is_private ? undefined : undo)
  } catch (error) {
    notifyProblem(`Couldn't leave ${name}.`, error)
  }
  markStale(keys.channels)
  markStale(keys.channelMembers(id))
}

/** Removes a channel that the member can no longer see. */
export function loseChannel(id: string) {
  patch('channel', id, () => undefined)
  setJoined(id, false)
}
