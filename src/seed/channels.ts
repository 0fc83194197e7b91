import { fold } from '../contract/browser/fold'
import type { NewChannel } from '../store/seed'
import type { SeededAuthor } from './people'
import { DAY, type Random, SPAN } from './random'
import { type Area, areas, list } from './texts'

const REGIONS = list('north|south|east|west|harbour|hill|river|lake|forest|coast')

/** An endless sequence of names: first the plain ones, alternating between areas, then the names of the offices. */
function* channelNames(): Generator<{ area: Area; name: string; isPrivate: boolean }> {
  const plain = Object.entries(areas)
    .flatMap(([area, { channels }]) => channels.map((name, at) => ({ area: area as Area, name, at })))
    .sort((one, other) => one.at - other.at)
    .map(({ area, name }) => ({ area, name: name.replace('!', ''), isPrivate: name.endsWith('!') }))
  yield* plain
  for (let round = 1; ; round++)
    for (const region of REGIONS)
      for (const each of plain) yield { ...each, name: `${each.name}-${region}${round > 1 ? `-${round}` : ''}` }
}

/** A channel with its possible authors. */
export interface PlannedChannel extends NewChannel {
  area: Area
  writers: readonly SeededAuthor[]
  apps: readonly SeededAuthor[]
}

/** Channels with their members: few in private ones, many in public ones; guests in one or two. */
export function newChannels(
  random: Random,
  count: number,
  until: number,
  authors: readonly SeededAuthor[],
  isTaken: (nameFold: string) => boolean,
): PlannedChannel[] {
  const names = channelNames().filter(({ name }) => !isTaken(fold(name)))
  const channels = [...names.take(count)].map(({ name, area, isPrivate }, at) => {
    const created_at = until - SPAN - 7 * DAY + at * 60_000
    const likelihood = isPrivate ? 0.15 : random.pick([0.3, 0.5, 0.8])
    const members = authors.filter((author) => belongs(random, author, likelihood))
    const { description } = areas[area]
    return { id: random.id('chan', created_at), name, description, is_private: isPrivate, created_at, area, members }
  })
  for (const guest of authors.filter(({ role }) => role === 'guest'))
    for (const channel of random.pickSome(channels, random.between(1, 2))) channel.members.push(guest)
  return channels.map((channel) => ({ ...channel, ...listAuthors(channel, authors) }))
}

/** The founder is in every channel, so that each has an author from the first day on. */
function belongs(random: Random, author: SeededAuthor, likelihood: number): boolean {
  if (author.isFounder) return true
  return author.role !== 'guest' && random.chance(author.role === null ? likelihood / 2 : likelihood)
}

function listAuthors(
  { members, is_private }: { members: SeededAuthor[]; is_private: boolean },
  authors: readonly SeededAuthor[],
) {
  const inside = new Set(members)
  const mayWrite = authors.filter(
    (author) => author.role !== 'viewer' && (inside.has(author) || (!is_private && author.role !== 'guest')),
  )
  return { writers: mayWrite.filter(({ role }) => role !== null), apps: mayWrite.filter(({ role }) => role === null) }
}
