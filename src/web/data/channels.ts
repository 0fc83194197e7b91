import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Input } from '../../contract'
import type { Channel } from '../../contract/channels'
import type { EventOf } from '../../contract/events'
import type { Me } from '../../contract/me'
import type { Post } from '../../contract/posts'
import type { Author } from '../../contract/shapes'
import { notify, notifyProblem } from '../parts/notices'
import { addFirst, changeRecords, loadAll, type Pages, usePages } from './cache/pages'
import { cache, parley } from './cache/parley'
import { meQuery } from './me'

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

/** A member of a channel; pending until the server confirms. */
export type ChannelMember = Author & { isPending?: boolean }

const membersKey = (id: string) => ['channel-members', id]

/** The members of a channel, most recently added first. */
export const useChannelMembers = (id: string) =>
  usePages<ChannelMember>(membersKey(id), (after) =>
    parley.channels.members({ channel_id: id, direction: 'desc', ...(after && { after }) }),
  )

export async function addToChannel(channel: Channel, who: Author) {
  const key = membersKey(channel.id)
  cache.setQueryData<Pages<ChannelMember>>(key, (pages) => pages && addFirst(pages, { ...who, isPending: true }))
  try {
    await parley.channels.addMember({ channel_id: channel.id, member_id: who.id })
    putChannel(await parley.channels.get({ id: channel.id }))
  } catch (error) {
    notifyProblem(`Couldn't add ${who.name}.`, error)
  }
  await cache.invalidateQueries({ queryKey: key })
}

export async function removeFromChannel(channel: Channel, who: Author) {
  const key = membersKey(channel.id)
  const mark = (isPending: boolean) =>
    changeRecords<ChannelMember>(key, (member) => (member.id === who.id ? { ...member, isPending } : member))
  mark(true)
  try {
    await parley.channels.removeMember({ channel_id: channel.id, member_id: who.id })
    changeRecords<ChannelMember>(key, (member) => (member.id === who.id ? undefined : member))
    // A private channel is no longer visible to someone who left it.
    await cache.invalidateQueries({ queryKey: ['channels'] })
  } catch (error) {
    mark(false)
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
