import type { EventType } from '../../contract/event-types'
import type { EventData } from '../../contract/events'
import { deletesContent, leavesPosts, leavesRights, subjectOfEvent } from '../../domain/events/effects'
import { newNonce } from '../../domain/events/positions'
import { groupList, type NamedGroup, recipientList } from '../../domain/events/visibility'
import type { IdPrefix } from '../../domain/ids'
import type { Links } from '../../domain/links'
import type { Viewer } from '../../domain/permissions'
import { lockMembers, lockRights } from '../access/locks'
import type { Writer } from '../engines/db'
import { appendEvents, type EventRow, movePersonal } from '../log/events'
import { insertPersonalEvents, takePersonalEvents } from '../log/personal-events'
import { findPositions, lockWorkspace } from '../people/workspaces'
import { indexEvents } from '../search/documents'
import type { Effect, SharedWrites } from './shared-writes'

/** What a change of a workspace needs besides the database. */
export interface ChangeParts {
  clock: () => number
  links: Links
  newId: (prefix: IdPrefix, now: number) => string
  /** Whether mails can be sent. */
  isMailConfigured?: boolean
}

/** One change of a workspace: who changes it, when, and the events it announces. */
export interface ChangeContext {
  db: Writer
  viewer: Viewer
  links: Links
  /** The time of the whole change. */
  now: number
  newId(prefix: IdPrefix): string
  /** The revision that the first event of this change will have. */
  firstRevision(): Promise<number>
  /** The revision that the event announced next will have. */
  nextRevision(): Promise<number>
  /** Whether the operator configured how to send mails. */
  isMailConfigured: boolean
  /**
   * Changes another workspace in the same transaction, as this member of it, with its own revision. The preparation in
   * `gate/write.ts` has to name that workspace, so that workspaces are locked in order.
   */
  changeOtherWorkspace(viewer: Viewer, work: (context: ChangeContext) => Promise<void>): Promise<void>
  /** For a personal change that is about to touch what others share, such as files. Called before it changes anything. */
  needLock(): void
  /** Commits the change even if it has no events, such as when a delivery is queued. */
  commitWithoutEvents(): void
  /** Adds an event to the change; it is appended to the log when the action has returned. A change without events is rolled back. */
  announce<T extends EventType>(type: T, data: EventData<T>, location?: EventLocation): void
  /** Whether there is anything to commit so far. */
  isChanged(): boolean
  /** Whether an event so far deletes content. */
  hasDeleted(): boolean
}

/** Where an event happened, which decides who can see it: a channel, a thread, or neither. */
export interface EventLocation {
  channel_key?: number
  thread_key?: number
  /** The recipients of an event about their own state. */
  recipients?: readonly number[]
  /** Members it mentions that were not mentioned before, or the one it adds to a channel. */
  named?: readonly number[]
  /** Groups it mentions that were not mentioned before, and everyone in its channel. */
  namedGroups?: readonly NamedGroup[]
}

/** Thrown by a change beside the others that needs the lock of the workspace after all: it is to be done again with it. */
export class NeedsLock {}

/** Thrown out of a transaction in which nothing happened, so that it leaves nothing behind, no revision either. */
export class Unchanged {
  constructor(readonly output: unknown) {}
}

/**
 * Locks a workspace, does the work, appends the events it announced under the next revisions. A personal change on PostgreSQL is
 * done beside those of others, unless it needs the lock: it only locks its member. In either case its events are appended later,
 * after those of earlier changes of its member.
 */
export async function changeWorkspace<T>(
  parts: ChangeParts,
  db: Writer,
  viewer: Viewer,
  work: (context: ChangeContext) => Promise<T>,
  { writes, effect = 'any', needsLock = false }: { writes?: SharedWrites; effect?: Effect; needsLock?: boolean } = {},
): Promise<T> {
  const { key } = viewer.workspace
  const now = parts.clock()
  const isAppendedLater = effect === 'personal' && hasConcurrentWriters(db)
  const isConcurrent = isAppendedLater && !needsLock
  // Not awaited before it is needed: on PostgreSQL it is on its way together with what the work asks first.
  const locking = isConcurrent ? lockMember(db, viewer, writes) : lockRevision(db, key, effect, writes)
  // If the work fails first, its error is the one to report.
  locking.catch(() => {})
  const events: AnnouncedEvent[] = []
  let mustCommit = false
  let hasChangedOther = false
  const output = await work({
    db,
    viewer,
    links: parts.links,
    now,
    newId: (prefix) => parts.newId(prefix, now),
    firstRevision: async () => (await locking) + 1,
    nextRevision: async () => (await locking) + events.length + 1,
    isMailConfigured: parts.isMailConfigured ?? false,
    changeOtherWorkspace: (other, change) => {
      hasChangedOther = true
      return changeWorkspace(parts, db, other, change)
    },
    needLock: () => {
      if (isConcurrent) throw new NeedsLock()
    },
    commitWithoutEvents: () => {
      mustCommit = true
    },
    announce: (type, data, location = {}) => void events.push({ type, data, location }),
    isChanged: () => mustCommit || events.length > 0,
    hasDeleted: () => events.some(({ type }) => deletesContent(type)),
  })
  const revisionBefore = await locking
  if (events.length === 0 && !mustCommit) throw new Unchanged(output)
  const rows = toEventRows(viewer, now, revisionBefore, events)
  await movePersonal(db, rows)
  if (isAppendedLater) await insertPersonalEvents(db, rows)
  else if (writes) writes.deferEvents(rows)
  else {
    await appendEvents(db, rows)
    await indexEvents(db, rows)
  }
  // Everything else may change who the callers are and what they may do.
  if (!mustCommit && !hasChangedOther && events.every(({ type }) => leavesRights(type)))
    writes?.retain({
      callers: writes.known.callers,
      revision: { workspaceKey: key, revision: revisionBefore + (isAppendedLater ? 0 : events.length) },
      found: events.every(({ type }) => leavesPosts(type)) ? writes.known.found : undefined,
    })
  return output
}

/** Whether there can be several writers at once. */
export const hasConcurrentWriters = ({ syntax }: Pick<Writer, 'syntax'>): boolean => syntax.kind === 'postgres'

/** Locks a workspace, and returns its revision. */
async function lockRevision(db: Writer, workspaceKey: number, effect: Effect, writes?: SharedWrites): Promise<number> {
  // If this write fails before it is answered, the next one has begun by then.
  const known = writes?.known
  if (known?.revision?.workspaceKey === workspaceKey) return known.revision.revision
  // For all writes of the transaction: once rows are changed, waiting for others could be mutual.
  const takesAway = writes ? writes.mayTakeAway() : effect === 'any'
  const [revision] = await Promise.all([
    lockWorkspace(db, workspaceKey),
    // What somebody writes also reads and follows: they do that beside it, too.
    takesAway ? lockRights(db, workspaceKey) : lockMembers(db, workspaceKey, writes?.authorKeys() ?? []),
  ])
  if (known) known.revision = { workspaceKey, revision }
  return revision
}

/** Locks those who make the personal changes of a transaction, and returns the present revision of the workspace. */
async function lockMember(db: Writer, { workspace, author }: Viewer, writes?: SharedWrites): Promise<number> {
  const known = writes?.known
  if (known?.revision?.workspaceKey === workspace.key) return known.revision.revision
  await lockMembers(db, workspace.key, [author.key, ...(writes?.authorKeys() ?? [])])
  const { revision } = (await findPositions(db, [workspace.key])).get(workspace.key)!
  if (known) known.revision = { workspaceKey: workspace.key, revision }
  return revision
}

const MAX_APPENDED = 500

/** Appends the events of personal changes to the log. Returns whether there may be more. */
export async function appendPersonalEvents(db: Writer, workspaceKey: number, writes: SharedWrites): Promise<boolean> {
  const revision = await lockRevision(db, workspaceKey, 'adds', writes)
  const events = await takePersonalEvents(db, workspaceKey, MAX_APPENDED)
  writes.deferEvents(
    events.map((event, at) => ({
      ...event,
      revision: revision + 1 + at,
      ...{ channel_key: 0, thread_key: 0, named: '', named_groups: '', subject_id: '', is_redacted: false },
    })),
  )
  const { callers, found } = writes.known
  writes.retain({ callers, found, revision: { workspaceKey, revision: revision + events.length } })
  return events.length === MAX_APPENDED
}

interface AnnouncedEvent {
  type: EventType
  data: object
  location: EventLocation
}

/** Events of one change have one nonce, and the revisions after the one before. */
function toEventRows(viewer: Viewer, now: number, before: number, events: readonly AnnouncedEvent[]): EventRow[] {
  const nonce = newNonce()
  return events.map(({ type, data, location }, at) => ({
    workspace_key: viewer.workspace.key,
    revision: before + 1 + at,
    nonce,
    type,
    actor_key: viewer.author.key,
    channel_key: location.channel_key ?? 0,
    thread_key: location.thread_key ?? 0,
    recipients: recipientList(location.recipients ?? []),
    named: recipientList(location.named ?? []),
    named_groups: groupList(location.namedGroups ?? []),
    via: viewer.via ?? null,
    created_at: now,
    data: JSON.stringify(data),
    subject_id: subjectOfEvent(type, data),
    is_redacted: deletesContent(type),
  }))
}
