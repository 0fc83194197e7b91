import type { EventType } from '../contract/event-types'
import type { EventData } from '../contract/events'
import type { FileLimits } from '../domain/files'
import type { IdPrefix } from '../domain/ids'
import type { Links } from '../domain/links'
import type { Viewer } from '../domain/permissions'
import type { Vault } from '../domain/secrets'
import type { Networks } from '../networks'
import type { Reader, Writer } from '../store/engines/db'
import type { MatchedMembers } from '../store/people/member-search'

export interface ReadContext {
  db: Reader
  viewer: Viewer
  links: Links
  now: number
  isMailConfigured: boolean
  fileLimits: FileLimits
  /** The revision of the workspace when the request arrived. */
  revision: number
  /** How long a search may take, in milliseconds. */
  searchBudget: number
  /** The members whose name or e-mail address contains a folded text. */
  findMembersByText(text: string): Promise<MatchedMembers>
  /** Prevents caching of the response: it contains something that changes without a new revision. */
  volatile(): void
  /** Called when a page was read at a newer revision: the response would mix two revisions and is read again. */
  onRevisionChanged(): void
}

export interface WriteContext {
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
  fileLimits: FileLimits
  /** Whether the operator configured how to send mails. */
  isMailConfigured: boolean
  /** Private networks that webhooks may connect to. */
  webhookNetworks: Networks
  /** Encrypts secrets; undefined if the operator configured no key. */
  vault: Vault | undefined
  /** The result of the preparation of this operation in `gate/write.ts`, which ran before the transaction. */
  prepared?: unknown
  /** Runs `find`, or returns its earlier result if it is the look-up of this operation in `gate/write.ts`. */
  lookUp<T>(find: () => Promise<T>): Promise<T>
  /**
   * Changes another workspace in the same transaction, as this member of it, with its own revision. The preparation in
   * `gate/write.ts` has to name that workspace, so that workspaces are locked in order.
   */
  changeOtherWorkspace(viewer: Viewer, work: (context: WriteContext) => Promise<void>): Promise<void>
  /** Commits the change even if it has no events, such as when a delivery is queued. */
  commitWithoutEvents(): void
  /** Adds an event to the change; it is appended to the log when the action has returned. A change without events is rolled back. */
  announce<T extends EventType>(type: T, data: EventData<T>, location?: EventLocation): void
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
