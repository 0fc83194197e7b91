import type { Input } from '../../contract'
import { toDelivery, toDeliveryDetails } from '../../records/webhooks'
import { deliveriesTotal, findDelivery, listAttempts, listDeliveries } from '../../store/deliveries'
import { insertDeliveries, requeueDelivery } from '../../store/delivery-queue'
import type { ReadContext, WriteContext } from '../context'
import { listOf } from '../list'
import { getOwnDelivery, getOwnWebhook } from './access'
import { renderBody } from './body'

export async function ping(context: WriteContext, { id }: Input<'webhooks.ping'>) {
  const { db, viewer, now, newId, commitWithoutEvents } = context
  const webhook = await getOwnWebhook(context, id)
  const delivery = { id: newId('dlv'), event_id: newId('ping'), event_type: 'webhook.ping', revision: 0 }
  await insertDeliveries(db, webhook, [delivery], now)
  commitWithoutEvents()
  return toDelivery((await findDelivery(db, viewer, delivery.id))!)
}

export const deliveries = listOf('webhooks.deliveries', async (context, { id, status }, request) => {
  const webhook = await getOwnWebhook(context, id)
  const found = await listDeliveries(context.db, webhook, status, request)
  return { total: deliveriesTotal(webhook, status), found, toRecord: toDelivery }
})

export async function delivery(context: ReadContext, { id }: Input<'webhooks.delivery'>) {
  const { db, viewer } = context
  const { delivery: row, webhook } = await getOwnDelivery(context, id)
  const body = await renderBody(context, viewer, webhook, row)
  const showsAnswers = body.text !== null && !body.isRedacted
  return toDeliveryDetails(row, { url: webhook.url, body: body.text, showsAnswers }, await listAttempts(db, row.key))
}

export async function redeliver(context: WriteContext, { id }: Input<'webhooks.redeliver'>) {
  const { delivery: row } = await getOwnDelivery(context, id)
  context.commitWithoutEvents()
  return toDelivery(await requeueDelivery(context.db, row, context.now))
}
