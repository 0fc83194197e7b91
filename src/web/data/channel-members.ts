import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Channel } from '../../contract/channels'
import type { Author } from '../../contract/shapes'
import { notifyProblem } from '../parts/notices'
import { putChannel } from './channels'
import { addFirst, changeRecords, type Pages, usePages } from './pages'
import { cache, parley } from './parley'

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
