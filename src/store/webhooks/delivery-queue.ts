import { type SqlBool, sql } from 'kysely'
import { type ParamFor, prepare, type Reader, type Writer } from '../engines/db'
import { countDeliveries, type DeliveryRow, findDeliveryByKey, moveStatus } from './deliveries'
import { keepClaim, lockWebhook, setWebhook, type WebhookRow } from './webhooks'

/** How many due deliveries are looked up at once. */
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

/**
 * The next deliveries of a webhook to send, by key, in the order of the log. Those that were not tried yet have that order
 * whatever the clocks of the nodes say; those to send again join when it is their turn by time. Both are read from an
 * index, so a backlog costs nothing.
 */
export async function findDueKeys(db: Reader, webhook: number, now: number): Promise<number[]> {
  const values = { webhook, now }
  const found = [...(await firstUntried(db, [], values)), ...(await firstDue(db, [], values))]
  return [...new Set(found.map(({ key }) => key))].sort((a, b) => a - b).slice(0, BATCH)
}

const dueDeliveries = (db: Reader, param: ParamFor) =>
  db
    .selectFrom('deliveries')
    .where('webhook_key', '=', param<number>('webhook'))
    .where('next_attempt_at', '<=', param<number>('now'))
    .where('key', '>', (eb) =>
      eb.selectFrom('webhooks').where('webhooks.key', '=', param<number>('webhook')).select('dropped_key'),
    )
    .select('key')
    .limit(sql.lit(BATCH))

const firstUntried = prepare((db, param) =>
  dueDeliveries(db, param)
    // As in the index `deliveries_new`.
    .where(sql<SqlBool>`next_attempt_at IS NOT NULL AND attempts_count = attempts_before`)
    .orderBy('key'),
)

const firstDue = prepare((db, param) => dueDeliveries(db, param).orderBy('next_attempt_at').orderBy('key'))

/** A delivery, if it is still due. */
export const findDueDelivery = (db: Reader, key: number, now: number): Promise<DeliveryRow | undefined> =>
  db
    .selectFrom('deliveries as d')
    .innerJoin('webhooks as w', 'w.key', 'd.webhook_key')
    .where('d.key', '=', key)
    .where('d.next_attempt_at', '<=', now)
    .whereRef('d.key', '>', 'w.dropped_key')
    .selectAll('d')
    .select('w.id as webhook_id')
    .executeTakeFirst()

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
  // Locks the webhook first: a write that is about to queue something for it waits, and then finds it disabled.
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

/** How many deliveries one transaction deletes. */
const RETENTION_BATCH = 500

/** The webhooks whose old deliveries are to be deleted: all of them. */
export const listWebhookKeys = (db: Reader): Promise<{ key: number; workspace_key: number }[]> =>
  db.selectFrom('webhooks').select(['key', 'workspace_key']).execute()

/** Deletes a batch of a webhook's finished deliveries from before a time. Returns how many. */
export async function deleteOldDeliveries(
  db: Writer,
  { key, workspace_key }: { key: number; workspace_key: number },
  before: number,
): Promise<number> {
  const deleted = { delivered: 0, failed: 0 }
  for (const status of ['delivered', 'failed'] as const) {
    const old = await db
      .selectFrom('deliveries')
      .where('workspace_key', '=', workspace_key)
      .where('webhook_key', '=', key)
      .where('status', '=', status)
      .where('created_at', '<', before)
      .select('key')
      .limit(RETENTION_BATCH)
      .execute()
    deleted[status] = await deleteDeliveries(db, old)
  }
  const count = deleted.delivered + deleted.failed
  if (count > 0)
    await countDeliveries(db, key, { deliveries: -count, delivered: -deleted.delivered, failed: -deleted.failed })
  return count
}

/** Deletes a batch of the deliveries of webhooks that no longer exist. Returns 0 once there are none left. */
export async function deleteOrphanedDeliveries(db: Writer): Promise<number> {
  const webhook = await db.selectFrom('deleted_webhooks').selectAll().limit(1).executeTakeFirst()
  if (!webhook) return 0
  const { webhook_key } = webhook
  const orphaned = await db
    .selectFrom('deliveries')
    .where('webhook_key', '=', webhook_key)
    .select('key')
    .limit(RETENTION_BATCH)
    .execute()
  const count = await deleteDeliveries(db, orphaned)
  if (count === RETENTION_BATCH) return count
  await db.deleteFrom('deleted_webhooks').where('webhook_key', '=', webhook_key).execute()
  return count + 1
}

async function deleteDeliveries(db: Writer, deliveries: readonly { key: number }[]): Promise<number> {
  if (deliveries.length === 0) return 0
  const keys = deliveries.map(({ key }) => key)
  await db.deleteFrom('delivery_attempts').where('delivery_key', 'in', keys).execute()
  await db.deleteFrom('deliveries').where('key', 'in', keys).execute()
  return keys.length
}
