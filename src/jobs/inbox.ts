import type { InboxReason } from '../contract/inbox'
import { reasonFor } from '../domain/events/effects'
import { operatorOf } from '../domain/permissions'
import type { Parley } from '../gate/parley'
import {
  type InboxPosition,
  type LaggingInbox,
  listLaggingInboxes,
  lockInboxPosition,
  moveInboxes,
  upsertEntries,
} from '../store/attention/fan-out'
import { scheduleNotifications } from '../store/attention/notices'
import {
  canHaveRecipients,
  type KnownRecords,
  type LocatedNotification,
  listNotifyingEvents,
  locateNotification,
  type NotifyingEvent,
} from '../store/attention/notifications'
import { addReactionEntry, listToldOfReactions, removeReactionEntry } from '../store/attention/reaction-entries'
import { listRecipients, type Recipient } from '../store/attention/recipients'
import { type ChangeContext, changeWorkspace } from '../store/changes/change'
import type { Reader } from '../store/engines/db'
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

/** Each transaction adds at most so many entries, about at most so many events. */
const MAX_RECIPIENTS = 200
const MAX_EVENTS = 50

/** Events after a position that were found to have no recipients. */
interface SearchedEvents {
  from: number
  upTo: number
}

/**
 * Adds the next events of a workspace to the inboxes of their recipients. The position in the log moves in the same transaction, so
 * each recipient gets an entry for each event once, even with several processes of which some die. Returns whether there may be
 * more.
 */
export async function fillInboxes(
  parley: Parley,
  { workspace_key }: Pick<LaggingInbox, 'workspace_key'>,
  searched?: SearchedEvents,
): Promise<boolean> {
  const operator = operatorOf({ key: workspace_key, id: '', slug: '', name: '' })
  const hasMore = await parley.engine.writeAlone((db) =>
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
  return hasMore
}

async function fillLocked(context: ChangeContext, searched?: SearchedEvents): Promise<boolean> {
  const { db, viewer } = context
  const { key } = viewer.workspace
  const logEnd = (await context.firstRevision()) - 1
  const start = await lockInboxPosition(db, key)
  const changed = new Map<string, Set<number>>()
  const known: KnownRecords = new Map()
  let room = MAX_RECIPIENTS
  let next: InboxPosition | undefined
  // A search from another position no longer counts: another process has moved it.
  const after = start.revision === searched?.from ? searched.upTo : start.revision
  const events = await listNotifyingEvents(db, key, { after, upTo: logEnd, limit: MAX_EVENTS })
  for (const event of events) {
    const { notification, recipients } = await findRecipients(db, event, known, start, room)
    const told = notification && recipients.length > 0 ? await changeEntries(context, notification, recipients) : []
    if (told.length > 0) {
      const known = changed.getOrInsertComputed(notification!.subject_public_id, () => new Set())
      for (const { author_key } of told) known.add(author_key)
    }
    room -= recipients.length
    next = { revision: event.revision, recipient_key: 0 }
    if (room > 0) continue
    next = { revision: event.revision - 1, recipient_key: recipients.at(-1)!.author_key }
    break
  }
  for (const [subject_id, recipients] of changed)
    context.announce('inbox.updated', { subject_id }, { recipients: [...recipients] })
  const isDone = room > 0 && events.length < MAX_EVENTS
  // The events of this change make no entries.
  const end = isDone || !next ? { revision: logEnd + changed.size, recipient_key: 0 } : next
  await moveInboxes(db, key, start, end)
  return !isDone
}

/** The next recipients of an event. The first event after the position may have reached some of them already. */
async function findRecipients(
  db: Reader,
  event: NotifyingEvent,
  known: KnownRecords,
  position: InboxPosition,
  limit: number,
) {
  const notification = canHaveRecipients(event) ? await locateNotification(db, event, known) : undefined
  const after = event.revision === position.revision + 1 ? position.recipient_key : 0
  if (!notification) return { notification, recipients: [] }
  const isTakenBack = event.type === 'reaction.removed'
  const recipients = isTakenBack
    ? await listToldOfReactions(db, notification, after)
    : await listRecipients(db, notification, after, limit)
  return { notification, recipients }
}

/** Returns the recipients whose inbox has changed. */
async function changeEntries(
  context: ChangeContext,
  notification: LocatedNotification,
  recipients: readonly Recipient[],
): Promise<readonly Recipient[]> {
  if (!notification.rule.isReaction) {
    await addEntries(context, notification, recipients)
    return recipients
  }
  const { db, now, newId } = context
  const [{ author_key }] = recipients as [Recipient]
  const isChanged =
    notification.type === 'reaction.added'
      ? await addReactionEntry(db, notification, author_key, { now, newEntryId: () => newId('inb') })
      : await removeReactionEntry(db, notification, author_key)
  return isChanged ? recipients : []
}

async function addEntries(
  { db, now, newId }: ChangeContext,
  notification: LocatedNotification,
  recipients: readonly Recipient[],
) {
  await upsertEntries(db, notification, recipients, { now, newEntryId: () => newId('inb') })
  const unread = recipients.filter(({ is_read }) => !is_read)
  const [urgent, others] = [true, false].map((isUrgent) =>
    unread.filter((recipient) => isUrgentReason(reasonFor(notification.rule, recipient)) === isUrgent),
  )
  const { workspace_key } = notification
  await scheduleNotifications(db, workspace_key, toKeys(urgent!), now, { isUrgent: true })
  await scheduleNotifications(db, workspace_key, toKeys(others!), now, { isUrgent: false })
}

/** Reasons that members can be notified of sooner than of others. */
const isUrgentReason = (reason: InboxReason) => reason === 'mention' || reason === 'message'

const toKeys = (recipients: readonly Recipient[]) => recipients.map(({ author_key }) => author_key)

/** Whether the events of a workspace after a revision have a recipient, and up to which revision that is known. */
async function findWork(
  db: Reader,
  { workspace_key, log_revision, ...position }: LaggingInbox,
  after: number,
): Promise<{ hasRecipients: boolean; upTo: number }> {
  const range = { after, upTo: log_revision, limit: MAX_EVENTS }
  const events = await listNotifyingEvents(db, workspace_key, range)
  for (const event of events)
    if ((await findRecipients(db, event, new Map(), position, 1)).recipients.length > 0)
      return { hasRecipients: true, upTo: event.revision - 1 }
  return { hasRecipients: false, upTo: events.length < MAX_EVENTS ? log_revision : events.at(-1)!.revision }
}
