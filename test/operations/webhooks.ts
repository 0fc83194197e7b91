import { expect } from 'bun:test'
import type { NewWebhook, Webhook } from '../../src/contract/webhooks'
import { byId, type Cast, sameId, shown, webhook } from './cast'
import type { Entries } from './entry'
import { admin } from './rules'

const delivery = async (cast: Cast) => cast.owner.webhooks.ping({ id: (await webhook(cast)).id })

/** Everyone who reads the log sees no more of the address than its host. */
const announced = ({ secret: _, ...webhook }: NewWebhook | (Webhook & { secret?: never })): Webhook => ({
  ...webhook,
  url: 'http://127.0.0.1:9/…',
})

/** Other admins can see, disable and delete a webhook; everything else is for its owner only. */
const ofOwner = admin('workspace', { except: ({ isOwner }) => (isOwner ? undefined : 'forbidden') })
const ofAdmins = admin('workspace')
const notCounted = 'none: webhooks have counters and tests of their own'

export const webhooks: Entries<'webhooks'> = {
  'webhooks.list': { input: shown(webhook), rule: admin('workspace', { unseen: 'hidden' }) },
  'webhooks.get': { input: byId(webhook), rule: ofAdmins, check: sameId },
  'webhooks.create': {
    input: async () => ({ url: 'http://127.0.0.1:9/hook', types: ['workspace.seeded'] }),
    rule: admin('self'),
    check: ({ secret }) => expect(secret).toStartWith('whsec_'),
    events: { 'webhook.created': ({ output }) => announced(output) },
    again: 'same events',
    random: notCounted,
  },
  'webhooks.update': {
    input: async (cast) => ({ id: (await webhook(cast)).id, types: ['post.created'] }),
    rule: ofOwner,
    check: ({ types }) => expect(types).toEqual(['post.created']),
    events: { 'webhook.updated': ({ output }) => announced(output) },
    again: 'same events',
    also: {
      'that disables': {
        input: async (cast) => ({ id: (await webhook(cast)).id, is_enabled: false }),
        rule: ofAdmins,
        check: ({ is_enabled }) => expect(is_enabled).toBe(false),
        events: { 'webhook.updated': ({ output }) => announced(output) },
        again: 'same events',
      },
    },
    random: notCounted,
  },
  'webhooks.delete': {
    input: byId(webhook),
    rule: ofAdmins,
    events: { 'webhook.deleted': ({ last }) => announced(last) },
    again: 'not_found',
    random: notCounted,
  },
  'webhooks.rotateSecret': {
    input: byId(webhook),
    rule: ofOwner,
    check: ({ secret }) => expect(secret).toStartWith('whsec_'),
    events: { 'webhook.updated': ({ output }) => announced(output) },
    again: 'same events',
    random: notCounted,
  },
  'webhooks.ping': {
    input: byId(webhook),
    rule: ofOwner,
    check: ({ event_type }) => expect(event_type).toBe('webhook.ping'),
    events: {},
    again: 'same events',
    random: notCounted,
  },
  'webhooks.replay': {
    async input(cast) {
      // There are such events, so that something is sent again.
      const { id } = await webhook(cast, 'channel.created')
      return { id, after: (await cast.owner.events.list({ limit: 1 })).next_cursor }
    },
    rule: ofOwner,
    check: sameId,
    events: {},
    again: 'same events',
    random: notCounted,
  },
  'webhooks.deliveries': {
    async input(cast) {
      const { id, webhook_id } = await delivery(cast)
      return { id: webhook_id, shows: id }
    },
    rule: ofOwner,
  },
  'webhooks.delivery': { input: byId(delivery), rule: ofOwner, check: sameId },
  'webhooks.redeliver': {
    input: byId(delivery),
    rule: ofOwner,
    check: sameId,
    events: {},
    again: 'same events',
    random: notCounted,
  },
}
