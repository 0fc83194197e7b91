import { sql } from 'kysely'
import { seesPublic, type Viewer } from '../domain/permissions'
import { type ChannelRow, listOwnChannels } from './channels'
import type { Reader, SlotFor } from './db'
import type { Branch } from './keyset'

/** A channel and what it counts; key 0 is all that is public together. */
export type Place = Pick<ChannelRow, 'key' | 'posts_count' | 'resolved_count'>

/** Where the posts of these places are, as ranges of an index. */
export function branchesOf(workspace_key: number, places: readonly Place[], resolved?: boolean): Branch[] {
  const halves = resolved === undefined ? [0, 1] : [resolved ? 1 : 0]
  const rangeOf = ({ key }: Place): Branch =>
    key ? { workspace_key, channel_key: key } : { workspace_key, is_listed: 1 }
  return places.flatMap((place) => halves.map((is_resolved) => ({ ...rangeOf(place), is_resolved })))
}

/** How many posts these places have. */
export const totalOf = (places: readonly Place[], resolved?: boolean): number =>
  places.reduce((sum, place) => sum + countIn(place, resolved), 0)

const countIn = ({ posts_count, resolved_count }: Place, resolved?: boolean) =>
  resolved === undefined ? posts_count : resolved ? resolved_count : posts_count - resolved_count

/** Where this viewer may look. */
export const findPlaces = (db: Reader, viewer: Viewer): Promise<Place[]> =>
  db.prepared<Place>(`posts.places ${seesPublic(viewer)}`, (slot) => selectPlaces(db, viewer, slot), {
    workspace: viewer.workspace.key,
    author: viewer.author.key,
  })

/** One statement: the sums over what is public, then each channel the viewer is in besides. */
function selectPlaces(db: Reader, viewer: Viewer, slot: SlotFor) {
  const own = listOwnChannels(db, viewer, slot)
  if (!seesPublic(viewer)) return own
  return db
    .selectFrom('channels')
    .where('workspace_key', '=', slot<number>('workspace'))
    .where('is_listed', '=', 1)
    .select([
      sql<number>`0`.as('key'),
      sql<number>`coalesce(sum(posts_count), 0)`.as('posts_count'),
      sql<number>`coalesce(sum(resolved_count), 0)`.as('resolved_count'),
    ])
    .unionAll(own)
}
