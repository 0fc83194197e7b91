import { renderBody } from '../../actions/webhooks/body'
import { missingRights } from '../../domain/webhook-owner'
import type { Parley } from '../../gate/parley'
import type { DeliveryRow } from '../../store/deliveries'
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
export const renderDue = (
  { engine, clock, links }: Parley,
  webhook: WebhookRow,
  delivery: DeliveryRow,
): Promise<string | NotSent> =>
  engine.read(async (db) => {
    const owned = await findWebhookOwner(db, webhook.key, clock())
    if (!owned?.isEnabled) return { ends: 'turn' }
    if (missingRights(owned.owner)) return { ends: 'webhook' }
    const owner = owned.viewer
    const body = await renderBody({ db, links }, owner, { ...webhook, owner: owner.author.card }, delivery)
    return body.text ?? { ends: 'delivery', reason: body.reason }
  })
