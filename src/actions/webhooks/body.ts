import type { Viewer } from '../../domain/permissions'
import { timestamp } from '../../domain/timestamps'
import { toAuthor } from '../../records/authors'
import { toEvent } from '../../records/events'
import type { Links } from '../../records/links'
import { toWebhook } from '../../records/webhooks'
import type { Reader } from '../../store/db'
import type { DeliveryRow } from '../../store/deliveries'
import { listVisibleEvents } from '../../store/events'
import { findLogEnds } from '../../store/positions'
import type { OwnedWebhook } from '../../store/webhooks'

export type Body =
  /** `isRedacted`: the content was deleted, and is not in the body. */
  | { text: string; isRedacted: boolean }
  /** Why there is nothing to send. */
  | { text: null; reason: string }

/**
 * Renders the body of a delivery from the log when it is sent. It is not stored, so it cannot show what the owner may no
 * longer see, or what has been deleted.
 */
export async function renderBody(
  { db, links }: { db: Reader; links: Links },
  owner: Viewer,
  webhook: OwnedWebhook,
  delivery: DeliveryRow,
): Promise<Body> {
  const { revision } = delivery
  if (revision === 0) return { text: JSON.stringify(pingOf(links, owner, webhook, delivery)), isRedacted: false }
  const [row] = await listVisibleEvents(db, owner, { after: revision - 1, upTo: revision, limit: 1 })
  if (!row) return { text: null, reason: await explainMissing(db, owner, revision) }
  const event = toEvent(links, owner.workspace.id, row)
  return { text: JSON.stringify(event), isRedacted: (event as { is_redacted?: boolean }).is_redacted === true }
}

/** A test event. It is not in the log, but looks like those that are. */
const pingOf = (links: Links, owner: Viewer, webhook: OwnedWebhook, { event_id, created_at }: DeliveryRow) => ({
  id: event_id,
  type: 'webhook.ping',
  timestamp: timestamp(created_at),
  workspace_id: owner.workspace.id,
  actor: toAuthor(links, owner.author.card),
  via: null,
  is_redacted: false,
  data: toWebhook(links, webhook),
})

async function explainMissing(db: Reader, owner: Viewer, revision: number): Promise<string> {
  const { oldest } = await findLogEnds(db, owner.workspace.key)
  return revision < oldest ? 'The event is no longer in the log.' : 'The owner can no longer see this event.'
}
