import Type, { type Static } from 'typebox'
import { webhookEventTypes } from './event-types'
import { operation } from './operation'
import { Author, Body, Choice, Id, listQuery, Nullable, Page, Shape, Timestamp } from './shapes'

const EventTypes = Type.Array(Choice(webhookEventTypes), {
  uniqueItems: true,
  description: 'Only these types of events; empty for all.',
})

const fields = {
  id: Id,
  owner: Author,
  url: Type.String({
    description: 'In full for its owner only. Everyone else, and every event, has its origin: `https://example.com/…`.',
  }),
  types: EventTypes,
  is_enabled: Type.Boolean(),
  disabled_reason: Nullable(Type.String(), 'Why it was switched off, if its owner did not.'),
  created_at: Timestamp,
  updated_at: Timestamp,
}
export const Webhook = Shape('Webhook', fields)
export type Webhook = Static<typeof Webhook>
export const NewWebhook = Shape('NewWebhook', {
  ...fields,
  secret: Type.String({ description: 'Signs what is sent (Standard Webhooks). It is shown this once.' }),
})
export type NewWebhook = Static<typeof NewWebhook>

const deliveryStates = ['pending', 'delivered', 'failed'] as const

const deliveryFields = {
  id: Id,
  webhook_id: Id,
  event_id: Type.String(),
  event_type: Type.String(),
  status: Choice(deliveryStates),
  attempts_count: Type.Integer({ minimum: 0 }),
  created_at: Timestamp,
  next_attempt_at: Nullable(Timestamp),
  not_sent_reason: Nullable(Type.String(), 'Why Parley decided not to send it, or not again.'),
}
export const Delivery = Shape('Delivery', deliveryFields, 'One event on its way to one webhook.')
export type Delivery = Static<typeof Delivery>
export const DeliveryDetails = Shape('DeliveryDetails', {
  ...deliveryFields,
  request: Shape('DeliveryRequest', {
    url: Type.String(),
    body: Nullable(
      Type.String(),
      'What is signed and sent, as it would be now; null for an event that you may not see any more, or that is no longer in the log.',
    ),
  }),
  attempts: Type.Array(
    Shape('DeliveryAttempt', {
      attempted_at: Timestamp,
      duration_ms: Type.Integer({ minimum: 0 }),
      response_status: Nullable(Type.Integer()),
      response_body: Nullable(
        Type.String({ description: 'The beginning of it.' }),
        'Also null where you may not see what was sent any more: the answer may repeat it.',
      ),
      error: Nullable(Type.String()),
    }),
  ),
})
export type DeliveryDetails = Static<typeof DeliveryDetails>

const Url = Type.String({
  maxLength: 2_000,
  minLength: 1,
  description:
    'An http or https address on the public internet, or in a network that the operator allows (`WEBHOOK_NETWORKS`).',
})
const byId = Type.Object({ id: Id })

export const webhooks = {
  list: operation({
    method: 'GET',
    path: '/v2/webhooks',
    depends: 'nothing',
    summary: 'List the webhooks of the workspace.',
    description: 'Lists those of other owners too, without their full addresses.',
    access: 'admin',
    query: listQuery(['created_at'], 'asc', {}),
    output: Page(Webhook),
    errors: ['invalid_cursor'],
  }),
  get: operation({
    method: 'GET',
    path: '/v2/webhooks/:id',
    depends: 'nothing',
    summary: 'Get a webhook.',
    description: 'Only its owner sees the full address.',
    access: 'admin',
    params: byId,
    output: Webhook,
    errors: ['not_found'],
  }),
  create: operation({
    method: 'POST',
    path: '/v2/webhooks',
    summary: 'Create a webhook.',
    description:
      'Parley sends events to its address. You own it: it delivers what you may see at that moment, which is what is public, and the channels and threads you are in. It is disabled when you lose admin access.',
    access: 'admin',
    body: Body({ url: Url, types: Type.Optional(EventTypes) }),
    output: NewWebhook,
    status: 201,
    errors: ['secret_key_missing'],
    secret: true,
  }),
  update: operation({
    method: 'PATCH',
    path: '/v2/webhooks/:id',
    summary: 'Change the URL or the event types of a webhook; disable or enable it.',
    description:
      'An enabled webhook delivers what happens from then on; `replay` sends what it missed. Only its owner can change it; other admins can send `{ "is_enabled": false }` and nothing else.',
    access: 'admin',
    params: byId,
    body: Body({
      url: Type.Optional(Url),
      types: Type.Optional(EventTypes),
      is_enabled: Type.Optional(Type.Boolean()),
    }),
    output: Webhook,
    errors: ['not_found'],
  }),
  delete: operation({
    method: 'DELETE',
    path: '/v2/webhooks/:id',
    summary: 'Remove a webhook and its deliveries.',
    description: 'Any admin can do this.',
    access: 'admin',
    params: byId,
    errors: ['not_found'],
  }),
  rotateSecret: operation({
    method: 'POST',
    path: '/v2/webhooks/:id/secret',
    summary: 'Create a new secret for a webhook.',
    description:
      'For a day, everything is signed with both secrets, so that receivers can change over. Only the owner can do this.',
    access: 'admin',
    params: byId,
    output: NewWebhook,
    status: 201,
    errors: ['not_found', 'secret_key_missing'],
    secret: true,
  }),
  ping: operation({
    method: 'POST',
    path: '/v2/webhooks/:id/ping',
    summary: 'Send a test event (`webhook.ping`) to a webhook.',
    description: 'Only the owner can do this.',
    access: 'admin',
    params: byId,
    output: Delivery,
    status: 201,
    errors: ['not_found'],
  }),
  replay: operation({
    method: 'POST',
    path: '/v2/webhooks/:id/replay',
    summary: 'Send a webhook everything after an event again.',
    description: 'Sends only events that the owner can see now. Only the owner can do this.',
    access: 'admin',
    params: byId,
    body: Body({ after: Type.String({ description: 'The id of the last event that need not be sent.' }) }),
    output: Webhook,
    status: 200,
    errors: ['not_found', 'event_gone', 'history_changed'],
  }),
  deliveries: operation({
    method: 'GET',
    path: '/v2/webhooks/:id/deliveries',
    depends: 'nothing',
    summary: 'List the deliveries of a webhook.',
    description: 'They are what was sent, and what waits to be sent. Only the owner can do this.',
    access: 'admin',
    params: byId,
    query: listQuery(['created_at'], 'desc', {
      status: Type.Optional(
        Choice(deliveryStates, { description: 'Only what waits to be sent, has arrived, or was given up.' }),
      ),
    }),
    output: Page(Delivery),
    errors: ['not_found', 'invalid_cursor'],
  }),
  delivery: operation({
    method: 'GET',
    path: '/v2/deliveries/:id',
    depends: 'nothing',
    summary: 'Get a delivery: what was sent, what the response was, and how long it took.',
    description: 'Only the owner of the webhook can do this.',
    access: 'admin',
    params: byId,
    output: DeliveryDetails,
    errors: ['not_found'],
  }),
  redeliver: operation({
    method: 'POST',
    path: '/v2/deliveries/:id/redeliver',
    summary: 'Send a delivery again.',
    description: 'It is sent at once, if the owner can still see the event. Only the owner of the webhook can do this.',
    access: 'admin',
    params: byId,
    output: Delivery,
    status: 200,
    errors: ['not_found'],
  }),
}
