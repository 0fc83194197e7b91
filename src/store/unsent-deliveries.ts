import type { Writer } from './db'
import { countDeliveries, type DeliveryRow, moveStatus } from './deliveries'
import { setWebhook, type WebhookRow } from './webhooks'

/** Ends a delivery without sending it. */
export async function setNotSent(db: Writer, delivery: DeliveryRow, reason: string) {
  await db
    .updateTable('deliveries')
    .set({ status: 'failed', next_attempt_at: null, not_sent_reason: reason })
    .where('key', '=', delivery.key)
    .execute()
  await moveStatus(db, delivery, 'failed')
}

/** Disables a webhook for good, and ends all that waits for it. What was sent already stays as it is. */
export async function endWebhook(db: Writer, { workspace_key, key }: WebhookRow, reason: string): Promise<WebhookRow> {
  // The webhook first: whoever is about to queue something for it waits here, and then finds it disabled.
  await setWebhook(db, key, { is_enabled: 0, due_at: null })
  const { numUpdatedRows } = await db
    .updateTable('deliveries')
    .set({ status: 'failed', next_attempt_at: null, not_sent_reason: reason })
    .where('workspace_key', '=', workspace_key)
    .where('webhook_key', '=', key)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow()
  await countDeliveries(db, key, { failed: Number(numUpdatedRows) })
  return setWebhook(db, key, { disabled_reason: reason })
}
