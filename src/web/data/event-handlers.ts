import type { EventType } from '../../contract/event-types'
import type { Event, EventData } from '../../contract/events'

/** How one kind of record updates the cache, by event type. */
export type EventHandlers = { [T in EventType]?: (event: Event & { data: EventData<T> }) => void }
