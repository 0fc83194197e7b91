import { isSamePosition, type Position } from '../../domain/position'
import { deletesContent } from '../../domain/subjects'
import { changesVisibility } from '../../domain/visibility-changes'
import type { Reader } from '../../store/db'
import type { Engine } from '../../store/engines/engine'
import { type LoggedEvent, listEvents } from '../../store/events'
import { findLogEnds, isInLog } from '../../store/positions'
import type { Pulse } from './changes'

/** The end of a workspace's log, in memory while someone follows it, read from the database once for all of them. */
export interface Feed {
  /**
   * Events after a position, in order, as many as are at hand; none where there are none yet. Throws `HistoryChanged`
   * where the log does not go through this position.
   */
  after(position: Position): Promise<readonly LoggedEvent[]>
  /** The revision of the last event that may have changed who sees what, as far as this feed knows. */
  visibilityChangedAt(): Promise<number>
  follow(follower: Follower): () => void
}

export interface Follower {
  /** There may be more to read. */
  onNews(): void
  /** Something was deleted. What was read before and is not sent yet may hold its content: it has to be read again. */
  onDeletion(): void
}

/** An older backup was restored while the log was followed: whoever follows must begin again. */
export class HistoryChanged extends Error {}

const BATCH = 500
/** What one reader that is far behind takes at once. */
const STEP = 100
const MOST_KEPT = 2_000
const MOST_KEPT_LETTERS = 4 * 1024 * 1024

export function openFeeds(engine: Engine, pulse: Pulse) {
  const feeds = new Map<number, Feed>()
  return {
    of(workspaceKey: number): Feed {
      return feeds.getOrInsertComputed(workspaceKey, () => {
        const feed: Feed = openFeed(engine, pulse, workspaceKey, () => {
          if (feeds.get(workspaceKey) === feed) feeds.delete(workspaceKey)
        })
        return feed
      })
    },
  }
}

function openFeed(engine: Engine, pulse: Pulse, workspaceKey: number, onEnd: () => void): Feed {
  const followers = new Set<Follower>()
  /** A run of the log without gaps, and the positions before it and at its end. */
  let kept: LoggedEvent[] = []
  let keptLetters = 0
  let base: Position | undefined
  let head: Position | undefined
  let visibilityChange = 0
  let isStale = true
  let reading: Promise<void> | undefined
  let stopFeeling: (() => void) | undefined

  async function catchUp() {
    while (isStale) {
      isStale = false
      try {
        const news = await engine.read(readOn)
        // They were read in one snapshot, so they are as of the deletions among them; what was read before is not.
        if (news.some(({ type }) => deletesContent(type))) forget()
        news.forEach(keep)
        if (news.length === BATCH) isStale = true
      } catch (error) {
        // Whoever asks next tries again; after a change of history with a feed of their own.
        isStale = true
        if (error instanceof HistoryChanged) onEnd()
        throw error
      }
    }
  }

  async function readOn(db: Reader): Promise<LoggedEvent[]> {
    const { newest } = await findLogEnds(db, workspaceKey)
    head ??= newest
    base ??= newest
    if (isSamePosition(head, newest)) return []
    if (!(await isInLog(db, workspaceKey, head))) throw new HistoryChanged()
    return listEvents(db, workspaceKey, head.revision, BATCH)
  }

  function keep(event: LoggedEvent) {
    kept.push(event)
    keptLetters += event.data.length
    head = positionOf(event)
    if (changesVisibility(event.type)) visibilityChange = event.revision
    let surplus = 0
    for (; kept.length - surplus > MOST_KEPT || keptLetters > MOST_KEPT_LETTERS; surplus++)
      keptLetters -= kept[surplus]!.data.length
    if (surplus === 0) return
    base = positionOf(kept[surplus - 1]!)
    kept = kept.slice(surplus)
  }

  async function readAfter(db: Reader, position: Position): Promise<LoggedEvent[]> {
    if (!(await isInLog(db, workspaceKey, position))) throw new HistoryChanged()
    return listEvents(db, workspaceKey, position.revision, STEP)
  }

  function forget() {
    kept = []
    keptLetters = 0
    base = head
    for (const each of followers) each.onDeletion()
  }

  function caughtUp(): Promise<void> {
    reading ??= catchUp().finally(() => {
      reading = undefined
    })
    return reading
  }

  return {
    async after(position) {
      await caughtUp()
      if (position.revision > head!.revision) return []
      const index = position.revision - base!.revision
      if (index < 0) return engine.read((db) => readAfter(db, position))
      if (!isSamePosition(position, index === 0 ? base! : kept[index - 1]!)) throw new HistoryChanged()
      return kept.slice(index)
    },
    async visibilityChangedAt() {
      await caughtUp()
      return visibilityChange
    },
    follow(follower) {
      stopFeeling ??= pulse.feel(workspaceKey, (hasDeleted) => {
        isStale = true
        if (hasDeleted) forget()
        for (const each of followers) each.onNews()
      })
      followers.add(follower)
      return () => {
        followers.delete(follower)
        if (followers.size > 0) return
        stopFeeling?.()
        onEnd()
      }
    },
  }
}

const positionOf = ({ revision, nonce }: Position): Position => ({ revision, nonce })
