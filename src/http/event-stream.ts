import { eventId } from '../domain/event-id'
import { isEventVisible, type Visibility } from '../domain/event-visibility'
import type { Position } from '../domain/position'
import { changesVisibility, updateVisibility } from '../domain/visibility-changes'
import type { Bearer } from '../gate/bearers'
import type { Parley } from '../gate/parley'
import { toEvent } from '../records/events'
import type { LoggedEvent } from '../store/events'
import { findVisibility } from '../store/viewer-visibility'
import { openSink } from './sink'

/** The log from a position on, for as long as the token is good and the reader keeps up. */
export function openEventStream(
  parley: Parley,
  token: string,
  first: Bearer,
  start: Position,
  onEnd: () => void,
  types?: readonly string[],
) {
  const feed = parley.feeds.of(first.viewer.workspace.key)
  let { viewer } = first
  let visibility: Visibility | undefined
  let visibilityAt = -1
  let position = start
  let isPumping = false
  let isDue = false

  /** Grows when what was read must be read again before it is sent. */
  let rereads = 0

  const unfollow = feed.follow({ onNews: () => void pump(), onDeletion: reread })
  const sink = openSink(parley.streams, {
    isOver: () => first.row.expires_at !== null && first.row.expires_at <= parley.clock(),
    onEnd() {
      unfollow()
      onEnd()
    },
    position: () => eventId(first.viewer.workspace.id, position),
  })
  void pump()
  return sink

  async function pump() {
    isDue = true
    if (isPumping) return heed()
    isPumping = true
    try {
      // Who asks was let in a moment ago; what happened in between is seen here, and everything later in the log.
      if (!visibility) await look()
      while (isDue) {
        isDue = false
        await drain()
      }
    } catch {
      // The token is no longer good, the database is away, or a backup was restored: the reader comes back with the
      // last event it has, and is told.
      sink.end()
    } finally {
      isPumping = false
    }
  }

  function reread() {
    rereads += 1
    takeBack()
  }

  /** Goes back to the first event that the reader was not given yet: it may not be theirs to see any more. */
  function takeBack() {
    const unsent = sink.takeBack()
    if (unsent === undefined) return
    rereads += 1
    position = unsent
    void pump()
  }

  /** What is on its way to a slow reader is still only what they may see: that does not wait until they have read. */
  async function heed() {
    try {
      if (visibility && (await feed.visibilityChangedAt()) > visibilityAt) await look()
    } catch {
      sink.end()
    }
  }

  async function drain() {
    let hasMore = true
    while (hasMore) {
      const read = rereads
      const batch = await feed.after(position)
      if (batch.length > 0) await followVisibility(batch)
      for (const event of batch) {
        if (rereads !== read) break
        // First: a heartbeat that comes in between says where to go on from.
        const before = position
        position = { revision: event.revision, nonce: event.nonce }
        const isWanted = !types || types.includes(event.type)
        const reading = isWanted && isEventVisible(viewer, visibility!, event) && sink.write(frameOf(event), before)
        if (reading) await reading
      }
      hasMore = batch.length > 0 || rereads !== read
    }
  }

  /** What they may see after all of these: nothing is judged by what they saw before. */
  async function followVisibility(batch: readonly LoggedEvent[]) {
    for (const event of batch) {
      if (event.revision <= visibilityAt || !changesVisibility(event.type)) continue
      if (!updateVisibility(visibility!, viewer, first.row.token_id, event)) return look()
      takeBack()
    }
    visibilityAt = Math.max(visibilityAt, batch.at(-1)!.revision)
  }

  /** Who asks, and what they may see, as of now. */
  async function look() {
    const bearer = await parley.admit(token, parley.clock())
    const seen = await parley.engine.read((db) => findVisibility(db, bearer.viewer))
    const { revision } = bearer.position
    if (revision < visibilityAt) return
    // As of when the bearer was found; what they see was looked up after that, so it is no older.
    visibilityAt = revision
    visibility = seen
    viewer = bearer.viewer
    takeBack()
  }

  function frameOf(event: LoggedEvent): Uint8Array {
    return frames.getOrInsertComputed(event, () => {
      const { id, ...rest } = toEvent(parley.links, viewer.workspace.id, event)
      return encoder.encode(`id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify({ id, ...rest })}\n\n`)
    })
  }
}

const encoder = new TextEncoder()

/** An event is written out once, for all who follow. */
const frames = new WeakMap<LoggedEvent, Uint8Array>()
