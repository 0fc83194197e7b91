import { describe, expect, test } from 'bun:test'
import { Compile } from 'typebox/compile'
import { type OperationName, operations } from '../src/contract'
import { errors } from '../src/contract/errors'
import { eventTypes } from '../src/contract/event-types'
import { Event, eventDefinitions } from '../src/contract/events'
import { pathParams, successStatus } from '../src/contract/operation'
import { createClient } from './client'
import { allEvents, endOfLog } from './events/log'
import { type AnyCall, callOperation, calls, entryOf, operationNames, type Prepared } from './operations'
import { type Cast, castOf } from './operations/cast'
import { world } from './world'

const fits = Object.fromEntries(Object.entries(eventDefinitions).map(([type, { data }]) => [type, Compile(data)]))
const isEvent = Compile(Event)

/** Requests without a token change nothing. */
let shared: ReturnType<typeof world> | undefined

describe.each(operationNames)('%s', (name) => {
  test('requires a token', async () => {
    shared ??= world()
    const { path, method } = operations[name]
    const address = pathParams(path).reduce((at, param) => at.replace(`:${param}`, 'x'), path as string)
    const response = await (await shared).raw(undefined, address, { method })
    expect(response.status).toBe(401)
    expect(response.headers.get('WWW-Authenticate')).toStartWith('Bearer')
    expect(await response.json()).toMatchObject({ code: 'unauthenticated' })
  })
})

describe.each(calls.map((call) => [call.title, call] as const))('%s', (_, call) => {
  const { name, check, events = {}, again = 'same events' } = call
  const operation = operations[name]
  /** The call, which each test looks at from another side. */
  let first: Promise<{ situation: Situation; made: Made }> | undefined
  const makeFirst = () => {
    first ??= prepare(call).then(async (situation) => ({ situation, made: await makeCall(situation) }))
    return first
  }

  test('succeeds with the documented status', async () => {
    const { situation, made } = await makeFirst()
    expect(made.code).toBeUndefined()
    expect(made.status).toBe(successStatus(operation))
    if (operation.output ?? operation.download) expect(made.output).toBeDefined()
    else expect(made.output).toBeUndefined()
    check?.(made.output, situation.input)
    if (situation.shows) expect(JSON.stringify((made.output as { data: unknown }).data)).toContain(situation.shows)
  })

  test('makes its events, which hold the record as it was returned', async () => {
    const { situation, made } = await makeFirst()
    expect(made.types).toEqual(Object.keys(events))
    await expectData(situation, made, events)
  })

  if (operation.method !== 'GET')
    test('answers a repeated call as promised', async () => {
      const { code, types } = await makeCall((await makeFirst()).situation)
      const isRefused = typeof again === 'string' && again in errors
      expect(code).toBe(isRefused ? again : undefined)
      expect(types).toEqual(again === 'same events' ? Object.keys(events) : Array.isArray(again) ? again : [])
    })
})

test('every event is made by an operation, or has a test of its own', () => {
  const made = new Set(calls.flatMap(({ events = {} }) => Object.keys(events)))
  expect(eventTypes.filter((type) => !made.has(type))).toEqual([
    ...(['session.created', 'workspace.created', 'workspace.seeded'] as const),
  ])
})

interface Situation {
  name: OperationName
  cast: Cast
  token: string
  input: Record<string, unknown>
  shows?: string
  last?: object
}

/** A world in which the author may make the call, with the records it is about. */
async function prepare({ name, input: createInput }: AnyCall): Promise<Situation> {
  const cast = castOf(await world())
  const { shows, last, ...input }: Prepared = await createInput(cast)
  const token = (await entryOf(name).token?.(cast)) ?? cast.author.token
  return { name, cast, token, input, shows, last }
}

interface Made {
  output: unknown
  status: number
  /** The code of the error. */
  code?: string
  /** The types of all events of the call, also of events that the author cannot see. */
  types: string[]
  /** The types of the events that the author sees. */
  seen: Event[]
}

async function makeCall({ name, cast: { world, author }, token, input }: Situation): Promise<Made> {
  let status = 0
  const fetchWatched = async (...request: Parameters<typeof fetch>) => {
    const response = await fetch(...request)
    status = response.status
    return response
  }
  const client = createClient({ baseUrl: world.baseUrl, token, fetch: fetchWatched as typeof fetch })
  const before = (await world.events()).length
  const end = await endOfLog(author)
  const answer = await callOperation(client, name, input).then(
    (output) => ({ output }),
    ({ code, message }) => ({ output: message, code: code ?? message }),
  )
  const types = (await world.events()).slice(before)
  // Others come when inboxes are filled, some time later.
  const seen = (await allEvents(author, end)).filter(({ actor }) => actor !== null)
  return { ...answer, status, types, seen }
}

/** The events of the call that someone may see, each checked against its schema and the promised data. */
async function expectData({ cast, input, last }: Situation, made: Made, events: NonNullable<AnyCall['events']>) {
  const promised: unknown[] = []
  for (const [type, data] of Object.entries(events))
    if (data !== 'unseen') promised.push([type, await data({ cast, input, output: made.output, last } as never)])
  expect(made.seen.map(({ type, data }): unknown => [type, data])).toEqual(promised)
  for (const event of made.seen) {
    expect([event.type, fits[event.type]!.Check(event.data), isEvent.Check(event)]).toEqual([event.type, true, true])
    expect(event.actor).toMatchObject({ id: cast.author.id })
  }
}
