import type { EventType } from '../../contract/event-types'
import type { EventData } from '../../contract/events'
import { deletesContent, leavesPosts, leavesRights, subjectOfEvent } from '../../domain/events/effects'
import { newNonce } from '../../domain/events/positions'
import { recipientList } from '../../domain/events/visibility'
import type { IdPrefix } from '../../domain/ids'
import type { Links } from '../../domain/links'
import type { Viewer } from '../../domain/permissions'
import type { Writer } from '../engines/db'
import { appendEvents, type EventRow } from '../log/events'
import { lockWorkspace } from '../people/workspaces'
import { indexEvents } from '../search/documents'
import type { SharedWrites } from './shared-writes'

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
  mentioned?: readonly number[]
}

/** Thrown out of a transaction in which nothing happened, so that it leaves nothing behind, no revision either. */
export class Unchanged {
  constructor(readonly output: unknown) {}
}

/** Locks a workspace, does the work, appends the events it announced under the next revisions. */
export async function changeWorkspace<T>(
  parts: ChangeParts,
  db: Writer,
  viewer: Viewer,
  work: (context: ChangeContext) => Promise<T>,
  writes?: SharedWrites,
): Promise<T> {
  const { key } = viewer.workspace
  const now = parts.clock()
  // Not awaited before it is needed: on PostgreSQL it is on its way together with what the work asks first.
  const locking = lockRevision(db, key, writes)
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
  if (writes) writes.deferEvents(rows)
  else {
    await appendEvents(db, rows)
    await indexEvents(db, rows)
  }
  // Everything else may change who the callers are and what they may do.
  if (!mustCommit && !hasChangedOther && events.every(({ type }) => leavesRights(type)))
    writes?.retain({
      callers: writes.known.callers,
      revision: { workspaceKey: key, revision: revisionBefore + events.length },
      found: events.every(({ type }) => leavesPosts(type)) ? writes.known.found : undefined,
    })
  return output
}

/** Locks a workspace, and returns its revision. */
async function lockRevision(db: Writer, workspaceKey: number, writes?: SharedWrites): Promise<number> {
  // If this write fails before it is answered, the next one has begun by then.
  const known = writes?.known
  if (known?.revision?.workspaceKey === workspaceKey) return known.revision.revision
  const revision = await lockWorkspace(db, workspaceKey)
  if (known) known.revision = { workspaceKey, revision }
  return revision
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
    mentioned: recipientList(location.mentioned ?? []),
    via: viewer.via ?? null,
    created_at: now,
    data: JSON.stringify(data),
    subject_id: subjectOfEvent(type, data),
    is_redacted: deletesContent(type),
  }))
}
