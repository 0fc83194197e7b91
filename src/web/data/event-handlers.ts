import type { EventType } from '../../contract/event-types'
import type { Event, EventData } from '../../contract/events'

/** What one kind of record does when an event arrives, by event type. */
export type EventHandlers = { [T in EventType]?: (event: Event & { data: EventData<T> }) => void }
