import type { Generated } from 'kysely'
import type { NotificationTimes } from '../../domain/quiet-times'

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
  kind: 'invitation' | 'password_reset' | 'sign_in_link' | 'email_change' | 'email_change_notice'
  /** Whom it goes to; empty for the address that the member has when it is sent. */
  address: string
  /** The member it is about; 0 where only an address is known. */
  workspace_key: number
  author_key: number
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
