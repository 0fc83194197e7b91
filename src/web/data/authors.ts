import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Member } from '../../contract/members'
import type { Author } from '../../contract/shapes'
import { parley } from './parley'

/** More than are shown, because some match by e-mail address only. */
export const MAX_RESULTS = 25

export const toAuthor = ({ id, user }: Member): Author => ({
  id,
  type: 'member',
  name: user.display_name,
  avatar_urls: user.avatar_urls,
})

/** People and apps that match a mention being typed, most recently active first. */
export const useMentionable = (query: string | undefined) =>
  useQuery({
    queryKey: ['mentionable', query],
    queryFn: () => findAuthors(query!),
    enabled: query !== undefined,
    placeholderData: query === undefined ? undefined : keepPreviousData,
    staleTime: 60_000,
  })

export async function findAuthors(query: string): Promise<Author[]> {
  const [members, apps] = await Promise.all([
    parley.members.list({ ...(query && { q: query }), sort: 'last_seen_at', direction: 'desc', limit: MAX_RESULTS }),
    parley.apps.list({ ...(query && { q: query }), limit: MAX_RESULTS }),
  ])
  return [
    ...members.data.filter(({ is_deactivated }) => !is_deactivated).map(toAuthor),
    ...apps.data.map(({ id, name, avatar_urls }): Author => ({ id, name, avatar_urls, type: 'app' })),
  ]
}
