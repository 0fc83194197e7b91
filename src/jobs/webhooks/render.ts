import { renderBody } from '../../actions/webhooks/body'
import { missingRights } from '../../domain/webhook-owner'
import type { Parley } from '../../gate/parley'
import type { Reader, Writer } from '../../store/db'
import type { DeliveryRow } from '../../store/deliveries'
import { lockEvent } from '../../store/events'
import { findWebhookOwner } from '../../store/webhook-owners'
import type { WebhookRow } from '../../store/webhooks'

/** Why a due delivery is not sent, and what ends because of it. */
export type NotSent =
  /** The owner can no longer see the event, or it is no longer in the log. */
  | { ends: 'delivery'; reason: string }
  /** The owner no longer has the right to have webhooks. */
  | { ends: 'webhook' }
  /** The webhook was disabled or deleted meanwhile. */
  | { ends: 'turn' }

/** Renders the body by the owner's current rights, just before each request. */
export const renderDelivery = (parley: Parley, webhook: WebhookRow, delivery: DeliveryRow): Promise<string | NotSent> =>
  parley.engine.read((db) => render(parley, db, webhook, delivery))

async function render({ clock, links }: Parley, db: Reader, webhook: WebhookRow, delivery: DeliveryRow) {
  const owned = await findWebhookOwner(db, webhook.key, clock())
  if (!owned?.isEnabled) return { ends: 'turn' } as const
  if (missingRights(owned.owner)) return { ends: 'webhook' } as const
  const owner = owned.viewer
  const body = await renderBody({ db, links }, owner, { ...webhook, owner: owner.author.card }, delivery)
  return body.text ?? ({ ends: 'delivery', reason: body.reason } as const)
}

/** Whether the body would still be the same. If not, content was deleted meanwhile, and the response may repeat it. */
export async function isUnchanged(
  parley: Parley,
  db: Writer,
  webhook: WebhookRow,
  delivery: DeliveryRow,
  sent: string,
) {
  // A concurrent deletion waits for this lock, and then finds the stored response.
  await lockEvent(db, delivery.workspace_key, delivery.revision)
  return (await render(parley, db, webhook, delivery)) === sent
}
