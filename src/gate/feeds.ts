import type { Engine } from '../store/engines/engine'
import { findLogEnds, type LoggedEvent, listEvents } from '../store/events'
import type { Pulse } from './pulse'

/** The end of a workspace's log, in memory while someone follows it, read from the database once for all of them. */
export interface Feed {
  /** Events after a revision, in order, as many as are at hand; none where there are none yet. */
  after(revision: number): Promise<readonly LoggedEvent[]>
  /** Calls back when there may be more. */
  follow(listener: () => void): () => void
}

const BATCH = 500
const MOST_KEPT = 2_000

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
  const listeners = new Set<() => void>()
  /** A run of the log without gaps, and the revision it ends with. */
  let kept: LoggedEvent[] = []
  let head: number | undefined
  let isStale = true
  let reading: Promise<void> | undefined
  let stopFeeling: (() => void) | undefined

  async function catchUp() {
    while (isStale) {
      isStale = false
      head ??= (await engine.read((db) => findLogEnds(db, workspaceKey))).newest
      const news = await engine.read((db) => listEvents(db, workspaceKey, head!, BATCH))
      kept.push(...news)
      if (kept.length > MOST_KEPT) kept = kept.slice(-MOST_KEPT)
      head = news.at(-1)?.revision ?? head
      if (news.length === BATCH) isStale = true
    }
  }

  return {
    async after(revision) {
      reading ??= catchUp().finally(() => {
        reading = undefined
      })
      await reading
      if (revision >= head!) return []
      const first = kept[0]
      if (first && revision >= first.revision - 1) return kept.slice(revision - first.revision + 1)
      return engine.read((db) => listEvents(db, workspaceKey, revision, BATCH))
    },
    follow(listener) {
      stopFeeling ??= pulse.feel(workspaceKey, () => {
        isStale = true
        for (const each of listeners) each()
      })
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        stopFeeling?.()
        onLeft()
      }
    },
  }
}
