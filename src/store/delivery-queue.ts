import { sql } from 'kysely'
import { countDeliveries, type DeliveryRow, findDeliveryByKey, moveStatus } from './deliveries'
import type { Reader, Writer } from './engines/db'
import { keepClaim, setWebhook, type WebhookRow } from './webhooks'

/** How many due deliveries are looked up at once: finding them costs as much as there are. */
const BATCH = 100

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
        created_at: now,
        next_attempt_at: now,
      })
      .execute()
  await countDeliveries(db, webhook.key, { deliveries: deliveries.length })
  await makeDue(db, webhook.key, now)
}

/** The webhook has something to send by then. */
const makeDue = (db: Writer, webhookKey: number, at: number) =>
  db
    .updateTable('webhooks')
    .set({ due_at: sql`case when due_at < ${at} then due_at else ${at} end` })
    .where('key', '=', webhookKey)
    .execute()

/** The first due deliveries of a webhook, by key, in the order of the log. */
export const findDueKeys = async (db: Reader, webhookKey: number, now: number): Promise<number[]> => {
  const due = await dueDeliveries(db, now)
    .where('d.webhook_key', '=', webhookKey)
    .orderBy('d.key')
    .limit(BATCH)
    .execute()
  return due.map(({ key }) => key)
}

/** A delivery, if it is still due. */
export const findDueDelivery = (db: Reader, key: number, now: number): Promise<DeliveryRow | undefined> =>
  dueDeliveries(db, now)
    .where('d.key', '=', key)
    .selectAll('d')
    .select('w.id as webhook_id')
    .executeTakeFirst() as Promise<DeliveryRow | undefined>

const dueDeliveries = (db: Reader, now: number) =>
  db
    .selectFrom('deliveries as d')
    .innerJoin('webhooks as w', 'w.key', 'd.webhook_key')
    .where('d.next_attempt_at', '<=', now)
    .whereRef('d.key', '>', 'w.dropped_key')
    .select('d.key')

/** Sends it again at once, with all the retries of a new delivery. */
export async function requeueDelivery(
  db: Writer,
  { key, webhook_key }: DeliveryRow,
  now: number,
): Promise<DeliveryRow> {
  // Lock the webhook, so that no attempt is recorded at the same time.
  await makeDue(db, webhook_key, now)
  const current = (await findDeliveryByKey(db, key))!
  const attempts_before = current.attempts_count
  const fresh = { status: 'pending', next_attempt_at: now, attempts_before, not_sent_reason: null } as const
  await db.updateTable('deliveries').set(fresh).where('key', '=', key).execute()
  await moveStatus(db, current, 'pending')
  return { ...current, ...fresh }
}

/** Releases a webhook until its next delivery is due, and not before the time the receiver asked for. */
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
