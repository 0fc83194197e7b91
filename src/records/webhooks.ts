import type { EventType } from '../contract/event-types'
import type { Delivery, DeliveryDetails, Webhook } from '../contract/webhooks'
import { type Links, toAuthor } from '../domain/links'
import { maskUrl } from '../domain/permissions'
import { timestamp, timestampOrNull } from '../domain/timestamps'
import type { Attempt, DeliveryRow } from '../store/deliveries'
import type { OwnedWebhook, WebhookRow } from '../store/webhooks'

/** A webhook as its owner sees it. */
export const toWebhook = (links: Links, row: OwnedWebhook): Webhook => ({
  id: row.id,
  owner: toAuthor(links, row.owner),
  url: row.url,
  types: typesOf(row),
  is_enabled: row.is_enabled,
  disabled_reason: row.disabled_reason,
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})

/** A webhook as everyone else sees it, and as events show it. */
export const toMaskedWebhook = (links: Links, row: OwnedWebhook): Webhook => ({
  ...toWebhook(links, row),
  url: maskUrl(row.url),
})

export const typesOf = ({ types }: Pick<WebhookRow, 'types'>): EventType[] =>
  types === '' ? [] : (types.split(',') as EventType[])

export const toDelivery = (row: DeliveryRow): Delivery => ({
  id: row.id,
  webhook_id: row.webhook_id,
  event_id: row.event_id,
  event_type: row.event_type,
  status: row.status,
  attempts_count: row.attempts_count,
  created_at: timestamp(row.created_at),
  next_attempt_at: timestampOrNull(row.next_attempt_at),
  not_sent_reason: row.not_sent_reason,
})

/** `body` is null, and so is what was answered, where the viewer may not see what was sent. */
export const toDeliveryDetails = (
  row: DeliveryRow,
  { url, body, showsAnswers }: { url: string; body: string | null; showsAnswers: boolean },
  attempts: readonly Attempt[],
): DeliveryDetails => ({
  ...toDelivery(row),
  request: { url, body },
  attempts: attempts.map(({ attempted_at, duration_ms, response_status, response_body, error }) => ({
    attempted_at: timestamp(attempted_at),
    duration_ms,
    response_status,
    response_body: showsAnswers ? response_body : null,
    error,
  })),
})
