import { Webhook as Signer } from 'standardwebhooks'
import { renderBody } from '../../actions/webhooks'
import { missingRights } from '../../domain/permissions'
import type { Vault } from '../../domain/secrets'
import type { Parley } from '../../gate/parley'
import { checkDestination, DeliveryError, type Destination, type DestinationOptions } from '../../networks/destination'
import { sendRequest } from '../../networks/requests'
import type { Reader, Writer } from '../../store/engines/db'
import { lockEvent } from '../../store/log/events'
import type { Attempt, DeliveryRow } from '../../store/webhooks/deliveries'
import { findWebhookOwner } from '../../store/webhooks/owners'
import type { WebhookRow } from '../../store/webhooks/webhooks'

const MAX_BYTES = 4 * 1024

export interface Sent {
  attempt: Attempt
  /** What was sent; empty if there was no response. */
  body: string
  retryAfter: string | undefined
}

export interface SendOptions extends DestinationOptions {
  /** How long a receiver may take to respond. */
  answerMs: number
}

interface Sending extends SendOptions {
  vault: Vault | undefined
  now: number
  /** Called last: resolving a name may take long, and rights may change meanwhile. */
  render(): Promise<string | NotSent>
}

/** Sends one signed delivery. Every outcome is an attempt, unless the delivery may not be sent. */
export async function sendDelivery(
  webhook: WebhookRow,
  delivery: DeliveryRow,
  { vault, now, render, answerMs, ...options }: Sending,
): Promise<Sent | NotSent> {
  const started = performance.now()
  const attempted = (outcome: Pick<Attempt, 'response_status' | 'response_body' | 'error'>): Attempt => ({
    attempted_at: now,
    duration_ms: Math.round(performance.now() - started),
    ...outcome,
  })
  const failed = (error: unknown): Sent => ({
    attempt: attempted({ response_status: null, response_body: null, error: describe(error) }),
    body: '',
    retryAfter: undefined,
  })

  let destination: Destination
  try {
    destination = await checkDestination(webhook.url, options)
  } catch (error) {
    return failed(error)
  }
  // An error of the database is not the receiver's fault: it is thrown, and is not an attempt.
  const body = await render()
  if (typeof body !== 'string') return body
  try {
    const answer = await sendRequest({
      url: webhook.url,
      destination,
      headers: { 'Content-Type': 'application/json', ...sign(webhook, delivery.event_id, body, vault, now) },
      body,
      timeoutMs: answerMs,
      maxBytes: MAX_BYTES,
    })
    // Replaces characters that not every engine can store.
    const response_body = answer.body.replaceAll('\0', '\ufffd').toWellFormed()
    const attempt = attempted({ response_status: answer.status, response_body, error: null })
    return { attempt, body, retryAfter: answer.headers['retry-after'] }
  } catch (error) {
    return failed(error)
  }
}

const describe = (error: unknown): string =>
  error instanceof DeliveryError ? `${error.reason}: ${error.message}` : `internal: ${(error as Error).message}`

/** Standard Webhooks signatures: with the secret, and for a while after a rotation with the old one too. */
function sign(
  webhook: WebhookRow,
  id: string,
  body: string,
  vault: Vault | undefined,
  now: number,
): Record<string, string> {
  if (!vault)
    throw new DeliveryError('malformed_request', 'The server has no SECRET_KEY, so deliveries cannot be signed.')
  const at = new Date(now)
  const isOldValid = webhook.old_secret !== null && webhook.old_secret_until > now
  const signers = [signerOf(vault, webhook.secret), isOldValid ? signerOf(vault, webhook.old_secret!) : undefined]
  if (!signers[0]) throw new DeliveryError('malformed_request', OTHER_KEY)
  const signatures = signers.flatMap((signer) => signer?.sign(id, at, body) ?? [])
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now / 1000)),
    'webhook-signature': signatures.join(' '),
  }
}

const OTHER_KEY =
  'The secret was encrypted with another SECRET_KEY. Rotate the secret of the webhook, or restore the old key.'

/** Undefined if the secret was encrypted with another key. */
function signerOf(vault: Vault, sealed: string): Signer | undefined {
  try {
    return new Signer(vault.open(sealed))
  } catch {
    return undefined
  }
}

/** Why a due delivery is not sent, and what ends because of it. */
type NotSent =
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
  const body = await renderBody({ db, links }, owner, { ...webhook, owner: owner.author.stored }, delivery)
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
