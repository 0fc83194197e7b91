import { disableWebhooksWithoutRights } from '../../actions/webhook-access'
import { webhookEventTypes } from '../../contract/event-types'
import { missingRights, operatorOf, type Viewer } from '../../domain/permissions'
import type { Parley } from '../../gate/parley'
import { changeWorkspace } from '../../store/changes/change'
import type { Writer } from '../../store/engines/db'
import { listVisibleEvents, toEvent } from '../../store/log/events'
import { findPosition } from '../../store/people/workspaces'
import { typesOf } from '../../store/webhooks/deliveries'
import { insertDeliveries } from '../../store/webhooks/delivery-queue'
import { findWebhookOwner } from '../../store/webhooks/owners'
import { type LaggingWebhook, listLaggingWebhooks, moveWebhook, type WebhookRow } from '../../store/webhooks/webhooks'

const WEBHOOKS_PER_TURN = 100
const EVENTS_PER_STEP = 200
const MAX_SEARCHED = 5_000

/** Queues new events for every webhook that subscribes to them, one step for each. Returns whether one step was too few. */
export async function fanOut(parley: Parley): Promise<boolean> {
  const lagging = await parley.engine.read((db) => listLaggingWebhooks(db, WEBHOOKS_PER_TURN))
  let isBehind = false
  let moved = 0
  for (const webhook of lagging) {
    try {
      if (await takeStep(parley, webhook)) isBehind = true
      moved += 1
    } catch (error) {
      // The other webhooks continue.
      parley.log.warn('Could not queue events; will retry', { webhook: webhook.id, error: String(error) })
    }
  }
  return isBehind || moved === WEBHOOKS_PER_TURN
}

/** Returns whether there is more in the log. */
async function takeStep(parley: Parley, webhook: LaggingWebhook): Promise<boolean> {
  const owned = await parley.engine.read((db) => findWebhookOwner(db, webhook.key, parley.clock()))
  if (!owned?.isEnabled) return false
  if (!missingRights(owned.owner)) return parley.engine.write((db) => queueEvents(parley, db, webhook, owned.viewer))
  await disableWithoutRights(parley, webhook)
  return false
}

/** Disables the webhooks of an owner who lost their rights without an event, such as by an expired token. */
export async function disableWithoutRights(parley: Parley, { workspace_key, author_key }: WebhookRow) {
  const operator = operatorOf({ key: workspace_key, id: '', slug: '', name: '' })
  await parley.engine.write((db) =>
    changeWorkspace(parley, db, operator, async (context) => {
      // Another node may have done it already.
      context.commitWithoutEvents()
      await disableWebhooksWithoutRights(context, author_key)
    }),
  )
  parley.changes.notify(workspace_key)
}

/** Moves a webhook along the log, and queues the events its owner can see now. Returns whether there is more in the log. */
async function queueEvents(
  { links, clock, newId }: Parley,
  db: Writer,
  webhook: LaggingWebhook,
  owner: Viewer,
): Promise<boolean> {
  const now = clock()
  // Read in this transaction: if a backup was restored since, an older value would skip events.
  const { revision } = await findPosition(db, webhook.workspace_key)
  const upTo = Math.min(revision, webhook.position + MAX_SEARCHED)
  const types = typesOf(webhook)
  const events = await listVisibleEvents(db, owner, {
    after: webhook.position,
    upTo,
    limit: EVENTS_PER_STEP,
    types: types.length > 0 ? types : webhookEventTypes,
  })
  const reached = events.length === EVENTS_PER_STEP ? events.at(-1)!.revision : upTo
  // If it could not be moved, another node moved it, and continues.
  if (!(await moveWebhook(db, webhook, reached))) return false
  const deliveries = events.map((row) => {
    const event = toEvent(links, webhook.workspace_id, row)
    return { id: newId('dlv', now), event_id: event.id, event_type: event.type, revision: row.revision }
  })
  if (deliveries.length > 0) await insertDeliveries(db, webhook, deliveries, now)
  return reached < revision
}
