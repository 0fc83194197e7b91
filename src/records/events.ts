import type { Event } from '../contract/events'
import { eventId } from '../domain/event-id'
import { type Links, toAuthor } from '../domain/links'
import { timestamp } from '../domain/timestamps'
import type { LoggedEvent } from '../store/events'

export const toEvent = (links: Links, workspaceId: string, row: LoggedEvent): Event =>
  ({
    id: eventId(workspaceId, row),
    type: row.type,
    timestamp: timestamp(row.created_at),
    workspace_id: workspaceId,
    actor: row.actor === null ? null : toAuthor(links, row.actor),
    via: row.via === null ? null : { name: row.via },
    is_redacted: row.is_redacted,
    data: JSON.parse(row.data),
  }) as Event
