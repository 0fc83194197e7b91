import { keepPreviousData, type QueryKey, useQuery } from '@tanstack/react-query'
import type { Channel } from '../../contract/channels'
import type { Author } from '../../contract/shapes'
import { notifyProblem } from '../parts/notices'
import { keys } from './cache/keys'
import { mapRecords, type Pages } from './cache/lists'
import { optimistic } from './cache/optimistic'
import { usePages } from './cache/pages'
import { parley } from './cache/parley'
import { type Change, change, markStale, put, update } from './cache/records'

/** The latest members of a channel, whose faces are beside its name. */
export const useChannelFaces = (id: string) =>
  useQuery({
    queryKey: keys.channelFaces(id),
    queryFn: async () => (await parley.channels.members({ channel_id: id, direction: 'desc', limit: 3 })).data,
  }).data

/** Someone in a channel or a group; pending until the server confirms. */
export type ListedMember = Author & { isPending?: boolean }

/** Shows someone as the first of a list: where they are in it is not known before it is loaded again. */
export const addingFirst = (key: QueryKey, who: Author): Change =>
  change<Pages<ListedMember>>(key, (pages) => {
    const [first, ...rest] = pages.pages
    if (!first || first.data.some(({ id }) => id === who.id)) return pages
    return { ...pages, pages: [{ ...first, data: [{ ...who, isPending: true }, ...first.data] }, ...rest] }
  })

/** The members of a channel, most recently added first. */
export const useChannelMembers = (id: string) =>
  usePages<ListedMember>(keys.channelMembers(id), (after) =>
    parley.channels.members({ channel_id: id, direction: 'desc', ...(after && { after }) }),
  )

/** Who is in a channel is requested again where it is shown. */
export const markPeopleStale = (id: string) => {
  markStale(keys.channelMembers(id))
  markStale(keys.channelFaces(id))
}

export async function addToChannel({ id }: Channel, who: Author) {
  try {
    await optimistic(
      [addingFirst(keys.channelMembers(id), who)],
      () => parley.channels.addMember({ channel_id: id, member_id: who.id }),
      () => {},
    )
    put('channel', await parley.channels.get({ id }))
  } catch (error) {
    notifyProblem(`Couldn't add ${who.name}.`, error)
  }
  markPeopleStale(id)
}

export async function removeFromChannel({ id }: Channel, who: Author) {
  const key = keys.channelMembers(id)
  const edit = (change: (member: ListedMember) => ListedMember | undefined) => (pages: Pages<ListedMember>) =>
    mapRecords(pages, (member) => (member.id === who.id ? change(member) : member)) as Pages<ListedMember>
  const setPending = edit((member) => ({ ...member, isPending: true }))
  const remove = edit(() => undefined)
  try {
    await optimistic(
      [change<Pages<ListedMember>>(key, setPending)],
      () => parley.channels.removeMember({ channel_id: id, member_id: who.id }),
      () => update<Pages<ListedMember>>(key, remove),
    )
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
