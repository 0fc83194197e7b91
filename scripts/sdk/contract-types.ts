import { contract } from '../../src/contract'
import { errors, InputError } from '../../src/contract/errors'
import { eventTypes, webhookEventTypes } from '../../src/contract/event-types'
import { Event, eventDefinitions } from '../../src/contract/events'
import { inboxReasons } from '../../src/contract/inbox'
import { roles } from '../../src/contract/members'
import { type Operation, scopes } from '../../src/contract/operation'
import { Page } from '../../src/contract/shapes'
import { choiceKey, printChoices, printDocs, quoteName, type Schema, TypePrinter } from './type-printer'

/** The choices that are worth a name. */
const choices = {
  Role: roles,
  Scope: scopes,
  InboxReason: inboxReasons,
  EventType: eventTypes,
  WebhookEventType: webhookEventTypes,
  ErrorCode: Object.keys(errors),
}

/** The types of the contract: records, parameters, events, and the class `Parley` with a method for each operation. */
export function printContract(): string {
  const printer = new TypePrinter(new Map(Object.entries(choices).map(([name, values]) => [choiceKey(values), name])))
  printer.declare('InputError', InputError as Schema)
  const client = printClient(printer)
  const events = printEvents(printer)
  printer.declarations.delete('Event')
  return [
    client,
    ...printer.declarations.values(),
    printPage(),
    events,
    ...Object.entries(choices)
      .filter(([name]) => name !== 'EventType')
      .map(([name, values]) => `export type ${name} = ${printChoices(values)}`),
  ].join('\n\n')
}

function printClient(printer: TypePrinter): string {
  const nouns = Object.entries(contract).map(([noun, verbs]) => {
    const methods = Object.entries(verbs).flatMap(([verb, operation]) => printMethods(printer, noun, verb, operation))
    return `readonly ${noun}: {\n${[...methods, ...(additions[noun] ?? [])].join('\n')}\n}`
  })
  return [
    '/** A client of a Parley server. Every operation is a method: `parley.posts.unresolve({ post_id })`. */',
    'export declare class Parley {',
    'constructor(options: ParleyOptions)',
    ...nouns,
    '}',
  ].join('\n')
}

/** Methods that are no operations. */
const additions: Record<string, string[]> = {
  events: [
    `${printDocs('Live events: `for await (const event of parley.events.stream()) …`. Reconnects, and misses none.')}stream(params?: StreamOptions, options?: Pick<CallOptions, 'signal'>): AsyncGenerator<Event, void, void>`,
  ],
  webhooks: [
    `${printDocs('Checks the signature of a webhook that you received, and returns its event. Throws if it is not genuine.')}unwrap: typeof unwrapWebhook`,
  ],
}

function printMethods(printer: TypePrinter, noun: string, verb: string, operation: Operation): string[] {
  const name = capitalize(noun) + capitalize(verb)
  const params = printParams(printer, `${name}Params`, operation)
  const method = (called: string, summary: string, result: string) =>
    `${printDocs(summary, operation.description, describeRequest(operation))}${called}(${params}options?: CallOptions): ${result}`
  const methods = [method(verb, operation.summary, printResult(printer, name, operation))]
  if (operation.markdown)
    methods.push(method(`${verb}Markdown`, `${operation.summary} Returns its Markdown source.`, 'Call<string>'))
  return methods
}

const describeRequest = ({ method, path, access, tokenScope, errors }: Operation) =>
  [
    `\`${method} ${path}\``,
    access === 'public' ? '' : `, needs the scope \`${tokenScope ?? access}\``,
    errors.length > 0 ? `. Errors: ${errors.map((code) => `\`${code}\``).join(', ')}` : '',
    '.',
  ].join('')

/** The first parameter of a method: everything in the path, the query and the body. */
function printParams(printer: TypePrinter, name: string, { params, query, body, picture, upload }: Operation): string {
  const parts = [params, query, body].filter((part) => part !== undefined) as Schema[]
  const properties = Object.assign({}, ...parts.map((part) => part.properties))
  const required = parts.flatMap((part) => part.required ?? [])
  if (picture) {
    printer.declarations.set(name, `export interface ${name} {\n  /** ${picture.types.join(', ')}. */\n  file: Blob\n}`)
    return `params: ${name}, `
  }
  if (parts.length === 0) return 'params?: Record<string, never>, '
  printer.declare(name, { type: 'object', properties, required })
  if (upload) return `params: ${name} & { file: Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> }, `
  return `params${required.length === 0 ? '?' : ''}: ${name}, `
}

function printResult(printer: TypePrinter, name: string, { output, download }: Operation): string {
  if (download) return 'Call<Response>'
  if (!output) return 'Call<undefined>'
  const schema = output as Schema
  const isPage = 'next_cursor' in (schema.properties ?? {})
  const isEnvelope = isPage && schema.title === undefined && 'total_count' in schema.properties!
  const type = isEnvelope
    ? `Page<${printer.print(schema.properties!.data!.items!)}>`
    : schema.properties && schema.title === undefined
      ? printer.declare(`${name}Result`, schema)
      : printer.print(schema)
  return isPage ? `PageCall<${type}>` : `Call<${type}>`
}

/** The envelope of every list, for any record. */
function printPage(): string {
  const printer = new TypePrinter(new Map())
  printer.declare('Page', Page({ title: 'T', type: 'string' } as never) as Schema)
  return printer.declarations.get('Page')!.replace('interface Page', 'interface Page<T>')
}

function printEvents(printer: TypePrinter): string {
  const { type: _, data: __, ...fields } = (Event as Schema).properties!
  const common = new TypePrinter(printer.choices)
  common.declare('EventFields', { type: 'object', properties: fields, required: Object.keys(fields) })
  const data = Object.entries(eventDefinitions).map(
    ([type, definition]) => `  ${quoteName(type)}: ${printer.print(definition.data as Schema)}`,
  )
  return [
    common.declarations.get('EventFields'),
    `${printDocs('The data of each type of event: the record as of that change.')}export interface EventData {\n${data.join('\n')}\n}`,
    `export type EventType = keyof EventData`,
    `${printDocs('An event of one type, or of several: `type` tells the shape of `data`.')}export type EventOf<T extends EventType> = { [K in T]: EventFields & { type: K; data: EventData[K] } }[T]`,
    `${printDocs('An entry of the event log. A newer server may send types that are not listed here: ignore them.')}export type Event = EventOf<EventType>`,
  ].join('\n\n')
}

const capitalize = (word: string) => word[0]!.toUpperCase() + word.slice(1)
