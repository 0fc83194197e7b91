import type { Viewer } from '../../domain/permissions'
import type { Parley } from '../../gate/parley'
import { toEvent } from '../../records/events'
import { typesOf } from '../../records/webhooks'
import type { Writer } from '../../store/db'
import { insertDeliveries } from '../../store/deliveries'
import { listVisibleEvents } from '../../store/events'
import { type LaggingWebhook, listLaggingWebhooks, moveWebhook } from '../../store/webhooks'

const WEBHOOKS_AT_ONCE = 100
const EVENTS_AT_ONCE = 200
const LONGEST_LOOK = 5_000

/** Queues what happened since, for every webhook that hears of it, a step at a time. True where there may be more. */
export async function fanOut(parley: Parley): Promise<boolean> {
  const lagging = await parley.engine.read((db) => listLaggingWebhooks(db, WEBHOOKS_AT_ONCE))
  let moved = false
  for (const webhook of lagging) {
    try {
      await parley.engine.write((db) => takeIn(parley, db, webhook))
      moved = true
    } catch (error) {
      // The others go on.
      parley.log.warn('Could not queue what happened; it is tried again', { webhook: webhook.id, error: String(error) })
    }
  }
  return moved
}

/** One step of one webhook along the log: its deliveries and its new place in one transaction. */
async function takeIn({ links, clock, newId }: Parley, db: Writer, webhook: LaggingWebhook) {
  const now = clock()
  const upTo = Math.min(webhook.revision, webhook.position + LONGEST_LOOK)
  const types = typesOf(webhook)
  const events = await listVisibleEvents(db, hearerOf(webhook), {
    after: webhook.position,
    upTo,
    limit: EVENTS_AT_ONCE,
    ...(types.length > 0 && { types }),
  })
  const reached = events.length === EVENTS_AT_ONCE ? events.at(-1)!.revision : upTo
  if (!(await moveWebhook(db, webhook, reached)) || events.length === 0) return
  const deliveries = events.map((row) => {
    const event = toEvent(links, webhook.workspace_id, row)
    return { id: newId('dlv', now), event_id: event.id, event_type: event.type, body: JSON.stringify(event) }
  })
  await insertDeliveries(db, webhook, deliveries, now)
}

/** A webhook hears what an app would that is wherever its maker is; only what is public once the maker is gone. */
const hearerOf = (webhook: LaggingWebhook): Viewer => ({
  workspace: { key: webhook.workspace_key, id: webhook.workspace_id, slug: '', name: '' },
  author: { key: isMakerHere(webhook) ? webhook.author_key : 0, id: '', type: 'app', name: '', card: '' },
  role: null,
  scopes: ['admin'],
})

const isMakerHere = ({ is_deactivated, app_key }: LaggingWebhook) => is_deactivated === 0 || app_key !== null
