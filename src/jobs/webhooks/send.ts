import { Webhook as Signer } from 'standardwebhooks'
import type { Vault } from '../../domain/vault'
import type { Attempt, DeliveryRow } from '../../store/deliveries'
import type { WebhookRow } from '../../store/webhooks'
import { DeliveryError } from './delivery-error'
import { checkDestination, type DestinationOptions } from './destination'
import { sendRequest } from './request'

const MOST_BYTES = 4 * 1024

export interface Sent {
  attempt: Attempt
  retryAfter: string | undefined
}

export interface SendOptions extends DestinationOptions {
  /** How long a receiver may take to answer. */
  answerMs: number
}

/** Sends one delivery, signed. Whatever happens is an attempt that went one way or the other. */
export async function sendDelivery(
  webhook: WebhookRow,
  delivery: DeliveryRow,
  { vault, now, answerMs, ...destination }: SendOptions & { vault: Vault | undefined; now: number },
): Promise<Sent> {
  const started = performance.now()
  const took = () => Math.round(performance.now() - started)
  try {
    const answer = await sendRequest({
      url: webhook.url,
      destination: await checkDestination(webhook.url, destination),
      headers: { 'Content-Type': 'application/json', ...signed(webhook, delivery, vault, now) },
      body: delivery.body,
      timeoutMs: answerMs,
      mostBytes: MOST_BYTES,
    })
    // What cannot be stored on every engine is not worth a failed attempt.
    const body = answer.body.replaceAll('\0', '\ufffd').toWellFormed()
    const attempt = {
      attempted_at: now,
      duration_ms: took(),
      response_status: answer.status,
      response_body: body,
      error: null,
    }
    return { attempt, retryAfter: answer.headers['retry-after'] }
  } catch (error) {
    const reason =
      error instanceof DeliveryError ? `${error.reason}: ${error.message}` : `internal: ${(error as Error).message}`
    const attempt = {
      attempted_at: now,
      duration_ms: took(),
      response_status: null,
      response_body: null,
      error: reason,
    }
    return { attempt, retryAfter: undefined }
  }
}

/** Standard Webhooks: signed with the secret, and for a while with the one before it too. */
function signed(
  webhook: WebhookRow,
  delivery: DeliveryRow,
  vault: Vault | undefined,
  now: number,
): Record<string, string> {
  if (!vault) throw new DeliveryError('malformed_request', 'The server has no SECRET_KEY, so nothing can be signed.')
  const at = new Date(now)
  const isOldGood = webhook.old_secret !== null && webhook.old_secret_until > now
  const signers = [signerOf(vault, webhook.secret), isOldGood ? signerOf(vault, webhook.old_secret!) : undefined]
  if (!signers[0]) throw new DeliveryError('malformed_request', OTHER_KEY)
  const signatures = signers.flatMap((signer) => signer?.sign(delivery.event_id, at, delivery.body) ?? [])
  return {
    'webhook-id': delivery.event_id,
    'webhook-timestamp': String(Math.floor(now / 1000)),
    'webhook-signature': signatures.join(' '),
  }
}

const OTHER_KEY =
  'The secret was encrypted with another SECRET_KEY. Give the webhook a new secret, or the server its old key.'

/** Undefined where the secret was sealed with another key. */
function signerOf(vault: Vault, sealed: string): Signer | undefined {
  try {
    return new Signer(vault.open(sealed))
  } catch {
    return undefined
  }
}
