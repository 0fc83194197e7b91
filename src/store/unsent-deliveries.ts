import { countDeliveries, type DeliveryRow, moveStatus } from './deliveries'
import { prepare, type Reader, type Writer } from './engines/db'
import { lockWebhook, setWebhook, type WebhookRow } from './webhooks'

/** A receiver that was away for long may have many deliveries waiting; no transaction drops more than this of them. */
const MAX_DROPPED = 200

/** Ends a delivery without sending it. */
export async function setNotSent(db: Writer, delivery: DeliveryRow, reason: string) {
  await db.updateTable('deliveries').set(notSent(reason)).where('key', '=', delivery.key).execute()
  await moveStatus(db, delivery, 'failed')
}

const notSent = (reason: string) => ({ status: 'failed', next_attempt_at: null, not_sent_reason: reason }) as const

/** Disables a webhook and drops all its pending deliveries: none of them is sent from now on. */
export async function disableWebhook(db: Writer, { key }: WebhookRow, reason: string): Promise<WebhookRow> {
  // The webhook first: whoever is about to queue something for it waits here, and then finds it disabled.
  await setWebhook(db, key, { is_enabled: false, disabled_reason: reason, due_at: null })
  const last = await db
    .selectFrom('deliveries')
    .select((eb) => eb.fn.max('key').as('key'))
    .executeTakeFirst()
  await setWebhook(db, key, { dropped_key: last?.key ?? 0 })
  return (await dropDeliveries(db, key))!
}

/** Marks some of the deliveries that a webhook dropped as not sent. `dropped_key` is 0 once all are marked. */
export async function dropDeliveries(db: Writer, key: number): Promise<WebhookRow | undefined> {
  // Locked, so that no attempt is recorded at the same time.
  const webhook = await lockWebhook(db, key)
  if (!webhook) return undefined
  const dropped = db
    .selectFrom('deliveries')
    .where('workspace_key', '=', webhook.workspace_key)
    .where('webhook_key', '=', key)
    .where('status', '=', 'pending')
    .where('key', '<=', webhook.dropped_key)
    .select('key')
    .limit(MAX_DROPPED)
  const { numUpdatedRows } = await db
    .updateTable('deliveries')
    .set(notSent(webhook.disabled_reason ?? 'The owner had lost admin access.'))
    .where('key', 'in', dropped)
    .executeTakeFirstOrThrow()
  const count = Number(numUpdatedRows)
  await countDeliveries(db, key, { failed: count })
  return setWebhook(db, key, { dropped_key: count < MAX_DROPPED ? 0 : webhook.dropped_key })
}

const droppingWebhook = prepare((db) => db.selectFrom('webhooks').where('dropped_key', '>', 0).select('key').limit(1))

/** A webhook with dropped deliveries that are not marked yet. Queried in every round of the dispatcher. */
export async function findDroppingWebhook(db: Reader): Promise<number | undefined> {
  const [webhook] = await droppingWebhook(db, [], {})
  return webhook?.key
}
