import type { Generated } from 'kysely'

/** Webhooks, outgoing and incoming. */
export interface WebhookTables {
  webhooks: WebhookTable
  /** Webhooks that were deleted and may still have deliveries. */
  deleted_webhooks: { webhook_key: number }
  deliveries: {
    key: Generated<number>
    id: string
    workspace_key: number
    webhook_key: number
    event_id: string
    event_type: string
    /** The event, which is rendered when it is sent; 0 for a ping. */
    revision: number
    status: 'pending' | 'delivered' | 'failed'
    attempts_count: number
    /** How many of the attempts were made before it was last sent again by hand: retries count from there. */
    attempts_before: number
    /** Why Parley decided not to send it. */
    not_sent_reason: string | null
    created_at: number
    /** Null once there is nothing more to try. */
    next_attempt_at: number | null
  }
  delivery_attempts: {
    delivery_key: number
    attempted_at: number
    duration_ms: number
    response_status: number | null
    response_body: string | null
    error: string | null
  }
  hooks: HookTable
}

interface WebhookTable {
  key: Generated<number>
  id: string
  workspace_key: number
  author_key: number
  url: string
  /** Comma-separated; empty for all. */
  types: string
  is_enabled: boolean
  disabled_reason: string | null
  created_at: number
  updated_at: number
  /** Encrypted, as is the one before it, which is still good for a while. */
  secret: string
  old_secret: string | null
  old_secret_until: number
  /** The revision up to which its deliveries were queued. */
  position: number
  /** When the next of its deliveries is due. */
  due_at: number | null
  failing_since: number | null
  /** Until when a node holds it for sending. */
  claimed_until: number
  /** Of its deliveries that wait, those up to this key were dropped and are never sent; 0 for none. */
  dropped_key: number
  deliveries_count: number
  delivered_count: number
  failed_count: number
}

/** An address that other systems post to. Its channel is that of its post too; a key is 0 where there is none. */
interface HookTable {
  key: Generated<number>
  id: string
  workspace_key: number
  /** The app that what it posts is by. */
  author_key: number
  /** The member whose access it has. */
  owner_key: number
  channel_key: number
  post_key: number
  thread_key: number
  /** The id of the channel, post or thread, also once that is gone. */
  target_id: string
  /** Of its secret; null since its owner was deactivated. */
  hash: string | null
  last_used_at: number | null
  created_at: number
  updated_at: number
}
