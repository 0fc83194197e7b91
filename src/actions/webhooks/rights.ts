import { missingRights } from '../../domain/webhook-owner'
import { toMaskedWebhook } from '../../records/webhooks'
import { disableWebhook } from '../../store/unsent-deliveries'
import { findWebhookOwner } from '../../store/webhook-owners'
import { listWebhooksOf } from '../../store/webhooks'
import type { WriteContext } from '../context'

type RightsContext = Pick<WriteContext, 'db' | 'viewer' | 'links' | 'now' | 'announce'>

/**
 * Disables the webhooks of an author who has lost the right to have any, and drops their pending deliveries. Called
 * wherever someone may lose it. Getting the right back enables nothing: the owner has to do that.
 */
export async function disableWebhooksWithoutRights(context: RightsContext, authorKey: number) {
  const { db, viewer, links, now, announce } = context
  const webhooks = await listWebhooksOf(db, viewer.workspace.key, authorKey)
  const [first] = webhooks
  const ownership = first && (await findWebhookOwner(db, first.key, now))
  const reason = ownership && missingRights(ownership.owner)
  if (!reason) return

  for (const webhook of webhooks) {
    const disabled = await disableWebhook(db, webhook, reason)
    if (webhook.is_enabled || webhook.disabled_reason !== reason)
      announce('webhook.updated', toMaskedWebhook(links, { ...webhook, ...disabled }))
  }
}
