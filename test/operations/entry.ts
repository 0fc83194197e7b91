import type { Contract, Input, OperationName, OperationNamed, Output } from '../../src/contract'
import type { ErrorCode } from '../../src/contract/errors'
import type { EventType } from '../../src/contract/event-types'
import type { EventData } from '../../src/contract/events'
import { emptied } from '../events/log'
import type { Draw } from '../random-writes'
import type { Cast } from './cast'
import type { Rule } from './rules'

/** The operations that are not GET. */
export type WriteName = {
  [O in OperationName]: OperationNamed<O>['method'] extends 'GET' ? never : O
}[OperationName]

/** The input of a call. `shows` is the id of a record that a list must contain, `last` is a record as it was before the call. */
type Prepared<O extends OperationName> = Input<O> & { shows?: string; last?: object }

/** A call that was made, from which the data of its events follow. */
export interface Done<O extends OperationName> {
  cast: Cast
  input: Input<O>
  output: Output<O>
  /** It has the type that is asked of it: which one depends on what `input` has prepared. */
  last: never
}

interface ReadCall<O extends OperationName> {
  /** Creates the records that the call is about. */
  input: (cast: Cast) => Promise<Prepared<O>>
  /** Who may make it, and what everyone else gets. */
  rule: Rule
  /** Checks the output of the author’s call. */
  check?: (output: Output<O>, input: Input<O>) => void
}

interface WriteCall<O extends OperationName> extends ReadCall<O> {
  /** All events of the author’s call, in order, and their data; `unseen` by the author, for example because they have left. */
  events: { [E in EventType]?: 'unseen' | ((done: Done<O>) => EventData<E> | Promise<EventData<E>>) }
  /** What the same call does a second time: the same, other events, or the error. */
  again: 'same events' | 'no event' | readonly EventType[] | ErrorCode
}

/** A call, and everything that is promised about it. */
export type Call<O extends OperationName> = O extends WriteName ? WriteCall<O> : ReadCall<O>

interface Extras<O extends OperationName> {
  /** Other calls of the operation to which another rule applies, or which make other events. */
  also?: Record<string, Call<O>>
  /** The token to call it with. Default: the author’s. */
  token?: (cast: Cast) => Promise<string>
  /** It is slow on purpose, so that random requests avoid it. */
  isSlow?: true
  /** Why no random request can succeed. */
  unreachable?: string
}

interface RandomInput<O extends OperationName> {
  /** An input with random records, or undefined for no call this time. */
  random: ((draw: Draw) => Input<O> | undefined | Promise<Input<O>>) | `none: ${string}`
}

/** What the tests know of an operation. */
export type Entry<O extends OperationName> = Call<O> & Extras<O> & (O extends WriteName ? RandomInput<O> : unknown)

/** An entry for each operation of a noun: without one it does not compile. */
export type Entries<N extends keyof Contract> = {
  [V in keyof Contract[N] & string as `${N}.${V}`]: `${N}.${V}` extends OperationName ? Entry<`${N}.${V}`> : never
}

/** The data of an event that is what the call returned. */
export const returned = <T>({ output }: { output: T }): T => output

/** The data of an event that is the record as it was. */
export const lastOf = ({ last }: { last: never }): never => last

/** The data of an event that is the record as it was, without what people wrote. */
export const emptiedLast = ({ last }: { last: never }): never => emptied(last) as never
