import type { PushKeys } from '../../gate/push-keys'
import { checkDestination, type DestinationOptions } from '../../networks/destination'
import { sendRequest } from '../../networks/requests'
import type { PushSubscriptionRow } from '../../store/push-subscriptions'
import { encryptPush } from './encryption'
import { signPush } from './vapid'

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
