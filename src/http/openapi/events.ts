import Type, { type TSchema } from 'typebox'
import { type EventType, webhookEventTypes } from '../../contract/event-types'
import { Event, eventDefinitions, webhookPing } from '../../contract/events'
import { examples } from './examples'
import type { Json, Schemas } from './schemas'

/** What webhooks send: a request for each type of event, and the test event. */
export function describeEvents(schemas: Schemas): Json {
  const sent: [SentType, Definition][] = [
    ...webhookEventTypes.map((type): [SentType, Definition] => [type, eventDefinitions[type]]),
    ['webhook.ping', webhookPing],
  ]
  return Object.fromEntries(
    sent.map(([type, definition]) => [type, { post: describeEvent(type, definition, schemas) }]),
  )
}

type SentType = EventType | 'webhook.ping'
type Definition = { data: TSchema; description: string }

/** `PostCreated` for `post.created`. */
const pascalCase = (type: string) => type.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())

function describeEvent(type: SentType, { data, description }: Definition, schemas: Schemas): Json {
  const name = pascalCase(type)
  const { properties, ...event } = Event as unknown as { properties: Record<string, TSchema> }
  const exactType = Type.Unsafe({ type: 'string', enum: [type], description: `Always \`${type}\`.` })
  const schema = {
    ...event,
    title: `${name}Event`,
    description,
    properties: { ...properties, type: exactType, data },
  } as unknown as TSchema
  const example = examples.events[type]
  return {
    operationId: `on${name}`,
    tags: ['events'],
    summary: description,
    description: `Sent to every webhook that chose \`${type}\`, or all types, and whose owner may see it.`,
    security: [],
    parameters: signature,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: schemas.response(schema),
          ...(example !== undefined && { example }),
        },
      },
    },
    responses: {
      204: { description: 'Received. Any status from 200 to 299 will do, within 15 seconds.' },
      410: { description: 'Gone: nothing more is wanted. The webhook is switched off.' },
    },
  }
}

const signature = [
  { name: 'webhook-id', description: 'The id of the event, the same at every attempt.' },
  {
    name: 'webhook-timestamp',
    description: 'When it was sent, in seconds since 1970. Refuse what is older than five minutes.',
  },
  {
    name: 'webhook-signature',
    description: 'Proves that it comes from this server: see [Standard Webhooks](https://www.standardwebhooks.com).',
  },
].map((header) => ({ ...header, in: 'header', required: true, schema: { type: 'string' } }))
