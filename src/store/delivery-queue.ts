import { sql } from 'kysely'
import type { Reader, Writer } from './db'
import { countDeliveries, type DeliveryRow, findDeliveryByKey, moveStatus, withWebhook } from './deliveries'
import { keepClaim, setWebhook, type WebhookRow } from './webhooks'

/** How far the clocks of two nodes may differ. */
const MAX_CLOCK_SKEW_MS = 10_000

export interface NewDelivery {
  id: string
  event_id: string
  event_type: string
  /** Of the event; 0 for a ping. */
  revision: number
}

/** Queues deliveries, due at once, in the order of the log. */
export async function insertDeliveries(
  db: Writer,
  webhook: WebhookRow,
  deliveries: readonly NewDelivery[],
  now: number,
): Promise<void> {
  const queuedAt = await findQueueTime(db, webhook, now)
  for (const delivery of deliveries)
    await db
      .insertInto('deliveries')
      .values({
        ...delivery,
        workspace_key: webhook.workspace_key,
        webhook_key: webhook.key,
        status: 'pending',
        attempts_count: 0,
        attempts_before: 0,
        not_sent_reason: null,
        created_at: queuedAt,
        next_attempt_at: queuedAt,
      })
      .execute()
  await countDeliveries(db, webhook.key, { deliveries: deliveries.length })
  await makeDue(db, webhook.key, queuedAt)
}

/**
 * Now, but not before the last delivery that waits: otherwise a node whose clock is behind would queue deliveries before
 * earlier ones. A clock that is wrong by more is ignored.
 */
async function findQueueTime(db: Writer, { key, workspace_key }: WebhookRow, now: number): Promise<number> {
  const last = await db
    .selectFrom('deliveries')
    .where('workspace_key', '=', workspace_key)
    .where('webhook_key', '=', key)
    .where('status', '=', 'pending')
    .where('created_at', '<=', now + MAX_CLOCK_SKEW_MS)
    .orderBy('created_at', 'desc')
    .select('created_at')
    .limit(1)
    .executeTakeFirst()
  return Math.max(now, last?.created_at ?? now)
}

/** The webhook has something to send by then. */
const makeDue = (db: Writer, webhookKey: number, at: number) =>
  db
    .updateTable('webhooks')
    .set({ due_at: sql`case when due_at < ${at} then due_at else ${at} end` })
    .where('key', '=', webhookKey)
    .execute()

/** The delivery of a webhook that has been due longest; those that were queued together are in the order of the log. */
export const findDueDelivery = (db: Reader, webhookKey: number, now: number): Promise<DeliveryRow | undefined> =>
  withWebhook(db)
    .where('d.webhook_key', '=', webhookKey)
    .where('d.next_attempt_at', '<=', now)
    .whereRef('d.key', '>', 'w.dropped_key')
    .orderBy('d.next_attempt_at')
    .orderBy('d.key')
    .limit(1)
    .executeTakeFirst() as Promise<DeliveryRow | undefined>

/** Sends it again at once, with all the retries of a new delivery. */
export async function requeueDelivery(
  db: Writer,
  { key, webhook_key }: DeliveryRow,
  now: number,
): Promise<DeliveryRow> {
  // Holding the webhook, so that nobody notes at this moment how it went.
  await makeDue(db, webhook_key, now)
  const current = (await findDeliveryByKey(db, key))!
  const attempts_before = current.attempts_count
  const fresh = { status: 'pending', next_attempt_at: now, attempts_before, not_sent_reason: null } as const
  await db.updateTable('deliveries').set(fresh).where('key', '=', key).execute()
  await moveStatus(db, current, 'pending')
  return { ...current, ...fresh }
}

/** Lets go of a webhook, until its next delivery is due, and not before the receiver wants to hear of us again. */
export async function releaseWebhook(db: Writer, held: WebhookRow, notBefore: number) {
  // First: what is queued from here on waits for this, and then makes the webhook due again.
  const webhook = await keepClaim(db, held, notBefore)
  if (!webhook) return
  const next = await db
    .selectFrom('deliveries')
    .where('webhook_key', '=', held.key)
    .where('next_attempt_at', 'is not', null)
    .where('key', '>', webhook.dropped_key)
    .orderBy('next_attempt_at')
    .select('next_attempt_at')
    .limit(1)
    .executeTakeFirst()
  await setWebhook(db, held.key, { due_at: next?.next_attempt_at ?? null })
}
