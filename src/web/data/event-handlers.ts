import type { EventType } from '../../contract/event-types'
import type { EventOf } from '../../contract/events'

/** How one kind of record updates the cache, by event type. */
export type EventHandlers = { [T in EventType]?: (event: EventOf<T>) => void }
