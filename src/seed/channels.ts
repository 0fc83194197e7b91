import { fold } from '../contract/fold'
import type { NewChannel, SeededChannel } from '../store/seed/channels'
import type { SeededAuthor } from '../store/seed/people'
import { type Area, descriptions, type PlaceName, placeNames } from './places'
import { type Random, weighted } from './random'
import { DAY, SPAN } from './rhythm'

export interface PlannedChannel extends NewChannel {
  area: Area
}

/** Channels with their members: few in private ones, many in public ones; guests in one or two. */
export function newChannels(
  random: Random,
  count: number,
  until: number,
  authors: readonly SeededAuthor[],
  isTaken: (nameFold: string) => boolean,
): PlannedChannel[] {
  const names = placeNames()
  const channels: PlannedChannel[] = []
  while (channels.length < count) {
    const { name, area, isPrivate }: PlaceName = names.next().value!
    if (isTaken(fold(name))) continue
    const created_at = until - SPAN - 7 * DAY + channels.length * 60_000
    const likelihood = isPrivate ? 0.15 : random.pick([0.3, 0.5, 0.8])
    channels.push({
      id: random.id('chan', created_at),
      name,
      name_fold: fold(name),
      description: descriptions[area],
      is_private: isPrivate,
      created_at,
      area,
      members: authors.filter((author) => belongs(random, author, likelihood)),
    })
  }
  for (const guest of authors.filter(({ role }) => role === 'guest'))
    for (const channel of random.pickSome(channels, random.between(1, 2))) channel.members.push(guest)
  return channels
}

/** The founder is in every channel, so that each has an author from the first day on. */
function belongs(random: Random, author: SeededAuthor, likelihood: number): boolean {
  if (author.isFounder) return true
  return author.role !== 'guest' && random.chance(author.role === null ? likelihood / 2 : likelihood)
}

/** A channel with its possible authors, in the order they joined. */
export interface WritableChannel extends SeededChannel {
  area: Area
  writers: readonly SeededAuthor[]
  apps: readonly SeededAuthor[]
}

export function newWritableChannel(
  channel: PlannedChannel,
  key: number,
  authors: readonly SeededAuthor[],
): WritableChannel {
  const inside = new Set(channel.members)
  const mayWrite = authors.filter(
    (author) => author.role !== 'viewer' && (inside.has(author) || (!channel.is_private && author.role !== 'guest')),
  )
  return {
    key,
    is_listed: !channel.is_private,
    area: channel.area,
    writers: mayWrite.filter(({ role }) => role !== null),
    apps: mayWrite.filter(({ role }) => role === null),
  }
}

/** Some channels are much busier than others. */
export const weightByActivity = (places: readonly WritableChannel[]) => weighted(places, (_, at) => 1 / (at + 3))
