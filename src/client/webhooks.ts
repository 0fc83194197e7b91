import type { Event } from '../contract/events'
import type { Webhook } from '../contract/webhooks'
import { SignatureError } from './errors'

/** The test event that `webhooks.ping` sends. It is not in the log. */
export type PingEvent = Omit<Event, 'type' | 'data'> & { type: 'webhook.ping'; data: Webhook }

const TOLERANCE_SECONDS = 5 * 60

/**
 * Checks the signature of a webhook (Standard Webhooks), and returns its event. `body` is the request body as it was
 * received, not parsed; `secret` is what `webhooks.create` showed. Throws a `SignatureError` if the webhook is not genuine.
 */
export async function unwrapWebhook(
  body: string | Uint8Array,
  headers: Headers | Record<string, string | string[] | undefined>,
  secret: string,
): Promise<Event | PingEvent> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  if (!(bytes instanceof Uint8Array))
    throw new SignatureError('The body has been parsed already. Pass it as the text or bytes that were received.')
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => read(headers, `webhook-${name}`))
  if (!id || !timestamp || !signatures)
    throw new SignatureError('The headers webhook-id, webhook-timestamp or webhook-signature are missing.')
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS))
    throw new SignatureError('The webhook was sent more than five minutes ago, or in the future.')
  const key = await importKey(secret)
  const start = new TextEncoder().encode(`${id}.${timestamp}.`)
  const signed = new Uint8Array(start.length + bytes.length)
  signed.set(start)
  signed.set(bytes, start.length)
  // Once, however many signatures the header has: anyone may send them.
  const expected = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed))
  const isGenuine = signatures.split(' ').some((signature) => {
    const [version, value] = signature.split(',')
    return version === 'v1' && areEqual(expected, fromBase64(value ?? ''))
  })
  if (!isGenuine) throw new SignatureError('The signature is not valid. Is this the secret of that webhook?')
  return JSON.parse(new TextDecoder().decode(bytes))
}

/** Takes the same time wherever they differ, so that nobody can guess one byte after the other. */
const areEqual = (expected: Uint8Array, given: Uint8Array | undefined) =>
  given?.length === expected.length &&
  expected.reduce((difference, byte, at) => difference | (byte ^ given[at]!), 0) === 0

function read(headers: Headers | Record<string, string | string[] | undefined>, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return Array.isArray(found) ? found[0] : found
}

function importKey(secret: string | undefined): Promise<CryptoKey> {
  const bytes = fromBase64((secret ?? '').replace(/^whsec_/, ''))
  if (!bytes?.length) throw new SignatureError('The secret of a webhook begins with whsec_.')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  } catch {
    return undefined
  }
}
