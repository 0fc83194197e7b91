import { findStart, hasEvents } from '../../actions/events'
import type { Input } from '../../contract'
import { deletesContent } from '../../domain/events/effects'
import { isSamePosition, type Position, positionOf as parsePosition } from '../../domain/events/positions'
import { changesVisibility, type Visibility } from '../../domain/events/visibility'
import type { Links } from '../../domain/links'
import type { Viewer } from '../../domain/permissions'
import { findVisibility } from '../../store/access/visibility'
import type { Reader } from '../../store/engines/db'
import type { Engine } from '../../store/engines/engine'
import { findLogEnds, isInLog, type LoggedEvent, listEvents, toEvent } from '../../store/log/events'
import type { Changes } from './changes'

/** An event of a feed, before it is known who reads it. */
export type FeedEvent = LoggedEvent

/** The event as the API shows it. */
export const showEvent = (links: Links, { workspace }: Viewer, event: FeedEvent) => toEvent(links, workspace.id, event)

/** The latest events of a workspace, kept in memory while streams follow it, so that each is read once for all streams. */
export interface Feed {
  /**
   * Events after a position, in order; some of them if there are many, none if there are none yet. Throws
   * `HistoryChanged` if the position is not in the log.
   */
  after(position: Position): Promise<readonly LoggedEvent[]>
  /** The revision of the last event of this feed that may have changed who can see what. */
  visibilityChangedAt(): Promise<number>
  follow(follower: Follower): () => void
}

export interface Follower {
  /** There may be more to read. */
  onNews(): void
  /** Content was deleted. Events that were read before and not sent yet may hold it: they must be read again. */
  onDeletion(): void
}

/** An older backup was restored while the log was followed: followers must start again. */
class HistoryChanged extends Error {}

const BATCH = 500
/** The batch size for a follower that is further behind than what is kept. */
const CATCH_UP_BATCH = 100
const MAX_KEPT = 2_000
const MAX_KEPT_CHARACTERS = 4 * 1024 * 1024

export function openFeeds(engine: Engine, changes: Changes) {
  const feeds = new Map<number, Feed>()
  return {
    of(workspaceKey: number): Feed {
      return feeds.getOrInsertComputed(workspaceKey, () => {
        const feed: Feed = openFeed(engine, changes, workspaceKey, () => {
          if (feeds.get(workspaceKey) === feed) feeds.delete(workspaceKey)
        })
        return feed
      })
    },
    /** Whether there is anything to answer to a waiting poll: events, or more of the log to search. */
    hasEvents: (viewer: Viewer, input: Input<'events.list'>) => engine.read((db) => hasEvents(db, viewer, input)),
    /** Where a stream begins: where the client left off, or at the end of the log. */
    findStart: (viewer: Viewer, after: string | undefined): Promise<Position> =>
      engine.read(async (db) => {
        const { newest } = await findStart(db, viewer, after)
        return parsePosition(viewer.workspace.id, after ?? '') ?? newest
      }),
    /** What the viewer can see now. */
    findVisibility: (viewer: Viewer): Promise<Visibility> => engine.read((db) => findVisibility(db, viewer)),
  }
}

function openFeed(engine: Engine, changes: Changes, workspaceKey: number, onEnd: () => void): Feed {
  const followers = new Set<Follower>()
  /** Consecutive events, and the positions before the first and of the last. */
  let kept: LoggedEvent[] = []
  let keptCharacters = 0
  let base: Position | undefined
  let head: Position | undefined
  let visibilityChange = 0
  let isStale = true
  let reading: Promise<void> | undefined
  let unsubscribe: (() => void) | undefined

  async function catchUp() {
    while (isStale) {
      isStale = false
      try {
        const news = await engine.read(readNews)
        // The new events were read in one snapshot, after the deletions among them; the kept ones were not.
        if (news.some(({ type }) => deletesContent(type))) dropKept()
        news.forEach(keep)
        if (news.length === BATCH) isStale = true
      } catch (error) {
        // The next caller tries again; after a change of history, with a new feed.
        isStale = true
        if (error instanceof HistoryChanged) onEnd()
        throw error
      }
    }
  }

  async function readNews(db: Reader): Promise<LoggedEvent[]> {
    const { newest } = await findLogEnds(db, workspaceKey)
    head ??= newest
    base ??= newest
    if (isSamePosition(head, newest)) return []
    if (!(await isInLog(db, workspaceKey, head))) throw new HistoryChanged()
    return listEvents(db, workspaceKey, head.revision, BATCH)
  }

  function keep(event: LoggedEvent) {
    kept.push(event)
    keptCharacters += event.data.length
    head = positionOf(event)
    if (changesVisibility(event.type)) visibilityChange = event.revision
    let surplus = 0
    for (; kept.length - surplus > MAX_KEPT || keptCharacters > MAX_KEPT_CHARACTERS; surplus++)
      keptCharacters -= kept[surplus]!.data.length
    if (surplus === 0) return
    base = positionOf(kept[surplus - 1]!)
    kept = kept.slice(surplus)
  }

  async function readAfter(db: Reader, position: Position): Promise<LoggedEvent[]> {
    if (!(await isInLog(db, workspaceKey, position))) throw new HistoryChanged()
    return listEvents(db, workspaceKey, position.revision, CATCH_UP_BATCH)
  }

  function dropKept() {
    kept = []
    keptCharacters = 0
    base = head
    for (const each of followers) each.onDeletion()
  }

  function catchUpOnce(): Promise<void> {
    reading ??= catchUp().finally(() => {
      reading = undefined
    })
    return reading
  }

  return {
    async after(position) {
      await catchUpOnce()
      if (position.revision > head!.revision) return []
      const index = position.revision - base!.revision
      if (index < 0) return engine.read((db) => readAfter(db, position))
      if (!isSamePosition(position, index === 0 ? base! : kept[index - 1]!)) throw new HistoryChanged()
      return kept.slice(index)
    },
    async visibilityChangedAt() {
      await catchUpOnce()
      return visibilityChange
    },
    follow(follower) {
      unsubscribe ??= changes.subscribe(workspaceKey, (hasDeleted) => {
        isStale = true
        if (hasDeleted) dropKept()
        for (const each of followers) each.onNews()
      })
      followers.add(follower)
      return () => {
        followers.delete(follower)
        if (followers.size > 0) return
        unsubscribe?.()
        onEnd()
      }
    },
  }
}

const positionOf = ({ revision, nonce }: Position): Position => ({ revision, nonce })
