import { sql } from 'kysely'
import type { Slice } from '../domain/paging'
import type { Viewer } from '../domain/permissions'
import type { Reader, Writer } from './db'
import { prepareRows } from './pages'
import type { Tables } from './schema'
import { keepClaim, setWebhook, type WebhookRow } from './webhooks'

type Stored = Tables['deliveries']
export type DeliveryRow = { [C in keyof Stored]: C extends 'key' ? number : Stored[C] } & { webhook_id: string }
export type DeliveryStatus = Stored['status']

const withWebhook = (db: Reader) =>
  db
    .selectFrom('deliveries as d')
    .innerJoin('webhooks as w', 'w.key', 'd.webhook_key')
    .selectAll('d')
    .select('w.id as webhook_id')

export const findDelivery = (db: Reader, viewer: Viewer, id: string): Promise<DeliveryRow | undefined> =>
  withWebhook(db)
    .where('d.workspace_key', '=', viewer.workspace.key)
    .where('d.id', '=', id)
    .executeTakeFirst() as Promise<DeliveryRow | undefined>

const statuses: readonly DeliveryStatus[] = ['pending', 'delivered', 'failed']

const readDeliveries = prepareRows<DeliveryRow>((db, keys) =>
  db
    .selectFrom(keys)
    .innerJoin('deliveries as d', 'd.key', 'k.key')
    .innerJoin('webhooks as w', 'w.key', 'd.webhook_key')
    .selectAll('d')
    .select('w.id as webhook_id'),
)

export function listDeliveries(db: Reader, webhook: WebhookRow, status: DeliveryStatus | undefined, slice: Slice) {
  const { workspace_key, key: webhook_key } = webhook
  const branches = (status ? [status] : statuses).map((each) => ({ workspace_key, webhook_key, status: each }))
  return readDeliveries(db, { table: 'deliveries', key: 'key', at: 'created_at', id: 'id', branches }, slice)
}

export const deliveriesTotal = (webhook: WebhookRow, status: DeliveryStatus | undefined): number => {
  const { deliveries_count, delivered_count, failed_count } = webhook
  if (status === 'delivered') return delivered_count
  if (status === 'failed') return failed_count
  return status === 'pending' ? deliveries_count - delivered_count - failed_count : deliveries_count
}

export interface NewDelivery {
  id: string
  event_id: string
  event_type: string
  /** Of the event; 0 for a ping. */
  revision: number
}

/** Queues deliveries, in order, due at once. */
export async function insertDeliveries(
  db: Writer,
  webhook: WebhookRow,
  deliveries: readonly NewDelivery[],
  now: number,
) {
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

export const countDeliveries = (
  db: Writer,
  key: number,
  change: { deliveries?: number; delivered?: number; failed?: number },
) =>
  db
    .updateTable('webhooks')
    .set({
      deliveries_count: sql`deliveries_count + ${change.deliveries ?? 0}`,
      delivered_count: sql`delivered_count + ${change.delivered ?? 0}`,
      failed_count: sql`failed_count + ${change.failed ?? 0}`,
    })
    .where('key', '=', key)
    .execute()

/** The next of a webhook's deliveries that is due, in the order of the log. */
export const findDueDelivery = (db: Reader, webhookKey: number, now: number): Promise<DeliveryRow | undefined> =>
  withWebhook(db)
    .where('d.webhook_key', '=', webhookKey)
    .where('d.next_attempt_at', '<=', now)
    .whereRef('d.key', '>', 'w.dropped_key')
    .orderBy('d.key')
    .limit(1)
    .executeTakeFirst() as Promise<DeliveryRow | undefined>

export interface Attempt {
  attempted_at: number
  duration_ms: number
  response_status: number | null
  response_body: string | null
  error: string | null
}

/** A delivery as it is now, for whoever holds its webhook. */
export const findDeliveryByKey = (db: Writer, key: number): Promise<DeliveryRow | undefined> =>
  withWebhook(db).where('d.key', '=', key).executeTakeFirst() as Promise<DeliveryRow | undefined>

/** Notes how an attempt went, and what comes of the delivery. */
export async function setAttempt(
  db: Writer,
  delivery: DeliveryRow,
  attempt: Attempt,
  outcome: { status: DeliveryStatus; next_attempt_at: number | null },
) {
  await db
    .insertInto('delivery_attempts')
    .values({ delivery_key: delivery.key, ...attempt })
    .execute()
  await db
    .updateTable('deliveries')
    .set({
      ...outcome,
      attempts_count: delivery.attempts_count + 1,
      ...(outcome.status === 'delivered' && { not_sent_reason: null }),
    })
    .where('key', '=', delivery.key)
    .execute()
  await moveStatus(db, delivery, outcome.status)
}

export const moveStatus = (db: Writer, delivery: DeliveryRow, to: DeliveryStatus) => {
  const counts = (status: DeliveryStatus) => delta(to, status) - delta(delivery.status, status)
  return countDeliveries(db, delivery.webhook_key, { delivered: counts('delivered'), failed: counts('failed') })
}

const delta = (status: DeliveryStatus, counted: DeliveryStatus) => (status === counted ? 1 : 0)

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

export const listAttempts = (db: Reader, deliveryKey: number) =>
  db
    .selectFrom('delivery_attempts')
    .where('delivery_key', '=', deliveryKey)
    .selectAll()
    .orderBy('attempted_at')
    .execute()

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

/** Forgets deliveries that are done with and older than the log is kept, a bounded number at a time. */
export async function deleteOldDeliveries(db: Writer, before: number): Promise<number> {
  const old = await db
    .selectFrom('deliveries')
    .where('created_at', '<', before)
    .where('next_attempt_at', 'is', null)
    .select(['key', 'webhook_key', 'status'])
    .limit(500)
    .execute()
  if (old.length === 0) return 0
  const keys = old.map(({ key }) => key)
  await db.deleteFrom('delivery_attempts').where('delivery_key', 'in', keys).execute()
  await db.deleteFrom('deliveries').where('key', 'in', keys).execute()
  for (const { webhook_key, status } of old)
    await countDeliveries(db, webhook_key, {
      deliveries: -1,
      delivered: -delta(status, 'delivered'),
      failed: -delta(status, 'failed'),
    })
  return old.length
}
