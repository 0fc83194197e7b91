import { useMemo } from 'react'
import type { Channel } from '../../contract/channels'
import type { Preferences } from '../../contract/me'
import type { Sidebar } from '../../contract/sidebar'
import { notifyProblem } from '../parts/notices'
import { keys } from './cache/keys'
import { getShown, optimistic, useShown } from './cache/optimistic'
import { parley } from './cache/parley'
import { change, update } from './cache/records'
import { useChannels } from './channels'
import { updatePreferences, usePreferences } from './me'

/** The channels of the member, as the sidebar lists them. Each is in one of the sections. */
export interface SidebarChannels {
  favorites: Channel[]
  channels: Channel[]
}

export type SidebarSection = Preferences['folded_sections'][number]

const UNSORTED: Sidebar = { favorite_ids: [], channel_ids: [] }

/** Undefined until both are known: rows that change their places would be clicked by mistake. */
export function useSidebarChannels(): SidebarChannels | undefined {
  const channels = useChannels().data
  const order = useShown<Sidebar>({ queryKey: keys.sidebar, queryFn: () => parley.sidebar.get() })
  const known = order.data ?? (order.isError ? UNSORTED : undefined)
  return useMemo(() => channels && known && arrange(channels, known), [channels, known])
}

/** Favorites in the order of the member; then what they put in an order; then the rest, which is sorted by name. */
function arrange(channels: readonly Channel[], { favorite_ids, channel_ids }: Sidebar): SidebarChannels {
  const byId = new Map(channels.map((channel) => [channel.id, channel]))
  const take = (ids: readonly string[]) =>
    ids.flatMap((id) => {
      const channel = byId.get(id)
      byId.delete(id)
      return channel ?? []
    })
  return { favorites: take(favorite_ids), channels: [...take(channel_ids), ...byId.values()] }
}

export const useIsFavorite = (id: string): boolean =>
  useShown<Sidebar>({ queryKey: keys.sidebar, queryFn: () => parley.sidebar.get() }).data?.favorite_ids.includes(id) ??
  false

/** Where a channel is put: in front of another one of the section; null is its end. Left out, it is where it belongs without that. */
export interface Place {
  isFavorite: boolean
  beforeId?: string | null
}

/** Puts a channel somewhere else in the sidebar: shown at once, undone if the request fails. */
export async function placeChannel({ id, name }: Pick<Channel, 'id' | 'name'>, { isFavorite, beforeId }: Place) {
  try {
    await optimistic(
      [change<Sidebar>(keys.sidebar, (order) => withPlace(order, id, { isFavorite, beforeId }))],
      () =>
        parley.sidebar.set({
          channel_id: id,
          is_favorite: isFavorite,
          ...(beforeId !== undefined && { before_id: beforeId }),
        }),
      (order) => update<Sidebar>(keys.sidebar, () => order),
    )
  } catch (error) {
    notifyProblem(`Couldn't move ${name}.`, error)
  }
}

function withPlace(order: Sidebar, id: string, { isFavorite, beforeId }: Place): Sidebar {
  const without = (ids: readonly string[]) => ids.filter((each) => each !== id)
  const put = (ids: readonly string[]) => {
    const others = without(ids)
    const at = beforeId ? others.indexOf(beforeId) : -1
    return others.toSpliced(at < 0 ? others.length : at, 0, id)
  }
  const { favorite_ids, channel_ids } = order
  if (isFavorite) {
    const isKept = beforeId === undefined && favorite_ids.includes(id)
    return { favorite_ids: isKept ? favorite_ids : put(favorite_ids), channel_ids: without(channel_ids) }
  }
  if (beforeId === undefined) return { favorite_ids: without(favorite_ids), channel_ids }
  // With the first move, all of the section keep the places they have.
  const { channels } = arrange(getShown<Channel[]>(keys.channels) ?? [], {
    favorite_ids: without(favorite_ids),
    channel_ids,
  })
  return { favorite_ids: without(favorite_ids), channel_ids: put(channels.map((channel) => channel.id)) }
}

/** The places above and below a channel; undefined where there is none. */
export function findNeighbors({ favorites, channels }: SidebarChannels, id: string): { up?: Place; down?: Place } {
  const isFavorite = favorites.some((channel) => channel.id === id)
  const ids = (isFavorite ? favorites : channels).map((channel) => channel.id)
  const at = ids.indexOf(id)
  return {
    ...(at > 0 && { up: { isFavorite, beforeId: ids[at - 1]! } }),
    ...(at < ids.length - 1 && { down: { isFavorite, beforeId: ids[at + 2] ?? null } }),
  }
}

/** The sections that show only what is unread, and what folds and unfolds one. */
export function useFoldedSections(): [readonly SidebarSection[], (section: SidebarSection) => void] {
  const folded = usePreferences().folded_sections
  const toggle = (section: SidebarSection) => {
    const others = folded.filter((each) => each !== section)
    const folded_sections = others.length < folded.length ? others : [...others, section]
    updatePreferences({ folded_sections }).catch((error) =>
      notifyProblem("Couldn't save which sections are folded.", error),
    )
  }
  return [folded, toggle]
}
