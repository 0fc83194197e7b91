import type { Event } from '../contract/events'
import { eventId } from '../domain/events/positions'
import { timestamp } from '../domain/timestamps'
import type { LoggedEvent } from '../store/events'
import { toAuthor } from './authors'
import type { Links } from './links'

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
