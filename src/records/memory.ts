import type { Viewer } from '../domain/permissions'
import type { Place } from '../store/post-ranges'
import { openBounded } from './bounded'

/**
 * What was read before and cannot have changed since: each entry is kept under what would change with it. Nothing here
 * is ever out of date; it only takes room, and that is bounded.
 */
export interface Memory {
  places: Places
  posts: Records
}

/** Where viewers may look, as of a revision of their workspace. */
export interface Places {
  get(viewer: Viewer, revision: number): readonly Place[] | undefined
  set(viewer: Viewer, revision: number, places: readonly Place[]): void
}

/** Records written out, by key, as of a stamp of the record and of the names it shows. */
export interface Records {
  get(key: number, stamp: number, names: number): Uint8Array<ArrayBuffer> | undefined
  set(key: number, stamp: number, names: number, bytes: Uint8Array<ArrayBuffer>): void
}

const MOST_PLACES = 10_000

export const openMemory = (mostBytes: number): Memory => ({ places: openPlaces(), posts: openRecords(mostBytes) })

function openPlaces(): Places {
  const known = new Map<number, { revision: number; places: readonly Place[] }>()
  return {
    get({ author }, revision) {
      const entry = known.get(author.key)
      return entry?.revision === revision ? entry.places : undefined
    },
    set({ author }, revision, places) {
      if (known.size > MOST_PLACES) known.clear()
      known.set(author.key, { revision, places })
    },
  }
}

interface Entry {
  stamp: number
  names: number
  bytes: Uint8Array<ArrayBuffer>
}

/** What an entry costs besides its bytes, about. */
const OVERHEAD = 200

function openRecords(mostBytes: number): Records {
  const known = openBounded<number, Entry>(mostBytes, ({ bytes }) => bytes.length + OVERHEAD)
  return {
    get(key, stamp, names) {
      const entry = known.get(key)
      return entry?.stamp === stamp && entry.names === names ? entry.bytes : undefined
    },
    set: (key, stamp, names, bytes) => known.set(key, { stamp, names, bytes }),
  }
}
