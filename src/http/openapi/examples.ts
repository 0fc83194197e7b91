import recorded from '../../../docs/examples.json'
import type { OperationName } from '../../contract'
import type { EventType } from '../../contract/event-types'

/** A request that was sent to a server, and its response. */
export interface OperationExample {
  params?: Record<string, string | number>
  query?: Record<string, unknown>
  body?: unknown
  response?: unknown
  /** The response to the same request with `Accept: text/markdown`. */
  markdown?: string
}

interface Examples {
  operations: Partial<Record<OperationName, OperationExample>>
  /** What a webhook sends for each type of event. */
  events: Partial<Record<EventType | 'webhook.ping', unknown>>
  problem: unknown
}

/** Recorded by `npm run examples`, which plays the story in `test/examples/`. */
export const examples = recorded as Examples
