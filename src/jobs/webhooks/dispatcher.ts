import type { Parley } from '../../gate/parley'
import type { Writer } from '../../store/db'
import { type DeliveryRow, findDueDelivery, releaseWebhook, setAttempt } from '../../store/deliveries'
import { claimDueWebhooks, findWebhookByKey, hasDueWebhook, setWebhook, type WebhookRow } from '../../store/webhooks'
import type { DestinationOptions } from './destination'
import { fanOut } from './fan-out'
import { GIVE_UP_AFTER_MS, nextAttempt, retryAfter } from './schedule'
import { type Sent, sendDelivery, TIMEOUT_MS } from './send'

const TICK_MS = 1_000
const MOST_SENDERS = 50
const CLAIM_MS = 4 * TIMEOUT_MS

export interface Dispatcher {
  /** Queues what is new and starts sending what is due. */
  tick(): Promise<void>
  /** Until everything that was started is done. */
  settled(): Promise<void>
  close(): Promise<void>
}

/**
 * Sends what happened to the webhooks. A webhook is held by one node at a time and served in order; each has a sender
 * of its own, so a slow receiver delays nobody else. What a node that died held is free again after a while.
 */
export function openDispatcher(parley: Parley, destination: DestinationOptions): Dispatcher {
  const { engine, clock, log, metrics } = parley
  const countAttempt = metrics.counter('parley_webhook_attempts_total', 'Attempts to deliver, by outcome.')
  const timeLag = metrics.histogram('parley_webhook_lag_seconds', 'From an event to its first attempt.')
  const senders = new Set<Promise<void>>()
  let isClosed = false
  let ticking: Promise<void> | undefined
  let isDue = false

  const stopFeeling = parley.pulse.feelAny(() => void tick())
  const timer = setInterval(() => void tick(), TICK_MS)
  timer.unref()
  return { tick, settled, close }

  function tick(): Promise<void> {
    isDue = true
    ticking ??= run().finally(() => {
      ticking = undefined
    })
    return ticking
  }

  async function run() {
    try {
      while (isDue && !isClosed) {
        isDue = false
        while (!isClosed && (await fanOut(parley))) await Bun.sleep(0)
        await startSenders()
      }
    } catch (error) {
      log.warn('Could not look for what to deliver; it is tried again', { error: String(error) })
    }
  }

  async function startSenders() {
    const room = MOST_SENDERS - senders.size
    if (room <= 0 || isClosed) return
    const now = clock()
    // Looking costs nothing; claiming is a write.
    if (!(await engine.read((db) => hasDueWebhook(db, now)))) return
    const claimed = await engine.write((db) => claimDueWebhooks(db, now, now + CLAIM_MS, room))
    for (const webhook of claimed) {
      const sender: Promise<void> = serve(webhook)
        .catch((error) =>
          log.warn('Could not deliver; it is tried again', { webhook: webhook.id, error: String(error) }),
        )
        .finally(() => senders.delete(sender))
      senders.add(sender)
    }
  }

  /** Sends all that is due for one webhook, one after the other. */
  async function serve(claimed: WebhookRow) {
    for (let webhook: WebhookRow | undefined = claimed; webhook?.is_enabled && !isClosed; ) {
      const delivery = await engine.read((db) => findDueDelivery(db, claimed.key, clock()))
      if (!delivery) break
      const sent = await sendDelivery(webhook, delivery, { ...destination, vault: parley.vault, now: clock() })
      webhook = await engine.write((db) => note(db, claimed.key, delivery, sent))
    }
    await engine.write((db) => releaseWebhook(db, claimed.key))
  }

  /** Writes down how it went; the webhook as it is now, or undefined where it was removed meanwhile. */
  async function note(db: Writer, key: number, delivery: DeliveryRow, { attempt, retryAfter: header }: Sent) {
    const now = clock()
    const webhook = await findWebhookByKey(db, key)
    if (!webhook) return undefined
    const status = attempt.response_status
    const isDelivered = status !== null && status >= 200 && status < 300
    const attempts = delivery.attempts_count + 1
    const next = isDelivered ? null : nextAttempt(attempts, now, retryAfter(header, now), Math.random())
    const outcome = isDelivered ? 'delivered' : next === null ? 'failed' : 'pending'

    await setAttempt(db, delivery, attempt, { status: outcome, next_attempt_at: next })
    countAttempt(`outcome="${isDelivered ? 'delivered' : next === null ? 'failed' : 'retry'}"`)
    if (attempts === 1) timeLag('', Math.max(0, (now - delivery.created_at) / 1000))
    const failing_since = isDelivered ? null : (webhook.failing_since ?? now)
    return setWebhook(db, key, { claimed_until: now + CLAIM_MS, failing_since, ...verdict(status, failing_since, now) })
  }

  async function settled() {
    await ticking
    while (senders.size > 0) await Promise.all(senders)
  }

  async function close() {
    isClosed = true
    clearInterval(timer)
    stopFeeling()
    await settled()
  }
}

/** Whether a webhook is beyond hope. */
function verdict(status: number | null, failingSince: number | null, now: number) {
  if (status === 410) return { is_enabled: 0, disabled_reason: 'The receiver answered 410 Gone.' }
  if (failingSince !== null && now - failingSince > GIVE_UP_AFTER_MS)
    return { is_enabled: 0, disabled_reason: `No delivery succeeded since ${new Date(failingSince).toISOString()}.` }
  return {}
}
