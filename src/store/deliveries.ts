import { sql } from 'kysely'
import type { Slice } from '../domain/lists/paging'
import type { Viewer } from '../domain/permissions'
import type { Reader, Writer } from './engines/db'
import { prepareRows } from './pages'
import type { Tables } from './schema'
import type { WebhookRow } from './webhooks'

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
  const ranges = (status ? [status] : statuses).map((each) => ({ workspace_key, webhook_key, status: each }))
  return readDeliveries(db, { table: 'deliveries', key: 'key', at: 'created_at', id: 'id', ranges }, slice)
}

export const deliveriesTotal = (webhook: WebhookRow, status: DeliveryStatus | undefined): number => {
  const { deliveries_count, delivered_count, failed_count } = webhook
  if (status === 'delivered') return delivered_count
  if (status === 'failed') return failed_count
  return status === 'pending' ? deliveries_count - delivered_count - failed_count : deliveries_count
}

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

export interface Attempt {
  attempted_at: number
  duration_ms: number
  response_status: number | null
  response_body: string | null
  error: string | null
}

/** A delivery as it is now. The caller has locked its webhook. */
export const findDeliveryByKey = (db: Writer, key: number): Promise<DeliveryRow | undefined> =>
  withWebhook(db).where('d.key', '=', key).executeTakeFirst() as Promise<DeliveryRow | undefined>

/** Records the result of an attempt, and the new state of the delivery. */
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

export const listAttempts = (db: Reader, deliveryKey: number) =>
  db
    .selectFrom('delivery_attempts')
    .where('delivery_key', '=', deliveryKey)
    .selectAll()
    .orderBy('attempted_at')
    .execute()
