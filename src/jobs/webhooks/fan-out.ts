import { disableWebhooksWithoutRights } from '../../actions/webhooks/rights'
import type { Viewer } from '../../domain/permissions'
import { missingRights } from '../../domain/webhook-owner'
import type { Parley } from '../../gate/parley'
import { changeWorkspace } from '../../gate/write'
import { toEvent } from '../../records/events'
import { typesOf } from '../../records/webhooks'
import { operatorOf } from '../../setup/operator'
import type { Writer } from '../../store/db'
import { insertDeliveries } from '../../store/delivery-queue'
import { listVisibleEvents } from '../../store/events'
import { findWebhookOwner } from '../../store/webhook-owners'
import { type LaggingWebhook, listLaggingWebhooks, moveWebhook, type WebhookRow } from '../../store/webhooks'
import { findPosition } from '../../store/workspaces'

const WEBHOOKS_AT_ONCE = 100
const EVENTS_AT_ONCE = 200
const LONGEST_LOOK = 5_000

/** Queues what happened since, for every webhook that hears of it, a step at a time. True where there may be more. */
export async function fanOut(parley: Parley): Promise<boolean> {
  const lagging = await parley.engine.read((db) => listLaggingWebhooks(db, WEBHOOKS_AT_ONCE))
  let moved = false
  for (const webhook of lagging) {
    try {
      await takeStep(parley, webhook)
      moved = true
    } catch (error) {
      // The others go on.
      parley.log.warn('Could not queue what happened; it is tried again', { webhook: webhook.id, error: String(error) })
    }
  }
  return moved
}

async function takeStep(parley: Parley, webhook: LaggingWebhook) {
  const owned = await parley.engine.read((db) => findWebhookOwner(db, webhook.key, parley.clock()))
  if (!owned?.isEnabled) return
  if (missingRights(owned.owner)) await disableWithoutRights(parley, webhook)
  else await parley.engine.write((db) => takeIn(parley, db, webhook, owned.viewer))
}

/** Disables the webhooks of an owner who lost the right to them in a way that told nobody: a token that expired, say. */
export async function disableWithoutRights(parley: Parley, { workspace_key, author_key }: WebhookRow) {
  const operator = operatorOf({ key: workspace_key, id: '', slug: '', name: '' })
  await parley.engine.write((db) =>
    changeWorkspace(parley, db, operator, async (context) => {
      // Somebody else may have done it already.
      context.keep()
      await disableWebhooksWithoutRights(context, author_key)
    }),
  )
  parley.changes.notify(workspace_key)
}

/** One step of one webhook along the log, as its owner sees it now: its deliveries and its new place in one transaction. */
async function takeIn({ links, clock, newId }: Parley, db: Writer, webhook: LaggingWebhook, owner: Viewer) {
  const now = clock()
  // Read here, not with the webhook: a backup restored in between would have it pass over what comes next.
  const { revision } = await findPosition(db, webhook.workspace_key)
  const upTo = Math.min(revision, webhook.position + LONGEST_LOOK)
  const types = typesOf(webhook)
  const events = await listVisibleEvents(db, owner, {
    after: webhook.position,
    upTo,
    limit: EVENTS_AT_ONCE,
    ...(types.length > 0 && { types }),
  })
  const reached = events.length === EVENTS_AT_ONCE ? events.at(-1)!.revision : upTo
  if (!(await moveWebhook(db, webhook, reached)) || events.length === 0) return
  const deliveries = events.map((row) => {
    const event = toEvent(links, webhook.workspace_id, row)
    return { id: newId('dlv', now), event_id: event.id, event_type: event.type, revision: row.revision }
  })
  await insertDeliveries(db, webhook, deliveries, now)
}
