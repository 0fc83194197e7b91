import { sql } from 'kysely'
import type { EventType } from '../../contract/event-types'
import type { Delivery, DeliveryDetails, Webhook } from '../../contract/webhooks'
import { type Links, toAuthor } from '../../domain/links'
import type { Slice } from '../../domain/lists/paging'
import { maskUrl, type Viewer } from '../../domain/permissions'
import { timestamp, timestampOrNull } from '../../domain/timestamps'
import type { Reader, Writer } from '../engines/db'
import { listRows } from '../lists/list'
import type { Tables } from '../schema'
import type { OwnedWebhook, WebhookRow } from './webhooks'

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

/** One slice of the deliveries of a webhook, and how many it has. */
export function listDeliveries(db: Reader, webhook: WebhookRow, status: DeliveryStatus | undefined, slice: Slice) {
  const { workspace_key, key: webhook_key } = webhook
  const list = {
    ...{ table: 'deliveries', key: 'key', at: 'created_at', id: 'id' },
    ranges: (status ? [status] : statuses).map((each) => ({ workspace_key, webhook_key, status: each })),
  }
  const total = sql<number>`(SELECT ${sql.raw(counters[status ?? 'any'])} FROM webhooks WHERE key = ${webhook_key})`
  return listRows(
    db,
    list,
    slice,
    (keys) =>
      keys
        .innerJoin('deliveries as d', 'd.key', 'k.key')
        .innerJoin('webhooks as w', 'w.key', 'd.webhook_key')
        .selectAll('d')
        .select('w.id as webhook_id'),
    total,
  )
}

const counters: Record<DeliveryStatus | 'any', string> = {
  any: 'deliveries_count',
  pending: 'deliveries_count - delivered_count - failed_count',
  delivered: 'delivered_count',
  failed: 'failed_count',
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

/** A webhook as its owner sees it. */
export const toWebhook = (links: Links, row: OwnedWebhook): Webhook => ({
  id: row.id,
  owner: toAuthor(links, row.owner),
  url: row.url,
  types: typesOf(row),
  is_enabled: row.is_enabled,
  disabled_reason: row.disabled_reason,
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})

/** A webhook as everyone else sees it, and as events show it. */
export const toMaskedWebhook = (links: Links, row: OwnedWebhook): Webhook => ({
  ...toWebhook(links, row),
  url: maskUrl(row.url),
})

export const typesOf = ({ types }: Pick<WebhookRow, 'types'>): EventType[] =>
  types === '' ? [] : (types.split(',') as EventType[])

export const toDelivery = (row: DeliveryRow): Delivery => ({
  id: row.id,
  webhook_id: row.webhook_id,
  event_id: row.event_id,
  event_type: row.event_type,
  status: row.status,
  attempts_count: row.attempts_count,
  created_at: timestamp(row.created_at),
  next_attempt_at: timestampOrNull(row.next_attempt_at),
  not_sent_reason: row.not_sent_reason,
})

/** `body` is null, and so is what was answered, where the viewer may not see what was sent. */
export const toDeliveryDetails = (
  row: DeliveryRow,
  { url, body, showsAnswers }: { url: string; body: string | null; showsAnswers: boolean },
  attempts: readonly Attempt[],
): DeliveryDetails => ({
  ...toDelivery(row),
  request: { url, body },
  attempts: attempts.map(({ attempted_at, duration_ms, response_status, response_body, error }) => ({
    attempted_at: timestamp(attempted_at),
    duration_ms,
    response_status,
    response_body: showsAnswers ? response_body : null,
    error,
  })),
})
