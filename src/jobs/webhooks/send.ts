import { Webhook as Signer } from 'standardwebhooks'
import type { Vault } from '../../domain/vault'
import { checkDestination, DeliveryError, type Destination, type DestinationOptions } from '../../networks/destination'
import { sendRequest } from '../../networks/requests'
import type { Attempt, DeliveryRow } from '../../store/deliveries'
import type { WebhookRow } from '../../store/webhooks'
import type { NotSent } from './render'

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
