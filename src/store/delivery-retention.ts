import { countDeliveries } from './deliveries'
import type { Reader, Writer } from './engines/db'

/** How many deliveries one transaction deletes. */
const BATCH = 500

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
      .limit(BATCH)
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
    .limit(BATCH)
    .execute()
  const count = await deleteDeliveries(db, orphaned)
  if (count === BATCH) return count
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
