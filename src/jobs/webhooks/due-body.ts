import { renderBody } from '../../actions/webhooks/body'
import { missingRights } from '../../domain/webhook-owner'
import type { Parley } from '../../gate/parley'
import type { Reader, Writer } from '../../store/db'
import type { DeliveryRow } from '../../store/deliveries'
import { lockEvent } from '../../store/events'
import { findWebhookOwner } from '../../store/webhook-owners'
import type { WebhookRow } from '../../store/webhooks'

/** Why a delivery that was due is not sent, and what ends with it. */
export type NotSent =
  /** The owner may not see this event any more, or it is gone. */
  | { ends: 'delivery'; reason: string }
  /** The owner may have no webhook any more. */
  | { ends: 'webhook' }
  /** It was disabled or deleted meanwhile: what waits, waits. */
  | { ends: 'turn' }

/** What to send, by the owner's rights as they are now. Asked just before each request. */
export const renderDue = (parley: Parley, webhook: WebhookRow, delivery: DeliveryRow): Promise<string | NotSent> =>
  parley.engine.read((db) => render(parley, db, webhook, delivery))

async function render({ clock, links }: Parley, db: Reader, webhook: WebhookRow, delivery: DeliveryRow) {
  const owned = await findWebhookOwner(db, webhook.key, clock())
  if (!owned?.isEnabled) return { ends: 'turn' } as const
  if (missingRights(owned.owner)) return { ends: 'webhook' } as const
  const owner = owned.viewer
  const body = await renderBody({ db, links }, owner, { ...webhook, owner: owner.author.card }, delivery)
  return body.text ?? ({ ends: 'delivery', reason: body.reason } as const)
}

/** Whether it would be sent as it was. If not, part of it was deleted meanwhile, and the answer to it may repeat that. */
export async function isUnchanged(
  parley: Parley,
  db: Writer,
  webhook: WebhookRow,
  delivery: DeliveryRow,
  sent: string,
) {
  // A deletion that comes now waits, and then finds the answer.
  await lockEvent(db, delivery.workspace_key, delivery.revision)
  return (await render(parley, db, webhook, delivery)) === sent
}
