import type { Generated } from 'kysely'
import type { NotificationTimes } from '../../domain/quiet-times'

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
  /** Waiting deliveries up to this key were dropped and are never sent; 0 for none. */
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

/** Mails and pushes. */
export interface NotificationTables {
  mails: MailTable
  notification_settings: NotificationTimes & { author_key: number; workspace_key: number }
  notification_state: NotificationStateTable
  push_subscriptions: PushSubscriptionTable
  /** One row: the VAPID key pair of this server, the private key encrypted. */
  push_keys: { id: number; public_key: string; private_key: string }
}

/** A mail to one person, without its text: that is written when it is sent. */
interface MailTable {
  key: Generated<number>
  id: string
  kind: 'invitation' | 'password_reset' | 'sign_in_link' | 'email_change' | 'email_change_notice' | 'join'
  /** Whom it goes to; empty for the address that the member has when it is sent. */
  address: string
  /** The member it is about; 0 where only an address is known. */
  workspace_key: number
  author_key: number
  /** The invite link that the address wants to join by; 0 for none. */
  link_key: Generated<number>
  created_at: number
  /** Null once there is nothing more to try. */
  due_at: number | null
  claimed_until: number
  attempts: number
  status: 'pending' | 'sent' | 'failed' | 'canceled'
  last_error: string | null
}

/** What a member was mailed about. */
interface NotificationStateTable {
  author_key: number
  workspace_key: number
  /** When to mail what is still unread; null where nothing is new. */
  mail_due_at: number | null
  /** The revision up to which entries were mailed. */
  mailed_revision: number
  /** The same for the mail that is being sent: if it is sent again, it is about the same. */
  mailing_revision: number | null
  attempts: number
  claimed_until: number
  /** Turns the mails off, and nothing else. */
  unsubscribe_token: string
}

/** A browser that shows notifications. It ends with its session. */
interface PushSubscriptionTable {
  session_key: number
  workspace_key: number
  author_key: number
  endpoint: string
  /** The keys of the browser that messages are encrypted for. */
  p256dh: string
  auth: string
  created_at: number
  due_at: number | null
  /** The revision up to which entries were pushed. */
  pushed_revision: number
  attempts: number
  claimed_until: number
}
