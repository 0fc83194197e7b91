import type { Contract } from '../contract'
import type { Event } from '../contract/events'
import type { InputOf, Operation, OutputOf } from '../contract/operation'
import { Call, type CallOptions, PageCall, type ParleyOptions } from './calls'
import { listEndpoints } from './endpoints' with { type: 'macro' }
import type { Endpoint } from './endpoints'
import { ParleyError } from './errors'
import { requireVisible, send } from './send'
import { followEvents, type StreamOptions } from './stream'
import { unwrapWebhook } from './webhooks'

type Returned<T> = T extends { data: unknown[]; next_cursor: string | null } ? PageCall<T> : Call<T>

type Method<O extends Operation, R = Returned<OutputOf<O>>> =
  object extends InputOf<O>
    ? (input?: InputOf<O>, options?: CallOptions) => R
    : (input: InputOf<O>, options?: CallOptions) => R

type Operations = {
  [N in keyof Contract]: {
    [V in keyof Contract[N]]: Contract[N][V] extends Operation ? Method<Contract[N][V]> : never
  } & {
    [V in keyof Contract[N] as Contract[N][V] extends { markdown: true } ? `${V & string}Markdown` : never]: Method<
      Contract[N][V] & Operation,
      Call<string>
    >
  }
}

interface Additions {
  events: {
    /** Live events: `for await (const event of parley.events.stream()) …`. Reconnects, and misses none. */
    stream(params?: StreamOptions, options?: Pick<CallOptions, 'signal'>): AsyncGenerator<Event, void, void>
  }
  webhooks: {
    /** Checks the signature of a webhook that you received, and returns its event. Throws if it is not genuine. */
    unwrap: typeof unwrapWebhook
  }
}

type Merged = { [N in keyof Operations]: N extends keyof Additions ? Operations[N] & Additions[N] : Operations[N] }

const endpoints = listEndpoints()

/** Every operation as a method: `parley.posts.unresolve({ post_id })`. */
export interface Parley extends Merged {}

/** A client of a Parley server. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: see above
export class Parley {
  constructor(options: ParleyOptions) {
    for (const name of ['baseUrl', 'token'] as const)
      if (typeof options?.[name] !== 'string') throw new ParleyError(`\`${name}\` is missing.`)
    // A line break at the end, as files have, does no harm.
    requireVisible('token', options.token.trim())
    const client = this as unknown as Record<string, Record<string, unknown>>
    for (const line of endpoints.split('\n')) {
      const [noun, ...rest] = line.split(',') as [string, ...string[]]
      const verbs: Record<string, unknown> = {}
      while (rest.length > 0) addMethods(verbs, options, rest.shift()!, rest.shift()!.replace('~', noun))
      client[noun] = verbs
    }
    client.events!.stream = followEvents.bind(null, options)
    client.webhooks!.unwrap = unwrapWebhook
  }
}

type Input = Record<string, unknown>

function addMethods(verbs: Record<string, unknown>, options: ParleyOptions, verb: string, endpoint: Endpoint) {
  const call = (input: Input = {}, given: CallOptions = {}): Call<never> => {
    const answered = send<never>(options, endpoint, input, given, endpoint.endsWith(' content') ? 'content' : undefined)
    if (!endpoint.endsWith(' page')) return new Call(answered)
    // The next page follows the cursor, wherever the first one started.
    return new PageCall<never>(answered, (after) => call({ ...input, around: undefined, after }, given))
  }
  verbs[verb] = call
  if (endpoint.endsWith(' markdown'))
    verbs[`${verb}Markdown`] = (input: Input, given: CallOptions = {}) =>
      new Call(send(options, endpoint, input, given, 'markdown'))
}
