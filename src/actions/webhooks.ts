import type { Input } from '../contract'
import { invalidField, notFound, Problem } from '../contract/errors'
import { pageRequest, toPage } from '../domain/paging'
import type { Viewer } from '../domain/permissions'
import { newWebhookSecret } from '../domain/secrets'
import { timestamp } from '../domain/timestamps'
import { toDelivery, toDeliveryDetails, toWebhook } from '../records/webhooks'
import type { Reader } from '../store/db'
import {
  deliveriesTotal,
  findDelivery,
  insertDeliveries,
  listAttempts,
  listDeliveries,
  requeueDelivery,
} from '../store/deliveries'
import { findLogEnds } from '../store/events'
import { countWebhooks, deleteWebhook, findWebhook, insertWebhook, listWebhooks, setWebhook } from '../store/webhooks'
import type { ReadContext, WriteContext } from './context'
import { startOf } from './events'

const OLD_SECRET_KEPT_MS = 24 * 60 * 60 * 1000

export async function list({ db, viewer }: ReadContext, input: Input<'webhooks.list'>) {
  const request = pageRequest('webhooks.list', input, { sort: 'created_at', direction: 'asc' })
  return toPage(request, await listWebhooks(db, viewer, request), await countWebhooks(db, viewer), toWebhook)
}

export async function get({ db, viewer }: ReadContext, { id }: Input<'webhooks.get'>) {
  return toWebhook(await knownWebhook(db, viewer, id))
}

export async function create(
  { db, viewer, now, newId, announce, vault }: WriteContext,
  input: Input<'webhooks.create'>,
) {
  const secret = newWebhookSecret()
  const row = await insertWebhook(db, {
    id: newId('wh'),
    workspace_key: viewer.workspace.key,
    author_key: viewer.author.key,
    url: goodUrl(input.url),
    types: (input.types ?? []).join(),
    secret: needed(vault).seal(secret),
    position: (await findLogEnds(db, viewer.workspace.key)).newest.revision,
    created_at: now,
  })
  announce('webhook.created', toWebhook(row))
  return { ...toWebhook(row), secret }
}

export async function update({ db, viewer, announce }: WriteContext, input: Input<'webhooks.update'>) {
  const webhook = await knownWebhook(db, viewer, input.id)
  const isSwitchedOn = input.is_enabled === true && webhook.is_enabled === 0
  const changed = await setWebhook(db, webhook.key, {
    url: input.url === undefined ? webhook.url : goodUrl(input.url),
    types: input.types === undefined ? webhook.types : input.types.join(),
    is_enabled: input.is_enabled === undefined ? webhook.is_enabled : input.is_enabled ? 1 : 0,
    ...(isSwitchedOn && {
      disabled_reason: null,
      failing_since: null,
      position: (await findLogEnds(db, viewer.workspace.key)).newest.revision,
    }),
  })
  announce('webhook.updated', toWebhook(changed))
  return toWebhook(changed)
}

async function remove({ db, viewer, announce }: WriteContext, { id }: Input<'webhooks.delete'>) {
  const webhook = await knownWebhook(db, viewer, id)
  await deleteWebhook(db, webhook.key)
  announce('webhook.deleted', toWebhook(webhook))
  return undefined
}

export { remove as delete }

export async function rotateSecret(
  { db, viewer, now, announce, vault }: WriteContext,
  { id }: Input<'webhooks.rotateSecret'>,
) {
  const webhook = await knownWebhook(db, viewer, id)
  const secret = newWebhookSecret()
  const changed = await setWebhook(db, webhook.key, {
    secret: needed(vault).seal(secret),
    old_secret: webhook.secret,
    old_secret_until: now + OLD_SECRET_KEPT_MS,
  })
  announce('webhook.updated', toWebhook(changed))
  return { ...toWebhook(changed), secret }
}

export async function ping({ db, viewer, now, newId, keep }: WriteContext, { id }: Input<'webhooks.ping'>) {
  const webhook = await knownWebhook(db, viewer, id)
  const delivery = {
    id: newId('dlv'),
    event_id: newId('ping'),
    event_type: 'webhook.ping',
    body: JSON.stringify({ type: 'webhook.ping', timestamp: timestamp(now), data: toWebhook(webhook) }),
  }
  await insertDeliveries(db, webhook, [delivery], now)
  keep()
  return toDelivery((await findDelivery(db, viewer, delivery.id))!)
}

export async function replay({ db, viewer, keep }: WriteContext, { id, after }: Input<'webhooks.replay'>) {
  const webhook = await knownWebhook(db, viewer, id)
  const { start } = await startOf(db, viewer, after, 'body')
  await setWebhook(db, webhook.key, { position: start })
  keep()
  return toWebhook(webhook)
}

export async function deliveries({ db, viewer }: ReadContext, input: Input<'webhooks.deliveries'>) {
  const request = pageRequest(`webhooks.deliveries ${input.id} ${input.status ?? ''}`, input, {
    sort: 'created_at',
    direction: 'desc',
  })
  const webhook = await knownWebhook(db, viewer, input.id)
  const found = await listDeliveries(db, webhook, input.status, request)
  return toPage(request, found, deliveriesTotal(webhook, input.status), toDelivery)
}

export async function delivery({ db, viewer }: ReadContext, { id }: Input<'webhooks.delivery'>) {
  const row = await knownDelivery(db, viewer, id)
  const { url } = await knownWebhook(db, viewer, row.webhook_id)
  return toDeliveryDetails(row, url, await listAttempts(db, row.key))
}

export async function redeliver({ db, viewer, now, keep }: WriteContext, { id }: Input<'webhooks.redeliver'>) {
  const row = await knownDelivery(db, viewer, id)
  keep()
  return toDelivery(await requeueDelivery(db, row, now))
}

async function knownWebhook(db: Reader, viewer: Viewer, id: string) {
  const webhook = await findWebhook(db, viewer, id)
  if (!webhook) throw notFound('webhook')
  return webhook
}

async function knownDelivery(db: Reader, viewer: Viewer, id: string) {
  const row = await findDelivery(db, viewer, id)
  if (!row) throw notFound('delivery')
  return row
}

/** What can be told from the address alone; where it leads is looked at each time something is sent. */
function goodUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol)) throw invalidField('url', 'It must be an http or https URL.')
  if (url.username || url.password) throw invalidField('url', 'It must not hold a user name or password.')
  url.hash = ''
  return url.toString()
}

function needed(vault: WriteContext['vault']) {
  if (vault) return vault
  throw new Problem('secret_key_missing', 'Webhook secrets are kept encrypted. Set SECRET_KEY on the server first.')
}
