import type { Input } from '../contract'
import { invalidField, notFound } from '../contract/errors'
import { MAX_FAVORITES, MAX_SORTED_CHANNELS, type Sidebar } from '../contract/sidebar'
import { findChannel } from '../store/content/channels'
import {
  deletePlaced,
  listPlaced,
  listUnplaced,
  type PlacedChannel,
  setSection,
  toSidebar,
} from '../store/people/sidebar'
import { requireMember } from './access'
import type { ReadContext, WriteContext } from './context'

const APPS_HAVE_NONE = 'Only members have a sidebar, not apps.'

export async function get({ db, viewer }: ReadContext, _: Input<'sidebar.get'>): Promise<Sidebar> {
  requireMember(viewer, APPS_HAVE_NONE)
  return toSidebar(await listPlaced(db, viewer))
}

export async function set(context: WriteContext, { channel_id, is_favorite, before_id }: Input<'sidebar.set'>) {
  const { db, viewer } = context
  const channel = await getOwnChannel(context, channel_id)
  const placed = await listPlaced(db, viewer)
  const own = placed.find(({ key }) => key === channel.key)
  if (before_id === undefined && (own?.is_favorite ?? false) === is_favorite) return toSidebar(placed)
  if (before_id === undefined && !is_favorite) return forget(context, channel)

  const section = placed.filter((each) => each.is_favorite === is_favorite)
  if (!is_favorite) section.push(...(await listUnplaced(db, viewer)))
  const moved = moveBefore(section, channel, before_id ?? null)
  if (own?.is_favorite === is_favorite || !(own || is_favorite))
    if (moved.every(({ key }, at) => key === section[at]?.key)) return toSidebar(placed)

  requireRoom(is_favorite, moved.length)
  await deletePlaced(db, viewer.author.key, channel.key)
  await setSection(
    db,
    viewer.author.key,
    is_favorite,
    moved.map(({ key }) => key),
  )
  return announceSidebar(context, channel_id)
}

function requireRoom(isFavorite: boolean, count: number) {
  if (isFavorite && count > MAX_FAVORITES)
    throw invalidField('is_favorite', `You can have at most ${MAX_FAVORITES} favorites, archived channels included.`)
  if (!isFavorite && count > MAX_SORTED_CHANNELS)
    throw invalidField(
      'before_id',
      `You can put at most ${MAX_SORTED_CHANNELS.toLocaleString('en')} channels in an order. Make the one you are looking for a favorite instead.`,
    )
}

/** A section with a channel before another one, or last. */
function moveBefore(section: readonly PlacedChannel[], channel: { key: number; id: string }, beforeId: string | null) {
  const others: { key: number; id: string }[] = section.filter(({ key }) => key !== channel.key)
  const at = beforeId === null ? others.length : others.findIndex(({ id }) => id === beforeId)
  if (at < 0) throw invalidField('before_id', 'Must be another channel of the same section of your sidebar.')
  return others.toSpliced(at, 0, channel)
}

export async function reset(context: WriteContext, { channel_id }: Input<'sidebar.reset'>) {
  return forget(context, await getOwnChannel(context, channel_id))
}

async function forget(context: WriteContext, { key, id }: OwnChannel): Promise<Sidebar> {
  const { db, viewer } = context
  if (await deletePlaced(db, viewer.author.key, key)) return announceSidebar(context, id)
  return toSidebar(await listPlaced(db, viewer))
}

type OwnChannel = Awaited<ReturnType<typeof getOwnChannel>>

async function getOwnChannel({ db, viewer }: WriteContext, id: string) {
  requireMember(viewer, APPS_HAVE_NONE)
  const channel = await findChannel(db, viewer, id)
  if (!channel) throw notFound('channel')
  return channel
}

/** Takes a channel that somebody has left out of their sidebar. */
export async function forgetLeftChannel(
  { db, announce }: WriteContext,
  authorKey: number,
  { key, id }: { key: number; id: string },
) {
  if (await deletePlaced(db, authorKey, key))
    announce('sidebar.updated', { channel_id: id }, { recipients: [authorKey] })
}

async function announceSidebar({ db, viewer, announce }: WriteContext, channel_id: string): Promise<Sidebar> {
  announce('sidebar.updated', { channel_id }, { recipients: [viewer.author.key] })
  return toSidebar(await listPlaced(db, viewer))
}
