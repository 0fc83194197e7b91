import { changesSight } from '../domain/hearing'
import { deletesContent } from '../domain/subjects'
import type { Engine } from '../store/engines/engine'
import { findLogEnds, type LoggedEvent, listEvents } from '../store/events'
import type { Pulse } from './pulse'

/** The end of a workspace's log, in memory while someone follows it, read from the database once for all of them. */
export interface Feed {
  /** Events after a revision, in order, as many as are at hand; none where there are none yet. */
  after(revision: number): Promise<readonly LoggedEvent[]>
  /** The revision of the last event that may have changed who sees what, as far as this feed knows. */
  sightChangedAt(): Promise<number>
  follow(follower: Follower): () => void
}

export interface Follower {
  /** There may be more to read. */
  onNews(): void
  /** Something was deleted. What was read before and is not sent yet may hold its content: it has to be read again. */
  onDeletion(): void
}

const BATCH = 500
/** What one reader that is far behind takes at once. */
const STEP = 100
const MOST_KEPT = 2_000
const MOST_KEPT_LETTERS = 4 * 1024 * 1024

export function openFeeds(engine: Engine, pulse: Pulse) {
  const feeds = new Map<number, Feed>()
  return {
    of(workspaceKey: number): Feed {
      return feeds.getOrInsertComputed(workspaceKey, () =>
        openFeed(engine, pulse, workspaceKey, () => void feeds.delete(workspaceKey)),
      )
    },
  }
}

function openFeed(engine: Engine, pulse: Pulse, workspaceKey: number, onLeft: () => void): Feed {
  const followers = new Set<Follower>()
  /** A run of the log without gaps, and the revision it ends with. */
  let kept: LoggedEvent[] = []
  let keptLetters = 0
  let head: number | undefined
  let sightChange = 0
  let isStale = true
  let reading: Promise<void> | undefined
  let stopFeeling: (() => void) | undefined

  async function catchUp() {
    while (isStale) {
      isStale = false
      try {
        head ??= (await engine.read((db) => findLogEnds(db, workspaceKey))).newest
        const news = await engine.read((db) => listEvents(db, workspaceKey, head!, BATCH))
        // They were read in one snapshot, so they are as of the deletions among them; what was read before is not.
        if (news.some(({ type }) => deletesContent(type))) forget()
        news.forEach(keep)
        if (news.length === BATCH) isStale = true
      } catch (error) {
        // Whoever asks next tries again.
        isStale = true
        throw error
      }
    }
  }

  function keep(event: LoggedEvent) {
    kept.push(event)
    keptLetters += event.data.length
    head = event.revision
    if (changesSight(event.type)) sightChange = event.revision
    let surplus = 0
    for (; kept.length - surplus > MOST_KEPT || keptLetters > MOST_KEPT_LETTERS; surplus++)
      keptLetters -= kept[surplus]!.data.length
    if (surplus > 0) kept = kept.slice(surplus)
  }

  function forget() {
    kept = []
    keptLetters = 0
    for (const each of followers) each.onDeletion()
  }

  function caughtUp(): Promise<void> {
    reading ??= catchUp().finally(() => {
      reading = undefined
    })
    return reading
  }

  return {
    async after(revision) {
      await caughtUp()
      if (revision >= head!) return []
      const first = kept[0]
      if (first && revision >= first.revision - 1) return kept.slice(revision - first.revision + 1)
      return engine.read((db) => listEvents(db, workspaceKey, revision, STEP))
    },
    async sightChangedAt() {
      await caughtUp()
      return sightChange
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
        onLeft()
      }
    },
  }
}
