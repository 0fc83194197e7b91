import type { Parley } from '../../gate/parley'
import { type LaggingInbox, listLaggingInboxes, moveInboxes } from '../../store/attention/fan-out'
import { openRounds } from '../rounds'
import { fillInboxes, findWork, type SearchedEvents } from './fan-out'

const MIN_ROUND_MS = 50
/** So many events without entries move the position, even if more happens all the time. */
const MAX_SKIPPED = 1_000

export interface InboxFiller {
  /** Adds what is new in the log to the inboxes. */
  tick(): Promise<void>
  /** Runs work while nothing is added to inboxes by this process. */
  whilePaused<T>(work: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Fills the inboxes of all workspaces from their logs. Any number of processes may do so. */
export function openInboxFiller(parley: Parley): InboxFiller {
  const { engine, log } = parley
  /** Up to where this process found nothing that belongs into an inbox, from a position on. */
  const searched = new Map<number, SearchedEvents>()
  const rounds = openRounds(parley, { what: 'news for inboxes', minRoundMs: MIN_ROUND_MS, runRound })
  void rounds.tick()
  return {
    tick: rounds.tick,
    whilePaused: rounds.whilePaused,
    async close() {
      rounds.close()
      await rounds.running()
    },
  }

  /** One step for each workspace: one that is far behind does not delay the others. Returns whether there is more. */
  async function runRound(): Promise<boolean> {
    const lagging = await engine.read(listLaggingInboxes)
    let hasMore = false
    for (const inbox of lagging)
      try {
        if (await takeStep(inbox)) hasMore = true
      } catch (error) {
        // The other workspaces continue.
        log.warn('Could not fill inboxes; will retry', { workspace: inbox.workspace_key, error: String(error) })
      }
    return hasMore
  }

  /**
   * Most events make no entries. To skip them is not worth a transaction each: the position moves once nothing more happens, or
   * many were skipped. Until then it is remembered here, so that none is looked at twice.
   */
  async function takeStep(inbox: LaggingInbox): Promise<boolean> {
    const { workspace_key, revision, log_revision } = inbox
    const known = searched.get(workspace_key)
    const from = known?.from === revision && known.upTo <= log_revision ? known.upTo : revision
    const { hasRecipients, upTo } = await engine.read((db) => findWork(db, inbox, from))
    if (hasRecipients) return fillInboxes(parley, inbox, { from: revision, upTo: from })
    searched.set(workspace_key, { from: revision, upTo })
    if (from < log_revision && upTo - revision < MAX_SKIPPED) return upTo < log_revision
    searched.delete(workspace_key)
    await engine.write((db) => moveInboxes(db, workspace_key, inbox, { revision: upTo, recipient_key: 0 }))
    return upTo < log_revision
  }
}
