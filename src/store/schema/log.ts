import type { Generated } from 'kysely'

/** The event log, and stored responses. */
export interface LogTables {
  /** Events about what one member sees alone that are not in the log yet, see log/personal-events.ts. */
  personal_events: {
    key: Generated<number>
    workspace_key: number
    nonce: number
    type: string
    actor_key: number
    recipients: string
    via: string | null
    created_at: number
    data: string
  }
  events: EventTable
  idempotency_keys: {
    workspace_key: number
    author_key: number
    key: string
    request_hash: string
    /** Null where the answer showed a secret; empty where the record it showed has been deleted since. */
    answer: string | null
    created_at: number
    /** The post, comment or message the answer shows, or empty. */
    subject_id: string
  }
}

interface EventTable {
  workspace_key: number
  revision: number
  nonce: number
  type: string
  actor_key: number
  /** Where it happened, which decides who can see it: a channel or a thread, or 0 for neither. */
  channel_key: number
  thread_key: number
  created_at: number
  data: string
  /** The post, comment or message whose content `data` holds, or empty. */
  subject_id: string
  /** That record has been deleted, and `data` holds its content no more. */
  is_redacted: boolean
  /** Who it is addressed to, and the members it newly mentions or adds: see `recipientList` in domain/events/visibility.ts. */
  recipients: string
  named: string
  /** What it newly mentions besides: groups, and everyone in its channel. See `groupList` in domain/events/visibility.ts. */
  named_groups: string
  /** The program that did it for the actor. */
  via: string | null
}
