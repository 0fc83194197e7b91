import { operatorOf } from '../../domain/permissions'
import type { Parley } from '../../gate/parley'
import { changeWorkspace } from '../../store/changes/change'
import type { Writer } from '../../store/engines/db'
import { type DeliveryRow, findDeliveryByKey, setAttempt, toMaskedWebhook } from '../../store/webhooks/deliveries'
import {
  dropDeliveries,
  findDroppingWebhook,
  findDueDelivery,
  findDueKeys,
  releaseWebhook,
  setNotSent,
} from '../../store/webhooks/delivery-queue'
import {
  claimDueWebhooks,
  findWebhookByKey,
  hasDueWebhook,
  keepClaim,
  setWebhook,
  type WebhookRow,
} from '../../store/webhooks/webhooks'
import { openRounds } from '../rounds'
import { disableWithoutRights, fanOut } from './fan-out'
import { isUnchanged, renderDelivery, type SendOptions, type Sent, sendDelivery } from './send'

const MIN_ROUND_MS = 100
const MAX_SENDERS = 500
const LOOKUP_AND_RECORD_MS = 15_000

export interface Dispatcher {
  /** Queues what is new and starts sending what is due. */
  tick(): Promise<void>
  /** Resolves when everything that was started is done. */
  settled(): Promise<void>
  close(): Promise<void>
}

/**
 * Delivers events to webhooks. Each webhook is claimed by one node at a time and served in order by its own sender, so a
 * slow receiver does not delay others. The claims of a node that died expire.
 */
export function openDispatcher(parley: Parley, options: SendOptions): Dispatcher {
  const { engine, clock, log, metrics } = parley
  const countAttempt = metrics.counter('parley_webhook_attempts_total', 'Delivery attempts, by outcome.')
  const timeLag = metrics.histogram('parley_webhook_lag_seconds', 'Time from an event to its first delivery attempt.')
  const claimMs = options.answerMs + LOOKUP_AND_RECORD_MS
  const senders = new Set<Promise<void>>()
  metrics.gauge('parley_webhook_senders', 'Webhooks that are being sent to.', () => senders.size)
  const rounds = openRounds(parley, { what: 'due deliveries', minRoundMs: MIN_ROUND_MS, runRound })
  return {
    tick: rounds.tick,
    settled,
    async close() {
      rounds.close()
      await settled()
    },
  }

  /** One step for each webhook, then send: one that is far behind does not delay the others. Returns whether there is more. */
  async function runRound(): Promise<boolean> {
    const isBehind = await fanOut(parley)
    await startSenders()
    return (await dropSome()) || isBehind
  }

  /** Drops a batch of one disabled webhook's deliveries. Returns whether there was such a webhook. */
  async function dropSome(): Promise<boolean> {
    const key = await engine.read(findDroppingWebhook)
    if (key === undefined) return false
    await engine.write((db) => dropDeliveries(db, key))
    return true
  }

  async function startSenders() {
    const room = MAX_SENDERS - senders.size
    if (room <= 0 || rounds.isClosed()) return
    const now = clock()
    // A read is cheap; claiming is a write.
    if (!(await engine.read((db) => hasDueWebhook(db, now)))) return
    const claimed = await engine.write((db) => claimDueWebhooks(db, now, now + claimMs, room))
    for (const webhook of claimed) {
      const sender: Promise<void> = serve(webhook)
        .catch((error) => log.warn('Could not deliver; will retry', { webhook: webhook.id, error: String(error) }))
        .finally(() => {
          senders.delete(sender)
          // Deliveries that were queued while the claim was released are due now, not at the next tick.
          void rounds.tick()
        })
      senders.add(sender)
    }
  }

  /** Sends the due deliveries of one webhook in order, while it is claimed and the receiver has not asked to wait. */
  async function serve(claimed: WebhookRow) {
    let webhook = claimed
    let keys: number[] = []
    let notBefore = 0
    while (webhook.is_enabled && !rounds.isClosed() && notBefore === 0) {
      if (keys.length === 0) keys = await engine.read((db) => findDueKeys(db, webhook.key, clock()))
      const key = keys.shift()
      if (key === undefined) break
      const delivery = await engine.read((db) => findDueDelivery(db, key, clock()))
      if (!delivery) continue
      const render = () => renderDelivery(parley, webhook, delivery)
      const sent = await sendDelivery(webhook, delivery, { ...options, vault: parley.vault, now: clock(), render })
      if ('ends' in sent && sent.ends === 'webhook') await disableWithoutRights(parley, webhook)
      if ('ends' in sent && sent.ends !== 'delivery') break
      const wait = 'ends' in sent ? 0 : askedToWait(sent, clock())
      const updated = await engine.write((db) =>
        'ends' in sent
          ? recordUnsent(db, webhook, delivery, sent.reason)
          : recordAttempt(db, webhook, delivery, sent, wait),
      )
      if (!updated) return
      // There is an event that says it was disabled.
      if (!updated.is_enabled) parley.changes.notify(updated.workspace_key)
      webhook = updated
      if (wait > 0) notBefore = clock() + wait
    }
    await engine.write((db) => releaseWebhook(db, webhook, notBefore))
  }

  /** Ends a delivery that may not be sent, which does not count as a failure of the receiver. */
  async function recordUnsent(db: Writer, held: WebhookRow, delivery: DeliveryRow, reason: string) {
    const webhook = await keepClaim(db, held, clock() + claimMs)
    if (!webhook) return undefined
    const current = await findDeliveryByKey(db, delivery.key)
    if (current?.status === 'pending') await setNotSent(db, current, reason)
    countAttempt('outcome="not_sent"')
    return webhook
  }

  /** Records an attempt. Returns the webhook as it is now, or undefined if the claim was lost. */
  async function recordAttempt(
    db: Writer,
    held: WebhookRow,
    delivery: DeliveryRow,
    { attempt, body }: Sent,
    wait: number,
  ) {
    const now = clock()
    const webhook = await keepClaim(db, held, now + claimMs)
    if (!webhook) return undefined
    // Read again: it may have been dropped meanwhile, or redelivered by hand.
    const current = await findDeliveryByKey(db, delivery.key)
    if (!current) return webhook
    const status = attempt.response_status
    const isDelivered = status !== null && status >= 200 && status < 300
    const isOver = isDelivered || current.next_attempt_at === null || current.key <= webhook.dropped_key
    const attempts = current.attempts_count + 1
    const next = isOver ? null : nextAttempt(attempts - current.attempts_before, now, wait, Math.random())
    const outcome = isDelivered ? 'delivered' : next === null ? 'failed' : 'pending'

    const isKept = !attempt.response_body || (await isUnchanged(parley, db, held, delivery, body))
    const recorded = isKept ? attempt : { ...attempt, response_body: null }
    await setAttempt(db, current, recorded, { status: outcome, next_attempt_at: next })
    countAttempt(`outcome="${isDelivered ? 'delivered' : next === null ? 'failed' : 'retry'}"`)
    if (attempts === 1) timeLag('', Math.max(0, (now - delivery.created_at) / 1000))
    const failing_since = isDelivered ? null : (webhook.failing_since ?? now)
    // A webhook that was disabled before keeps its reason.
    const disabled = webhook.is_enabled ? shouldDisable(status, failing_since, now) : undefined
    const updated = await setWebhook(db, webhook.key, { failing_since, ...disabled })
    if (disabled) await announceDisabled(db, updated)
    return updated
  }

  function announceDisabled(db: Writer, webhook: WebhookRow) {
    const operator = operatorOf({ key: webhook.workspace_key, id: '', slug: '', name: '' })
    return changeWorkspace(parley, db, operator, async ({ announce, links }) =>
      announce('webhook.updated', toMaskedWebhook(links, (await findWebhookByKey(db, webhook.key))!)),
    )
  }

  async function settled() {
    while (rounds.running() || senders.size > 0) {
      await rounds.running()
      await Promise.all(senders)
    }
  }
}

/** The changes that disable a webhook, if its receiver is gone or has failed for too long. */
function shouldDisable(status: number | null, failingSince: number | null, now: number) {
  if (status === 410) return { is_enabled: false, disabled_reason: 'The receiver responded with 410 Gone.' }
  if (failingSince !== null && now - failingSince > DISABLE_AFTER_MS)
    return {
      is_enabled: false,
      disabled_reason: `No delivery has succeeded since ${new Date(failingSince).toISOString()}.`,
    }
  return undefined
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The delay after each failed attempt; after the last there are no more retries. */
export const RETRIES_MS = [
  ...[5 * SECOND, 5 * MINUTE, 30 * MINUTE],
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR),
]

const JITTER = 0.1
const MAX_WAIT_MS = 24 * HOUR

/** A webhook is disabled after failing for this long. */
const DISABLE_AFTER_MS = 5 * 24 * HOUR

/** When to retry after so many attempts, or null if there are no more retries. `chance` is between 0 and 1. */
function nextAttempt(attempts: number, now: number, waitMs: number, chance: number): number | null {
  const wait = RETRIES_MS[attempts - 1]
  if (wait === undefined) return null
  // Up to a tenth later, so that deliveries that failed together are not retried together.
  return now + Math.max(Math.round(wait * (1 + JITTER * chance)), waitMs)
}

/** How long a receiver that refused asks us to wait, by `Retry-After`. */
function askedToWait({ attempt, retryAfter: header }: Answered, now: number): number {
  const isRefused = (attempt.response_status ?? 0) >= 300
  return isRefused ? Math.min(retryAfter(header, now), MAX_WAIT_MS) : 0
}

interface Answered {
  attempt: { response_status: number | null }
  retryAfter: string | undefined
}

/** The milliseconds in a `Retry-After` header, which holds seconds or a date. */
export function retryAfter(header: string | undefined, now: number): number {
  if (header === undefined) return 0
  const wait = /^\d{1,9}$/.test(header.trim()) ? Number(header) * SECOND : Date.parse(header) - now
  return Number.isFinite(wait) && wait > 0 ? wait : 0
}
