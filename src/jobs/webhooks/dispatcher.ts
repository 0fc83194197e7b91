import type { Parley } from '../../gate/parley'
import { changeWorkspace } from '../../gate/write'
import { toMaskedWebhook } from '../../records/webhooks'
import { operatorOf } from '../../setup/operator'
import type { Writer } from '../../store/db'
import { type DeliveryRow, findDeliveryByKey, setAttempt } from '../../store/deliveries'
import { findDueDelivery, releaseWebhook } from '../../store/delivery-queue'
import { dropDeliveries, findDroppingWebhook, setNotSent } from '../../store/unsent-deliveries'
import {
  claimDueWebhooks,
  findWebhookByKey,
  hasDueWebhook,
  keepClaim,
  setWebhook,
  type WebhookRow,
} from '../../store/webhooks'
import { isUnchanged, renderDue } from './due-body'
import { disableWithoutRights, fanOut } from './fan-out'
import { askedToWait, GIVE_UP_AFTER_MS, nextAttempt } from './schedule'
import { type SendOptions, type Sent, sendDelivery } from './send'

const TICK_MS = 1_000
const MOST_SENDERS = 500
const LOOKUP_AND_NOTES_MS = 15_000

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
export function openDispatcher(parley: Parley, options: SendOptions): Dispatcher {
  const { engine, clock, log, metrics } = parley
  const countAttempt = metrics.counter('parley_webhook_attempts_total', 'Attempts to deliver, by outcome.')
  const timeLag = metrics.histogram('parley_webhook_lag_seconds', 'From an event to its first attempt.')
  const claimMs = options.answerMs + LOOKUP_AND_NOTES_MS
  const senders = new Set<Promise<void>>()
  metrics.gauge('parley_webhook_senders', 'Webhooks that are being delivered to.', () => senders.size)
  let isClosed = false
  let ticking: Promise<void> | undefined
  let isDue = false

  const unsubscribe = parley.changes.subscribeToAll(() => void tick())
  const timer = setInterval(() => void tick(), TICK_MS)
  timer.unref()
  return { tick, settled, close }

  function tick(): Promise<void> {
    if (isClosed) return Promise.resolve()
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
        // A step for each, then on with the sending: one that has much to catch up with does not keep the others waiting.
        if (await fanOut(parley)) isDue = true
        await startSenders()
        if (await dropSome()) isDue = true
      }
    } catch (error) {
      log.warn('Could not look for what to deliver; it is tried again', { error: String(error) })
    }
  }

  /** A step for one webhook that dropped what waited. True where there was one. */
  async function dropSome(): Promise<boolean> {
    const key = await engine.read(findDroppingWebhook)
    if (key === undefined) return false
    await engine.write((db) => dropDeliveries(db, key))
    return true
  }

  async function startSenders() {
    const room = MOST_SENDERS - senders.size
    if (room <= 0 || isClosed) return
    const now = clock()
    // Looking costs nothing; claiming is a write.
    if (!(await engine.read((db) => hasDueWebhook(db, now)))) return
    const claimed = await engine.write((db) => claimDueWebhooks(db, now, now + claimMs, room))
    for (const webhook of claimed) {
      const sender: Promise<void> = serve(webhook)
        .catch((error) =>
          log.warn('Could not deliver; it is tried again', { webhook: webhook.id, error: String(error) }),
        )
        .finally(() => {
          senders.delete(sender)
          // What was queued while it let go is due now, not at the next turn of the clock.
          void tick()
        })
      senders.add(sender)
    }
  }

  /** Sends all that is due for one webhook, one after the other, for as long as it is ours and wants to hear of us. */
  async function serve(claimed: WebhookRow) {
    let webhook = claimed
    let notBefore = 0
    while (webhook.is_enabled && !isClosed && notBefore === 0) {
      const delivery = await engine.read((db) => findDueDelivery(db, webhook.key, clock()))
      if (!delivery) break
      const render = () => renderDue(parley, webhook, delivery)
      const sent = await sendDelivery(webhook, delivery, { ...options, vault: parley.vault, now: clock(), render })
      if ('ends' in sent && sent.ends === 'webhook') await disableWithoutRights(parley, webhook)
      if ('ends' in sent && sent.ends !== 'delivery') break
      const wait = 'ends' in sent ? 0 : askedToWait(sent, clock())
      const noted = await engine.write((db) =>
        'ends' in sent ? noteUnsent(db, webhook, delivery, sent.reason) : note(db, webhook, delivery, sent, wait),
      )
      if (!noted) return
      // That it was switched off is in the log.
      if (!noted.is_enabled) parley.changes.notify(noted.workspace_key)
      webhook = noted
      if (wait > 0) notBefore = clock() + wait
    }
    await engine.write((db) => releaseWebhook(db, webhook, notBefore))
  }

  /** Ends a delivery that may not be sent. That is no failure of the receiver. */
  async function noteUnsent(db: Writer, held: WebhookRow, delivery: DeliveryRow, reason: string) {
    const webhook = await keepClaim(db, held, clock() + claimMs)
    if (!webhook) return undefined
    const current = await findDeliveryByKey(db, delivery.key)
    if (current?.status === 'pending') await setNotSent(db, current, reason)
    countAttempt('outcome="not_sent"')
    return webhook
  }

  /** Writes down how it went; the webhook as it is now, or undefined where it is no longer ours. */
  async function note(db: Writer, held: WebhookRow, delivery: DeliveryRow, { attempt, body }: Sent, wait: number) {
    const now = clock()
    const webhook = await keepClaim(db, held, now + claimMs)
    if (!webhook) return undefined
    // As it is now: meanwhile it may have been dropped, or sent again by hand.
    const current = await findDeliveryByKey(db, delivery.key)
    if (!current) return webhook
    const status = attempt.response_status
    const isDelivered = status !== null && status >= 200 && status < 300
    const isOver = isDelivered || current.next_attempt_at === null || current.key <= webhook.dropped_key
    const attempts = current.attempts_count + 1
    const next = isOver ? null : nextAttempt(attempts - current.attempts_before, now, wait, Math.random())
    const outcome = isDelivered ? 'delivered' : next === null ? 'failed' : 'pending'

    const isKept = !attempt.response_body || (await isUnchanged(parley, db, held, delivery, body))
    const noteworthy = isKept ? attempt : { ...attempt, response_body: null }
    await setAttempt(db, current, noteworthy, { status: outcome, next_attempt_at: next })
    countAttempt(`outcome="${isDelivered ? 'delivered' : next === null ? 'failed' : 'retry'}"`)
    if (attempts === 1) timeLag('', Math.max(0, (now - delivery.created_at) / 1000))
    const failing_since = isDelivered ? null : (webhook.failing_since ?? now)
    // Why it was disabled before, by someone or with its owner's rights, stays the reason.
    const off = webhook.is_enabled ? verdict(status, failing_since, now) : undefined
    const noted = await setWebhook(db, webhook.key, { failing_since, ...off })
    if (off) await announceOff(db, noted)
    return noted
  }

  function announceOff(db: Writer, webhook: WebhookRow) {
    const operator = operatorOf({ key: webhook.workspace_key, id: '', slug: '', name: '' })
    return changeWorkspace(parley, db, operator, async ({ announce, links }) =>
      announce('webhook.updated', toMaskedWebhook(links, (await findWebhookByKey(db, webhook.key))!)),
    )
  }

  async function settled() {
    while (ticking || senders.size > 0) {
      await ticking
      await Promise.all(senders)
    }
  }

  async function close() {
    isClosed = true
    clearInterval(timer)
    unsubscribe()
    await settled()
  }
}

/** Whether a webhook is beyond hope. */
function verdict(status: number | null, failingSince: number | null, now: number) {
  if (status === 410) return { is_enabled: 0, disabled_reason: 'The receiver answered 410 Gone.' }
  if (failingSince !== null && now - failingSince > GIVE_UP_AFTER_MS)
    return { is_enabled: 0, disabled_reason: `No delivery succeeded since ${new Date(failingSince).toISOString()}.` }
  return undefined
}
