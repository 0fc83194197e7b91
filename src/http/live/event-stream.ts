import { eventId, type Position } from '../../domain/events/positions'
import { changesVisibility, isEventVisible, updateVisibility, type Visibility } from '../../domain/events/visibility'
import type { Bearer } from '../../gate/bearers'
import { type FeedEvent, showEvent } from '../../gate/live/feeds'
import type { Parley } from '../../gate/parley'
import { openSseConnection } from './sse-connection'

/** Streams the log from a position on, for as long as the token is valid and the client keeps up. */
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
  /** The revision that `viewer` and `visibility` are as of. */
  let visibilityAt = -1
  let position = start
  let isPumping = false
  let hasNews = false
  /** Grows when events that were read must be read again before they are sent. */
  let rereads = 0

  const unfollow = feed.follow({ onNews: () => void pump(), onDeletion: reread })
  const connection = openSseConnection(parley.streams, {
    isExpired: () => first.row.expires_at !== null && first.row.expires_at <= parley.clock(),
    onEnd() {
      unfollow()
      onEnd()
    },
    position: () => eventId(first.viewer.workspace.id, position),
  })
  void pump()
  return connection

  async function pump() {
    hasNews = true
    if (isPumping) return refreshWhileSending()
    isPumping = true
    try {
      // The caller was admitted a moment ago; changes since then are seen here, and all later ones in the log.
      if (!visibility) await refresh()
      while (hasNews) {
        hasNews = false
        await sendNews()
      }
    } catch {
      // The token is no longer valid, the database is unreachable, or a backup was restored: the client reconnects with
      // the last event it has, and gets the error.
      connection.end()
    } finally {
      isPumping = false
    }
  }

  function reread() {
    rereads += 1
    rewind()
  }

  /** Goes back to the first event that was not sent yet: the viewer may no longer be allowed to see it. */
  function rewind() {
    const before = connection.discardUnsent()
    if (before === undefined) return
    rereads += 1
    position = before
    void pump()
  }

  /** A slow client must not delay a loss of access: events that wait for it are checked again at once. */
  async function refreshWhileSending() {
    try {
      if (visibility && (await feed.visibilityChangedAt()) > visibilityAt) await refresh()
    } catch {
      connection.end()
    }
  }

  async function sendNews() {
    let hasMore = true
    while (hasMore) {
      const readsBefore = rereads
      const batch = await feed.after(position)
      if (batch.length > 0) await followVisibility(batch)
      for (const event of batch) {
        if (rereads !== readsBefore) break
        // Set before the event is sent, because a heartbeat in between tells this position to resume from.
        const before = position
        position = { revision: event.revision, nonce: event.nonce }
        const isWanted = !types || types.includes(event.type)
        const isVisible = isWanted && isEventVisible(viewer, visibility!, event)
        const clientReads = isVisible && connection.write(frameOf(event), before)
        if (clientReads) await clientReads
      }
      hasMore = batch.length > 0 || rereads !== readsBefore
    }
  }

  /** Brings visibility to the end of a batch: no event in it is judged by what the viewer could see before. */
  async function followVisibility(batch: readonly FeedEvent[]) {
    for (const event of batch) {
      if (event.revision <= visibilityAt || !changesVisibility(event.type)) continue
      if (!updateVisibility(visibility!, viewer, first.row.token_id, event)) return refresh()
      rewind()
    }
    visibilityAt = Math.max(visibilityAt, batch.at(-1)!.revision)
  }

  /** Looks up the caller and what they can see, as of now. */
  async function refresh() {
    const bearer = await parley.findBearer(token, parley.clock())
    const found = await parley.feeds.findVisibility(bearer.viewer)
    const { revision } = bearer.position
    if (revision < visibilityAt) return
    // Visibility was looked up after the bearer, so it is no older.
    visibilityAt = revision
    visibility = found
    viewer = bearer.viewer
    rewind()
  }

  function frameOf(event: FeedEvent): Uint8Array {
    return frames.getOrInsertComputed(event, () => {
      const { id, ...rest } = showEvent(parley.links, viewer, event)
      return encoder.encode(`id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify({ id, ...rest })}\n\n`)
    })
  }
}

const encoder = new TextEncoder()

/** An event is serialized once for all streams. */
const frames = new WeakMap<FeedEvent, Uint8Array>()
