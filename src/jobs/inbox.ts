import { aboutOf, type InboxReason } from '../contract/inbox'
import { operatorOf } from '../domain/permissions'
import type { Parley } from '../gate/parley'
import { lockMembers } from '../store/access/locks'
import { type LaggingInbox, listLaggingInboxes, lockInboxPosition, moveInboxes } from '../store/attention/inbox-events'
import { type NewEntry, readBatch, removeReactionEntries, upsertEntries } from '../store/attention/inbox-fan-out'
import { scheduleNotifications } from '../store/attention/notices'
import { findRemovedSubject, removeLeftovers } from '../store/attention/removal'
import { type ChangeContext, changeWorkspace } from '../store/changes/change'
import { openRounds } from './rounds'

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
  /** Workspaces whose last events made entries: the next ones probably do, so they are not looked at without adding them. */
  const busy = new Set<number>()
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
    const started = performance.now()
    const lagging = await engine.read(listLaggingInboxes)
    let hasMore = await removeSome()
    for (const inbox of lagging)
      try {
        if (await takeStep(inbox)) hasMore = true
      } catch (error) {
        // The other workspaces continue.
        log.warn('Could not fill inboxes; will retry', { workspace: inbox.workspace_key, error: String(error) })
      }
    // Requests go first: no more than half of the time is spent here.
    if (hasMore) await Bun.sleep(performance.now() - started)
    return hasMore
  }

  /** Deletes some of what deleted posts were to members. Returns whether there is more. */
  async function removeSome(): Promise<boolean> {
    const isDue = (await engine.read(findRemovedSubject)) !== undefined
    return isDue && engine.writeAlone(removeLeftovers)
  }

  /**
   * Most events make no entries. To skip them is not worth a transaction each: the position moves once nothing more happens, or
   * many were skipped. Until then it is remembered here, so that none is looked at twice.
   */
  async function takeStep(inbox: LaggingInbox): Promise<boolean> {
    const { workspace_key, revision, log_revision } = inbox
    if (busy.has(workspace_key)) return fill(inbox)
    const known = searched.get(workspace_key)
    const from = known?.from === revision && known.upTo <= log_revision ? known.upTo : revision
    const { entries, unreacted, next } = await engine.read((db) =>
      readBatch(db, workspace_key, inbox, { after: from, upTo: log_revision }),
    )
    if (entries.length > 0 || unreacted.length > 0) return fill(inbox, { from: revision, upTo: from })
    const upTo = next.revision
    searched.set(workspace_key, { from: revision, upTo })
    if (from < log_revision && upTo - revision < MAX_SKIPPED) return upTo < log_revision
    searched.delete(workspace_key)
    await engine.write((db) => moveInboxes(db, workspace_key, inbox, next))
    return upTo < log_revision
  }

  async function fill(inbox: LaggingInbox, known?: SearchedEvents): Promise<boolean> {
    const { hasMore, hasEntries } = await fillInboxes(parley, inbox, known)
    if (hasEntries) busy.add(inbox.workspace_key)
    else busy.delete(inbox.workspace_key)
    return hasMore
  }
}

/** Events after a position that were found to have no recipients. */
interface SearchedEvents {
  from: number
  upTo: number
}

interface Filled {
  /** Whether there may be more. */
  hasMore: boolean
  hasEntries: boolean
}

/**
 * Adds the next events of a workspace to the inboxes of their recipients. The position in the log moves in the same transaction, so
 * each recipient gets an entry for each event once, even with several processes of which some die.
 */
export async function fillInboxes(
  parley: Parley,
  { workspace_key }: Pick<LaggingInbox, 'workspace_key'>,
  searched?: SearchedEvents,
): Promise<Filled> {
  const operator = operatorOf({ key: workspace_key, id: '', slug: '', name: '' })
  const filled = await parley.engine.writeAlone((db) =>
    changeWorkspace(
      parley,
      db,
      operator,
      (context) => {
        // There may be nothing to do, because another process was faster.
        context.commitWithoutEvents()
        return fillLocked(context, searched)
      },
      { effect: 'adds' },
    ),
  )
  parley.changes.notify(workspace_key)
  return filled
}

async function fillLocked(context: ChangeContext, searched?: SearchedEvents): Promise<Filled> {
  const { db, viewer, newId } = context
  const { key } = viewer.workspace
  const logEnd = (await context.firstRevision()) - 1
  const start = await lockInboxPosition(db, key)
  // A search from another position no longer counts: another process has moved it.
  const after = start.revision === searched?.from ? searched.upTo : start.revision
  const { entries, unreacted, next, hasMore } = await readBatch(db, key, start, { after, upTo: logEnd })
  // What these members read from now on waits, and what they read before is known.
  await lockMembers(db, key, [
    ...entries.map(({ author_key }) => author_key),
    ...unreacted.flatMap(({ named }) => named),
  ])
  await upsertEntries(db, key, entries, () => newId('inb'))
  await notifyUnread(context, entries)
  const removed = await removeReactionEntries(db, unreacted)

  const changed = Map.groupBy([...entries, ...removed], ({ subject_id }) => subject_id)
  for (const [subject_id, entries] of changed)
    context.announce(
      'inbox.updated',
      { subject_id },
      { recipients: [...new Set(entries.map((each) => each.author_key))] },
    )
  // The events of this change make no entries.
  const end = hasMore ? next : { revision: logEnd + changed.size, recipient_key: 0 }
  await moveInboxes(db, key, start, end)
  return { hasMore, hasEntries: changed.size > 0 }
}

/** Has the recipients of unread entries mailed and notified. */
function notifyUnread({ db, viewer, now }: ChangeContext, entries: readonly NewEntry[]) {
  const unread = entries.filter(({ is_read }) => !is_read)
  const urgent = new Set(unread.filter(({ reason }) => isUrgent(reason)).map(({ author_key }) => author_key))
  const all = [...new Set(unread.map(({ author_key }) => author_key))]
  const recipients = all.map((author_key) => ({ author_key, isUrgent: urgent.has(author_key) }))
  return scheduleNotifications(db, viewer.workspace.key, recipients, now)
}

/** Reasons that members can be notified of sooner than of others. */
const isUrgent = (reason: InboxReason) => aboutOf[reason] === 'mention' || reason === 'message'
