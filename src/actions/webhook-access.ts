import { notFound, Problem } from '../contract/errors'
import type { Webhook } from '../contract/webhooks'
import { missingRights, type Viewer } from '../domain/permissions'
import type { Reader } from '../store/engines/db'
import { findDelivery, toMaskedWebhook, toWebhook } from '../store/webhooks/deliveries'
import { disableWebhook } from '../store/webhooks/delivery-queue'
import { findWebhookOwner } from '../store/webhooks/owners'
import { findWebhook, listWebhooksOf, type OwnedWebhook } from '../store/webhooks/webhooks'
import type { ReadContext, WriteContext } from './context'

type Lookup = Pick<ReadContext, 'db' | 'viewer' | 'links'>

export const isOwner = (viewer: Viewer, webhook: OwnedWebhook): boolean => viewer.author.key === webhook.author_key

/** A webhook of the workspace, of any owner. */
export async function getWebhook(db: Reader, viewer: Viewer, id: string): Promise<OwnedWebhook> {
  const webhook = await findWebhook(db, viewer, id)
  if (!webhook) throw notFound('webhook')
  return webhook
}

/** The same, for what only its owner may do. */
export async function getOwnWebhook(context: Lookup, id: string): Promise<OwnedWebhook> {
  const webhook = await getWebhook(context.db, context.viewer, id)
  if (!isOwner(context.viewer, webhook)) throw notOwner(context, webhook)
  return webhook
}

/** A delivery with its webhook. Only the owner of the webhook gets either. */
export async function getOwnDelivery(context: Lookup, id: string) {
  const delivery = await findDelivery(context.db, context.viewer, id)
  if (!delivery) throw notFound('delivery')
  return { delivery, webhook: await getOwnWebhook(context, delivery.webhook_id) }
}

export const notOwner = ({ links }: Pick<Lookup, 'links'>, webhook: OwnedWebhook) =>
  new Problem(
    'forbidden',
    `The webhook belongs to ${links.author(webhook.owner).name}. Only its owner can do this. Other admins can delete it, or disable it by sending {"is_enabled": false} alone.`,
  )

/** A webhook as this viewer may see it. */
export const showWebhook = ({ viewer, links }: Pick<Lookup, 'viewer' | 'links'>, webhook: OwnedWebhook): Webhook =>
  isOwner(viewer, webhook) ? toWebhook(links, webhook) : toMaskedWebhook(links, webhook)

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
