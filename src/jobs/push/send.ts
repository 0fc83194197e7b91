import { createCipheriv, createECDH, createPrivateKey, hkdfSync, randomBytes, sign } from 'node:crypto'
import type { PushKeys } from '../../gate/push-keys'
import { checkDestination, type DestinationOptions } from '../../networks/destination'
import { sendRequest } from '../../networks/requests'
import type { PushSubscriptionRow } from '../../store/attention/push'

export interface PushMessage {
  title: string
  body: string
  /** The page to open. */
  path: string
  /** A message replaces one with the same tag. */
  tag: string
}

export interface PushOptions extends DestinationOptions {
  answerMs: number
  /** How services can reach the operator: an address or a page. */
  contact: string
}

export type PushOutcome = 'sent' | 'gone' | 'retry'

const TTL_S = 24 * 60 * 60

/** Sends a message to the push service of a browser. Redirects are not followed, and private networks refused. */
export async function sendPush(
  subscription: PushSubscriptionRow,
  message: PushMessage,
  keys: PushKeys,
  { answerMs, contact, ...options }: PushOptions,
  now: number,
): Promise<{ outcome: PushOutcome; error?: string }> {
  try {
    const url = subscription.endpoint
    const destination = await checkDestination(url, options)
    const { status } = await sendRequest({
      url,
      destination,
      headers: {
        Authorization: signPush(keys, url, contact, now),
        'Content-Type': 'application/octet-stream',
        'Content-Encoding': 'aes128gcm',
        TTL: String(TTL_S),
        Urgency: 'high',
        Topic: topicOf(message.tag),
      },
      body: encryptPush(JSON.stringify(message), subscription),
      timeoutMs: answerMs,
      maxBytes: 1_024,
    })
    if (status >= 200 && status < 300) return { outcome: 'sent' }
    return { outcome: status === 404 || status === 410 ? 'gone' : 'retry', error: `The push service said ${status}.` }
  } catch (error) {
    return { outcome: 'retry', error: (error as Error).message }
  }
}

/** Services drop a message that waits when another of its topic comes. At most 32 letters. */
const topicOf = (tag: string) => new Bun.CryptoHasher('sha256').update(tag).digest('base64url').slice(0, 32)

/** The keys of a browser's subscription, base64url. */
export interface SubscriptionKeys {
  p256dh: string
  auth: string
}

const RECORD_SIZE = 4_096
/** Marks the last record. */
const END = Buffer.of(2)

/** Encrypts a message so that only the browser can read it, not the service that passes it on (RFC 8291). */
function encryptPush(message: string, { p256dh, auth }: SubscriptionKeys): Buffer {
  const theirs = Buffer.from(p256dh, 'base64url')
  const pair = createECDH('prime256v1')
  const ours = pair.generateKeys()
  const salt = randomBytes(16)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), theirs, ours])
  const secret = derive(pair.computeSecret(theirs), Buffer.from(auth, 'base64url'), info, 32)
  const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  const sealed = Buffer.concat([
    cipher.update(message, 'utf8'),
    cipher.update(END),
    cipher.final(),
    cipher.getAuthTag(),
  ])
  const size = Buffer.alloc(4)
  size.writeUInt32BE(RECORD_SIZE)
  return Buffer.concat([salt, size, Buffer.of(ours.length), ours, sealed])
}

const derive = (secret: Buffer, salt: Buffer, info: Buffer, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, length))

const LIFETIME_S = 12 * 60 * 60

/** The `Authorization` header that says who sends a push (RFC 8292). */
function signPush({ publicKey, privateKey }: PushKeys, endpoint: string, contact: string, now: number): string {
  const point = Buffer.from(publicKey, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const key = createPrivateKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y, d: privateKey } })
  const claims = { aud: new URL(endpoint).origin, exp: Math.floor(now / 1000) + LIFETIME_S, sub: contact }
  const unsigned = `${encode({ typ: 'JWT', alg: 'ES256' })}.${encode(claims)}`
  const signature = sign('sha256', Buffer.from(unsigned), { key, dsaEncoding: 'ieee-p1363' })
  return `vapid t=${unsigned}.${signature.toString('base64url')}, k=${publicKey}`
}

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
