import type { EventType } from '../contract/event-types'
import type { EventData } from '../contract/events'
import type { IdPrefix } from '../domain/ids'
import type { Viewer } from '../domain/permissions'
import type { Vault } from '../domain/vault'
import type { Links } from '../records/links'
import type { Reader, Writer } from '../store/db'
import type { SearchedMember } from '../store/member-search'

export interface ReadContext {
  db: Reader
  viewer: Viewer
  links: Links
  now: number
  /** The revision of the workspace as of when the request came in. */
  revision: number
  /** The members whose name or e-mail address contains a folded text, in the order they came. */
  findMembersByText(text: string): Promise<readonly SearchedMember[]>
  /** Says that the answer holds what no revision follows, so that nobody keeps it. */
  volatile(): void
  /** Says that the workspace has changed since the request came in, so that statements may not agree with each other. */
  onRevisionChanged(): void
}

export interface WriteContext {
  db: Writer
  viewer: Viewer
  links: Links
  /** Of the whole change. */
  now: number
  newId(prefix: IdPrefix): string
  /** The revision that the first event of this change will have. */
  firstRevision(): Promise<number>
  /** Where secrets are kept; undefined where the operator gave no key. */
  vault: Vault | undefined
  /** What was made ready before the transaction began, by `gate/preparations.ts`. */
  prepared?: unknown
  /**
   * Changes another workspace in the same transaction, as this member of it, under a revision of its own. What
   * `gate/preparations.ts` prepared has to name that workspace, so that it is locked in order.
   */
  changeElsewhere(viewer: Viewer, work: (context: WriteContext) => Promise<void>): Promise<void>
  /** Says that something changed that is no event, such as what is queued for a webhook. */
  keep(): void
  /** Says what happened, and where. A change that announces nothing is taken back: nothing happened. */
  announce<T extends EventType>(type: T, data: EventData<T>, place?: Place): void
}

/** Who may hear of an event: those who see the channel or the thread; left out, the workspace. */
export interface Place {
  channel_key?: number
  thread_key?: number
}
