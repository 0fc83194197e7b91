import type { Input } from '../contract'
import { invalidField, Problem } from '../contract/errors'
import { type Links, toAuthor } from '../domain/links'
import type { Viewer } from '../domain/permissions'
import { newWebhookSecret } from '../domain/secrets'
import { timestamp } from '../domain/timestamps'
import { findUrlProblem } from '../networks/destination'
import type { Reader } from '../store/engines/db'
import { findLogEnds, listVisibleEvents, toEvent } from '../store/log/events'
import {
  type DeliveryRow,
  findDelivery,
  listAttempts,
  listDeliveries,
  toDelivery,
  toDeliveryDetails,
  toMaskedWebhook,
  toWebhook,
} from '../store/webhooks/deliveries'
import { insertDeliveries, requeueDelivery } from '../store/webhooks/delivery-queue'
import { deleteWebhook, insertWebhook, listWebhooks, type OwnedWebhook, setWebhook } from '../store/webhooks/webhooks'
import type { ReadContext, WriteContext } from './context'
import { findStart } from './events'
import { listOf } from './list'
import { getOwnDelivery, getOwnWebhook, getWebhook, isOwner, notOwner, showWebhook } from './webhook-access'

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
  return { ...(await listDeliveries(context.db, webhook, status, request)), toRecord: toDelivery }
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

const OLD_SECRET_VALID_MS = 24 * 60 * 60 * 1000

export const list = listOf('webhooks.list', async (context, _, request) => {
  const { db, viewer } = context
  return { ...(await listWebhooks(db, viewer, request)), toRecord: (row) => showWebhook(context, row) }
})

export async function get(context: ReadContext, { id }: Input<'webhooks.get'>) {
  return showWebhook(context, await getWebhook(context.db, context.viewer, id))
}

export async function create(context: WriteContext, input: Input<'webhooks.create'>) {
  const { db, viewer, links, now, newId, firstRevision, announce, vault } = context
  const secret = newWebhookSecret()
  const inserted = await insertWebhook(db, {
    id: newId('wh'),
    workspace_key: viewer.workspace.key,
    author_key: viewer.author.key,
    url: checkUrl(context, input.url),
    types: (input.types ?? []).join(),
    secret: requireVault(vault).seal(secret),
    position: await firstRevision(),
    created_at: now,
  })
  const webhook = { ...inserted, owner: viewer.author.stored }
  announce('webhook.created', toMaskedWebhook(links, webhook))
  return { ...toWebhook(links, webhook), secret }
}

export async function update(context: WriteContext, input: Input<'webhooks.update'>) {
  const { db, viewer, links, announce } = context
  const webhook = await getWebhook(db, viewer, input.id)
  const isOwners = isOwner(viewer, webhook)
  if (!isOwners && !isJustDisabling(input)) throw notOwner(context, webhook)

  const isEnabling = input.is_enabled === true && !webhook.is_enabled
  const isDisabledByOther = !isOwners && webhook.is_enabled
  const changed = await setWebhook(db, webhook.key, {
    url: input.url === undefined ? webhook.url : checkUrl(context, input.url),
    types: input.types === undefined ? webhook.types : input.types.join(),
    is_enabled: input.is_enabled ?? webhook.is_enabled,
    updated_at: context.now,
    ...(isDisabledByOther && { disabled_reason: `Disabled by ${viewer.author.name}.` }),
    ...(isEnabling && {
      disabled_reason: null,
      failing_since: null,
      position: await context.firstRevision(),
    }),
  })
  const shown = { ...webhook, ...changed }
  announce('webhook.updated', toMaskedWebhook(links, shown))
  return showWebhook(context, shown)
}

/** Admins may disable the webhooks of others, and change nothing else. */
const isJustDisabling = ({ url, types, is_enabled }: Input<'webhooks.update'>) =>
  is_enabled === false && url === undefined && types === undefined

async function remove({ db, viewer, links, announce }: WriteContext, { id }: Input<'webhooks.delete'>) {
  const webhook = await getWebhook(db, viewer, id)
  await deleteWebhook(db, webhook.key)
  announce('webhook.deleted', toMaskedWebhook(links, webhook))
  return undefined
}

export { remove as delete }

export async function rotateSecret(context: WriteContext, { id }: Input<'webhooks.rotateSecret'>) {
  const { db, links, now, announce, vault } = context
  const webhook = await getOwnWebhook(context, id)
  const secret = newWebhookSecret()
  const changed = await setWebhook(db, webhook.key, {
    secret: requireVault(vault).seal(secret),
    updated_at: now,
    old_secret: webhook.secret,
    old_secret_until: now + OLD_SECRET_VALID_MS,
  })
  const shown = { ...webhook, ...changed }
  announce('webhook.updated', toMaskedWebhook(links, shown))
  return { ...toWebhook(links, shown), secret }
}

export async function replay(context: WriteContext, { id, after }: Input<'webhooks.replay'>) {
  const { db, viewer, links, commitWithoutEvents } = context
  const webhook = await getOwnWebhook(context, id)
  const { start } = await findStart(db, viewer, after, 'body')
  await setWebhook(db, webhook.key, { position: start })
  commitWithoutEvents()
  return toWebhook(links, webhook)
}

/** Refuses what can never be reached. The addresses that a name resolves to are checked at each delivery. */
function checkUrl({ webhookNetworks }: WriteContext, text: string): string {
  const problem = findUrlProblem(text, webhookNetworks)
  if (problem) throw invalidField('url', problem)
  const url = new URL(text)
  url.hash = ''
  return url.toString()
}

function requireVault(vault: WriteContext['vault']) {
  if (vault) return vault
  throw new Problem('secret_key_missing', 'Webhook secrets are kept encrypted. Set SECRET_KEY on the server first.')
}

export type Body =
  /** `isRedacted`: the content was deleted, and is not in the body. */
  | { text: string; isRedacted: boolean }
  /** Why there is nothing to send. */
  | { text: null; reason: string }

/**
 * Renders the body of a delivery from the log when it is sent. It is not stored, so it cannot show what the owner may no
 * longer see, or what has been deleted.
 */
export async function renderBody(
  { db, links }: { db: Reader; links: Links },
  owner: Viewer,
  webhook: OwnedWebhook,
  delivery: DeliveryRow,
): Promise<Body> {
  const { revision } = delivery
  if (revision === 0) return { text: JSON.stringify(pingOf(links, owner, webhook, delivery)), isRedacted: false }
  const [row] = await listVisibleEvents(db, owner, { after: revision - 1, upTo: revision, limit: 1 })
  if (!row) return { text: null, reason: await explainMissing(db, owner, revision) }
  const event = toEvent(links, owner.workspace.id, row)
  return { text: JSON.stringify(event), isRedacted: (event as { is_redacted?: boolean }).is_redacted === true }
}

/** A test event. It is not in the log, but looks like an event of the log. */
const pingOf = (links: Links, owner: Viewer, webhook: OwnedWebhook, { event_id, created_at }: DeliveryRow) => ({
  id: event_id,
  type: 'webhook.ping',
  timestamp: timestamp(created_at),
  workspace_id: owner.workspace.id,
  actor: toAuthor(links, owner.author.stored),
  via: null,
  is_redacted: false,
  data: toWebhook(links, webhook),
})

async function explainMissing(db: Reader, owner: Viewer, revision: number): Promise<string> {
  const { oldest } = await findLogEnds(db, owner.workspace.key)
  return revision < oldest ? 'The event is no longer in the log.' : 'The owner can no longer see this event.'
}
