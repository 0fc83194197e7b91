import type { EventType } from '../contract/event-types'
import type { Delivery, DeliveryDetails, Webhook } from '../contract/webhooks'
import { timestamp, timestampOrNull } from '../domain/timestamps'
import type { Attempt, DeliveryRow } from '../store/deliveries'
import type { WebhookRow } from '../store/webhooks'

export const toWebhook = (row: WebhookRow): Webhook => ({
  id: row.id,
  url: row.url,
  types: typesOf(row),
  is_enabled: row.is_enabled === 1,
  disabled_reason: row.disabled_reason,
  created_at: timestamp(row.created_at),
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
})

export const toDeliveryDetails = (row: DeliveryRow, url: string, attempts: readonly Attempt[]): DeliveryDetails => ({
  ...toDelivery(row),
  request: { url, body: row.body },
  attempts: attempts.map(({ attempted_at, duration_ms, response_status, response_body, error }) => ({
    attempted_at: timestamp(attempted_at),
    duration_ms,
    response_status,
    response_body,
    error,
  })),
})
