import { useQuery } from '@tanstack/react-query'
import type { Input } from '../../contract'
import type { App } from '../../contract/apps'
import type { EventType } from '../../contract/event-types'
import type { Hook, HookPost, NewHook } from '../../contract/hooks'
import type { Delivery, NewWebhook, Webhook } from '../../contract/webhooks'
import { notifyProblem } from '../parts/notices'
import { keys } from './cache/keys'
import { loadAll, usePages } from './cache/pages'
import { cache, parley } from './cache/parley'
import { useMe } from './me'

/** All visible apps. */
export const useApps = () => useQuery({ queryKey: keys.apps, queryFn: () => loadAll(parley.apps.list()) })

const changeApps = (update: (apps: App[]) => App[]) =>
  cache.setQueryData<App[]>(keys.apps, (apps) => apps && update(apps))
const dropApp = (id: string) => changeApps((apps) => apps.filter((app) => app.id !== id))
const putApp = (app: App) => changeApps((apps) => [...apps.filter(({ id }) => id !== app.id), app])

export async function createApp(name: string): Promise<App> {
  const app = await parley.apps.create({ name })
  putApp(app)
  return app
}

export async function deleteApp(app: App) {
  dropApp(app.id)
  try {
    await parley.apps.delete({ id: app.id })
  } catch (error) {
    await cache.invalidateQueries({ queryKey: keys.apps })
    notifyProblem(`Couldn't delete ${app.name}.`, error)
  }
}

/** Incoming webhooks: all of the workspace for admins, else the member's own. */
export const useHooks = () =>
  useQuery({ queryKey: keys.hooks, queryFn: () => loadAll(parley.hooks.list()), refetchOnMount: 'always' })

/** Why only the owner can do something; undefined for the owner. */
export function useNotHookOwnerReason({ owner }: Hook): string | undefined {
  const me = useMe()
  return owner.id === me.author.id ? undefined : `Only the owner, ${owner.name}, can do this.`
}

const refetchHooks = () => cache.invalidateQueries({ queryKey: keys.hooks })

/** The list is read again after each change: no event shows where a hook writes. */
async function thenRefetch<T>(change: Promise<T>): Promise<T> {
  const result = await change
  await refetchHooks()
  return result
}

export const createHook = (input: Input<'hooks.create'>): Promise<NewHook> => thenRefetch(parley.hooks.create(input))
export const renameHook = ({ id }: Hook, name: string) => thenRefetch(parley.hooks.update({ id, name }))
export const renewHook = ({ id }: Hook): Promise<NewHook> => thenRefetch(parley.hooks.rotateSecret({ id }))
export const deleteHook = ({ id }: Hook) => thenRefetch(parley.hooks.delete({ id }))
export const testHook = ({ id }: Hook): Promise<HookPost> => thenRefetch(parley.hooks.test({ id }))
export const setHookPicture = async ({ id }: Hook, file: Blob) => {
  await thenRefetch(parley.hooks.setAvatar({ id, file }))
}
export const removeHookPicture = async ({ id }: Hook) => {
  await thenRefetch(parley.hooks.deleteAvatar({ id }))
}

const deliveriesKey = (id: string) => ['deliveries', id]
const deliveryKey = (id: string) => ['delivery', id]

/** For admins only. */
export const useWebhooks = (enabled: boolean) =>
  useQuery({ queryKey: keys.webhooks, queryFn: () => loadAll(parley.webhooks.list()), enabled })

/** Why only the owner can do something; undefined for the owner. */
export function useNotOwnerReason({ owner }: Webhook): string | undefined {
  const me = useMe()
  return owner.id === me.author.id ? undefined : `Only the owner, ${owner.name}, can do this.`
}

const changeWebhooks = (update: (webhooks: Webhook[]) => Webhook[]) =>
  cache.setQueryData<Webhook[]>(keys.webhooks, (webhooks) => webhooks && update(webhooks))
const dropWebhook = (id: string) => void changeWebhooks((webhooks) => webhooks.filter((webhook) => webhook.id !== id))
const putWebhook = (webhook: Webhook) =>
  void changeWebhooks((webhooks) =>
    webhooks.some(({ id }) => id === webhook.id)
      ? webhooks.map((known) => (known.id === webhook.id ? webhook : known))
      : [...webhooks, webhook],
  )

export interface WebhookInput {
  url: string
  types: EventType[]
}

const withoutSecret = ({ secret: _, ...webhook }: NewWebhook): Webhook => webhook

export async function createWebhook(input: WebhookInput): Promise<NewWebhook> {
  const webhook = await parley.webhooks.create(input)
  putWebhook(withoutSecret(webhook))
  return webhook
}

export async function updateWebhook({ id }: Webhook, input: WebhookInput) {
  putWebhook(await parley.webhooks.update({ id, ...input }))
}

/** Pauses or resumes a webhook: shown at once, undone if the request fails. */
export async function setEnabled(webhook: Webhook, is_enabled: boolean) {
  putWebhook({ ...webhook, is_enabled, disabled_reason: null })
  try {
    putWebhook(await parley.webhooks.update({ id: webhook.id, is_enabled }))
  } catch (error) {
    putWebhook(webhook)
    notifyProblem(`Couldn't ${is_enabled ? 'turn on' : 'pause'} the webhook.`, error)
  }
}

export async function rotateSecret({ id }: Webhook): Promise<NewWebhook> {
  const webhook = await parley.webhooks.rotateSecret({ id })
  putWebhook(withoutSecret(webhook))
  return webhook
}

export async function deleteWebhook(webhook: Webhook) {
  await parley.webhooks.delete({ id: webhook.id })
  dropWebhook(webhook.id)
}

export type DeliveryState = Delivery['status']

/** Deliveries cause no events, so they are polled; more often while one is due. */
const PENDING_INTERVAL_MS = 1_500
const IDLE_INTERVAL_MS = 4_000
const isDue = ({ status, next_attempt_at }: Delivery) =>
  status === 'pending' &&
  (next_attempt_at === null || Date.parse(next_attempt_at) < Date.now() + 2 * PENDING_INTERVAL_MS)

/** The deliveries of a webhook, newest first. */
export const useDeliveries = (id: string, status: DeliveryState | undefined) =>
  usePages<Delivery>(
    [...deliveriesKey(id), status ?? 'all'],
    (after) => parley.webhooks.deliveries({ id, ...(status && { status }), ...(after && { after }) }),
    {
      refetchInterval: (pages) =>
        pages?.pages.some(({ data }) => data.some(isDue)) ? PENDING_INTERVAL_MS : IDLE_INTERVAL_MS,
    },
  )

/** One delivery with its request and responses. */
export const useDelivery = (id: string) =>
  useQuery({
    queryKey: deliveryKey(id),
    queryFn: () => parley.webhooks.delivery({ id }),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data && isDue(state.data) ? PENDING_INTERVAL_MS : false),
  })

export async function ping({ id }: Webhook) {
  try {
    await parley.webhooks.ping({ id })
    await cache.invalidateQueries({ queryKey: deliveriesKey(id) })
  } catch (error) {
    notifyProblem("Couldn't send the test event.", error)
  }
}

export async function redeliver({ id, webhook_id }: Pick<Delivery, 'id' | 'webhook_id'>) {
  try {
    await parley.webhooks.redeliver({ id })
    await cache.invalidateQueries({ queryKey: deliveriesKey(webhook_id) })
    await cache.invalidateQueries({ queryKey: deliveryKey(id) })
  } catch (error) {
    notifyProblem("Couldn't send the delivery again.", error)
  }
}

/** Sends all events after the given one again. Throws what is wrong with the event id. */
export async function replay({ id }: Pick<Webhook, 'id'>, after: string) {
  await parley.webhooks.replay({ id, after })
  await cache.invalidateQueries({ queryKey: deliveriesKey(id) })
}
